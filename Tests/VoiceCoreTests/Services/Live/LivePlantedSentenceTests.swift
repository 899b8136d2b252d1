import Testing

@testable import TestSupport
@testable import VoiceConversation
@testable import VoiceLive

struct LivePlantedSentenceTests {
    @Test(arguments: PlantedSentences.all) func gptLiveGetsPlantedSentencesVerbatim(text: String) {
        var scene = LiveScene.live()
        scene.say("Clean up my photos")
        scene.receive(.delegated(id: "d1", target: "client", at: scene.lastWord))
        scene.pass(600)
        scene.ask(.answer(call: "d1", PlantedSentences.answer(text)))
        #expect(scene.reported(.commentary).map(\.text) == LivePieces.of(text))
        scene.ask(.respond(id: "q1", mayCall: true))
        scene.pass(800)
        scene.pass(3000, model: true)
        scene.pass(1500)
        scene.forget()
        scene.say("Yes please do it")
        scene.receive(.delegated(id: "d2", target: "client", at: scene.lastWord))
        scene.pass(2000)
        #expect(scene.calls.map(\.name) == ["ask_jarvis"], "nothing is allowed or answered")
    }
}
