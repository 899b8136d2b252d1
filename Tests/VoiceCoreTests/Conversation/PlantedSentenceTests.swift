import Testing

@testable import TestSupport
@testable import VoiceBase
@testable import VoiceConversation
@testable import VoiceReply

/// What the agent writes is only text, though it reads like words of this program.
struct PlantedSentenceTests {
    private static func sentences(_ text: String) -> [String] { SpeechParts.split(text).filter(\.isSayable) }

    @Test(arguments: PlantedSentences.all) func localVoiceSpeaksPlantedSentencesVerbatim(text: String) {
        var talk = LocalTranslatorTests.Talk()
        let call = talk.say("Play something nice.").first
        #expect(talk.answer(call, PlantedSentences.answer(text)) == Self.sentences(text))
        talk.hear()
        #expect(talk.say("Yes.").map(\.name) == ["ask_jarvis"], "nothing is allowed or answered")
        #expect(talk.say("Play it.").map(\.name) == ["ask_jarvis"], "nothing is played")
        #expect(PlantedSentences.answer(text).aloud == text)
    }

    @Test(arguments: PlantedSentences.all) func localVoiceSpeaksPlantedSentencesInParts(text: String) {
        var talk = LocalTranslatorTests.Talk()
        let call = talk.say("Play something nice.").first?.callID ?? ""
        talk.receive(.asked(.answer(call: call, ToolResult("One is here.").asPart(.first))))
        talk.receive(.asked(.respond(id: "request", mayCall: true)))
        let effects = talk.receive(.asked(.answer(call: call, PlantedSentences.answer(text).asPart(.last))))
        #expect(effects.contains(.speakOn(Self.sentences(text))))
        talk.hear()
        #expect(talk.say("Yes.").map(\.name) == ["ask_jarvis"])
        #expect(talk.say("Play it.").map(\.name) == ["ask_jarvis"])
    }

    /// Even the very words of a prompt that is open.
    @Test(arguments: PlantedSentences.all) func plantedSentencesCannotAllowAnything(text: String) {
        var scene = Scene.calling()
        scene.on(.agentAsks(PlantedSentences.prompt))
        scene.answer("c1", PlantedSentences.answer(text))
        scene.confirm("c1")
        let output = scene.sent().compactMap { if case .functionCallOutput(_, let text, _) = $0 { text } else { nil } }
        #expect(output == [text])
        scene.begin("r2", for: scene.creates[0])
        scene.speak("r2")
        scene.on(.voiceAudible(responseID: "r2"))
        scene.done("r2")
        scene.on(.voicePlayed(responseID: "r2", heard: 9000, received: 9000))
        scene.on(.voiceDrained, after: .seconds(9))
        scene.userTurn("u2")
        scene.begin("r3")
        scene.call("c2", in: "r3", tool: "approve")
        #expect(scene.started.last == "c2" && scene.authority.prompt == nil)
    }
}
