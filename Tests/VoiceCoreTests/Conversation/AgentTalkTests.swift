import Testing

@testable import TestSupport
@testable import VoiceConversation
@testable import VoiceReply

/// What the agent wants said outside the answer to a call.
struct AgentTalkTests {
    private static let prompt = AgentPrompt(
        number: 1, kind: .permission(action: "rm -rf *"),
        facts: [#"run this command: "rm -rf *""#, #"It would run in the folder "/srv""#]
    )
    private static let question = prompt.forModel

    /// The call outputs that were sent.
    private static func reported(_ scene: Scene) -> [String] {
        scene.sent().compactMap { if case .functionCallOutput(_, let output, _) = $0 { output } else { nil } }
    }

    /// The agent's question has gone to the model, as the output of the call.
    private static func asked() -> Scene {
        var scene = Scene.calling()
        scene.on(.agentAsks(prompt))
        scene.on(.callAnswered(callID: "c1", ToolResult(.prompt(prompt))))
        scene.begin("r2", for: scene.creates.last)
        scene.speak("r2")
        scene.done("r2")
        scene.on(.voiceDrained)
        return scene
    }

    /// A service that takes no text: the local voice speaks for the house, or nothing is promised.
    @Test(arguments: [true, false]) func localVoiceSpeaksForAServiceWithoutText(hasLocalVoice: Bool) {
        var scene = Scene {
            $0.capabilities.takesText = false
            $0.hasLocalVoice = hasLocalVoice
        }
        scene.open()
        scene.on(.agentReported("for a model", aloud: HouseWords("The post is here.")))
        scene.on(.say("Dinner is ready."))
        let said = scene.effects.compactMap { if case .announce(let text) = $0 { text } else { nil } }
        #expect(said == (hasLocalVoice ? ["The post is here.", "Dinner is ready."] : []))
    }

    @Test func theOpenQuestionIsAskedAgainInFullAfterALoss() {
        var scene = Self.asked()
        #expect(scene.texts(.system).isEmpty)
        let before = scene.creates.count
        scene.on(.disconnected(LinkFailure(.transient, "reset")))
        scene.on(.timer(.reconnect))
        scene.open()
        #expect(Self.reported(scene) == [Self.question, Self.question], "with its folder, not from a summary")
        #expect(scene.texts(.system) == [ConversationMachine.openQuestion])
        #expect(scene.creates.count == before + 1, "and it is spoken")
        scene.begin("r3", for: scene.creates.last)
        scene.done("r3")
        #expect(Self.reported(scene).count == 2, "once")
    }

    @Test func settledQuestionIsNotAskedAgain() {
        var scene = Self.asked()
        scene.on(.agentAsks(nil))
        scene.on(.disconnected(LinkFailure(.transient, "reset")))
        scene.on(.timer(.reconnect))
        scene.open()
        #expect(Self.reported(scene).count == 1)
    }

    /// Another wake word opens a session of another agent, and then the first one its own again.
    @Test func questionOfAnAgentWaitsForASessionOfItsOwn() {
        var scene = Self.asked()
        scene.on(.deactivate)
        scene.on(.belongs(toAgent: 1, name: "Nabu"))
        scene.open()
        #expect(Self.reported(scene).count == 1 && scene.texts(.system).isEmpty, "it is not for Nabu")
        scene.on(.deactivate)
        scene.on(.belongs(toAgent: 0, name: "Jarvis"))
        scene.open()
        #expect(Self.reported(scene) == [Self.question, Self.question])
    }

    @Test func questionOfOneAgentDoesNotEndThatOfAnother() {
        var scene = Self.asked()
        scene.on(.agentAsks(Self.prompt, agent: 1))
        scene.on(.agentAsks(nil, agent: 1))
        scene.on(.disconnected(LinkFailure(.transient, "reset")))
        scene.on(.timer(.reconnect))
        scene.open()
        #expect(Self.reported(scene) == [Self.question, Self.question])
    }

    @Test func newsOfAnAgentWaitsForASessionOfItsOwn() {
        var scene = Scene()
        scene.on(.belongs(toAgent: 1, name: "Nabu"))
        scene.open()
        scene.on(.agentReported("It is done.", agent: 0))
        #expect(Self.reported(scene).isEmpty)
        scene.on(.agentReported("School begins at nine.", agent: 1))
        #expect(Self.reported(scene) == ["School begins at nine."])
        #expect(scene.texts(.system).last?.contains("Jarvis") == false, "it is news from Nabu")
        scene.on(.deactivate)
        scene.on(.belongs(toAgent: 0, name: "Jarvis"))
        scene.open()
        #expect(Self.reported(scene) == ["School begins at nine.", "It is done."])
    }

    @Test func unspokenQuestionIsAskedOnceAfterALoss() {
        var scene = Scene.calling()
        scene.on(.agentAsks(Self.prompt))
        scene.on(.disconnected(LinkFailure(.transient, "reset")))
        scene.on(.callAnswered(callID: "c1", ToolResult(.prompt(Self.prompt))))
        scene.on(.timer(.reconnect))
        scene.open()
        #expect(Self.reported(scene) == [Self.question])
    }

    @Test func unawaitedAnswerWaitsForSilence() {
        var scene = Scene.listening()
        scene.server(.speechStarted(itemID: "i", audioStart: 0))
        scene.on(.agentReported("It is done."))
        #expect(Self.reported(scene).isEmpty)
        scene.server(.speechStopped(itemID: "i", audioEnd: 900))
        scene.begin("r1")
        scene.speak("r1")
        scene.done("r1")
        scene.on(.voiceDrained)
        #expect(Self.reported(scene) == ["It is done."])
        #expect(scene.texts(.system) == [ConversationMachine.agentNews], "what is to be done is ours to say")
        #expect(scene.creates.count == 1)
    }

    @Test func newsWaitsForASession() {
        var scene = Scene()
        scene.on(.agentReported("It is done."))
        #expect(scene.state == .idle)
        scene.on(.activate, after: .seconds(60))
        scene.open()
        #expect(Self.reported(scene) == ["It is done."])
        var late = Scene()
        late.on(.agentReported("It is done."))
        late.on(.activate, after: .seconds(700))
        late.open()
        #expect(Self.reported(late).isEmpty, "ten minutes later nobody wants to know")
    }

    @Test func stopDropsTheNewsOfTheAgent() {
        var scene = Scene.listening()
        scene.server(.speechStarted(itemID: "i", audioStart: 0))
        scene.on(.agentReported("It is done."))
        scene.on(.stop(isSpoken: false))
        scene.on(.deactivate)
        scene.open()
        #expect(Self.reported(scene).isEmpty)
    }

    // MARK: Announcements of the house

    /// The user speaks, so what the house has to say waits in the conversation.
    private static func interrupted(_ texts: [String], hasLocalVoice: Bool = true) -> Scene {
        interrupted(texts.map { HouseWords($0, asks: $0.last == "?") }, hasLocalVoice: hasLocalVoice)
    }

    private static func interrupted(_ all: [HouseWords], hasLocalVoice: Bool = true) -> Scene {
        var scene = Scene { $0.hasLocalVoice = hasLocalVoice }
        scene.open()
        scene.server(.speechStarted(itemID: "i", audioStart: 0))
        for words in all { scene.on(.agentReported(ToolResult(words.text), aloud: words)) }
        return scene
    }

    private static func announced(_ scene: Scene) -> [String] {
        scene.effects.compactMap { if case .announce(let text) = $0 { text } else { nil } }
    }

    @Test func localVoiceSpeaksForALostSession() {
        var scene = Self.interrupted(["Smoke!", "Shall I let her in?"])
        scene.on(.disconnected(LinkFailure(.transient, "reset")))
        #expect(Self.announced(scene) == ["Smoke!"], "a question waits for somebody who can answer")
        scene.on(.timer(.reconnect), after: .seconds(900))
        scene.open()
        #expect(Self.reported(scene) == ["Shall I let her in?"])
    }

    /// Who sends it says whether it is a question, not its punctuation.
    @Test func questionsWaitForAnAnswerWithoutAQuestionMark() {
        var scene = Self.interrupted([
            HouseWords("Tell me whether the oven stays on.", asks: true), HouseWords("Guess who is here?"),
        ])
        scene.on(.disconnected(LinkFailure(.transient, "reset")))
        #expect(Self.announced(scene) == ["Guess who is here?"])
        scene.on(.timer(.reconnect))
        scene.open()
        #expect(Self.reported(scene) == ["Tell me whether the oven stays on."])
    }

    /// The conversation ends before it could be told, or just before it comes.
    @Test(arguments: [true, false]) func newsAtTheEndOfAConversationIsSpokenByTheLocalVoice(isLate: Bool) {
        let all = [
            HouseWords("Smoke!", moment: .now), HouseWords("The post is here."),
            HouseWords("While you were away: nothing.", moment: .inConversation),
            HouseWords("Shall I call for help?", asks: true, moment: .now), HouseWords("More tea?", asks: true),
        ]
        var scene = Self.interrupted(isLate ? [] : all)
        scene.on(.deactivate)
        for words in all where isLate { scene.on(.agentReported(ToolResult(words.text), aloud: words)) }
        #expect(Self.announced(scene) == ["Smoke!", "The post is here.", "Shall I call for help?"])
        scene.open()
        for response in ["r1", "r2", "r3"] {
            scene.begin(response, for: scene.creates.last)
            scene.speak(response)
            scene.done(response)
            scene.on(.voiceDrained)
        }
        #expect(
            Self.reported(scene) == ["While you were away: nothing.", "Shall I call for help?", "More tea?"],
            "what can wait, and what somebody can answer now"
        )
        #expect(Self.announced(scene).count == 3, "once")
    }

    @Test func newsWaitsForTheNextConversationWithoutALocalVoice() {
        var scene = Self.interrupted([HouseWords("Smoke!", moment: .now)], hasLocalVoice: false)
        scene.on(.deactivate)
        #expect(Self.announced(scene).isEmpty)
        scene.open()
        #expect(Self.reported(scene) == ["Smoke!"])
    }

    /// A service that takes no text, with a local voice.
    private static func withoutText() -> Scene {
        var scene = Scene {
            $0.capabilities.takesText = false
            $0.hasLocalVoice = true
        }
        scene.open()
        return scene
    }

    private static let post = ConversationEvent.agentReported(
        "for a model", aloud: HouseWords("The post is here.")
    )

    @Test func quietHoursHoldNewsForAServiceWithoutText() {
        var scene = Self.withoutText()
        scene.server(.speechStarted(itemID: "i", audioStart: 0))
        scene.on(Self.post)
        scene.on(.announces(false))
        scene.server(.speechStopped(itemID: "i", audioEnd: 900))
        scene.begin("r1")
        scene.done("r1")
        #expect(Self.announced(scene).isEmpty && !scene.effects.contains(.note(.speechDropped(.house, 1))))
        scene.on(.announces(true), after: .seconds(3600))
        #expect(Self.announced(scene) == ["The post is here."])
    }

    @Test func localVoiceSpeaksForALostServiceWithoutText() {
        var scene = Self.withoutText()
        scene.server(.speechStarted(itemID: "i", audioStart: 0))
        scene.on(Self.post)
        scene.on(.disconnected(LinkFailure(.transient, "reset")))
        #expect(Self.announced(scene) == ["The post is here."])
        scene.on(.deactivate)
        #expect(!scene.effects.contains(.note(.speechDropped(.house, 1))))
    }

    // MARK: A session that is lost while it tells

    /// The response that tells it has begun to speak.
    private static func telling(hasLocalVoice: Bool = false) -> Scene {
        var scene = Scene.listening { $0.hasLocalVoice = hasLocalVoice }
        scene.on(.agentReported("for a model", aloud: HouseWords("The post is here.")))
        scene.begin("r1", for: scene.creates.last)
        scene.speak("r1")
        return scene
    }

    /// What was received is played to its end.
    private static func reopen(_ scene: inout Scene) {
        scene.on(.disconnected(LinkFailure(.transient, "reset")))
        scene.on(.voiceDrained)
        scene.on(.timer(.reconnect))
        scene.open()
    }

    @Test func interruptedNewsIsRepeatedOnce() {
        var scene = Self.telling()
        Self.reopen(&scene)
        #expect(Self.reported(scene) == ["for a model", "for a model"])
        scene.begin("r2", for: scene.creates.last)
        scene.speak("r2")
        Self.reopen(&scene)
        #expect(Self.reported(scene).count == 2, "once")
        #expect(scene.effects.contains(.note(.speechDropped(.house, 1))), "and the journal says so")
    }

    @Test func localVoiceRepeatsInterruptedNews() {
        var scene = Self.telling(hasLocalVoice: true)
        Self.reopen(&scene)
        #expect(Self.announced(scene) == ["The post is here."] && Self.reported(scene).count == 1)
    }

    @Test(arguments: ["told", "interrupted", "spoken to", "stopped"])
    func spokenOrUnwantedNewsIsNotRepeated(how: String) {
        var scene = Self.telling()
        switch how {
        case "told":
            scene.done("r1")
            scene.on(.voiceDrained)
        case "interrupted": scene.on(.interrupt)
        case "stopped": scene.on(.stop(isSpoken: false))
        default: scene.server(.speechStarted(itemID: "i", audioStart: 0))
        }
        Self.reopen(&scene)
        #expect(Self.reported(scene).count == 1)
    }

    /// A cough in front of its first word; a voice without a model does not return to it on its own.
    @Test func newsCutBeforeItsFirstWordIsSpokenAgain() {
        var scene = Scene.listening { $0.capabilities.rewords = false }
        scene.on(.agentReported("for a model", aloud: HouseWords("The post is here.")))
        scene.begin("r1", for: scene.creates.last)
        scene.server(.speechStarted(itemID: "i", audioStart: 0))
        scene.done("r1", .cancelled)
        scene.server(.speechStopped(itemID: "i", audioEnd: 900))
        scene.begin("r2")
        scene.done("r2")
        #expect(Self.reported(scene) == ["The post is here.", "The post is here."])
    }

    @Test func quietHoursThatBeginMeanwhileHoldNews() {
        var scene = Self.interrupted(["The post is here."])
        scene.on(.announces(false))
        scene.on(.disconnected(LinkFailure(.transient, "reset")))
        scene.on(.timer(.reconnect))
        scene.open()
        #expect(Self.reported(scene).isEmpty && Self.announced(scene).isEmpty)
        scene.on(.announces(true), after: .seconds(3600))
        #expect(Self.reported(scene) == ["The post is here."])
    }

    @Test func droppedNewsIsLogged() {
        let texts = (1...16).map { "Number \($0)." }
        var scene = Self.interrupted(texts, hasLocalVoice: false)
        let dropped = ConversationEffect.note(.speechDropped(.house, 1))
        #expect(!scene.effects.contains(dropped))
        scene.on(.agentReported("One more.", aloud: HouseWords("One more.")))
        #expect(scene.latest.contains(dropped))
        scene.on(.disconnected(LinkFailure(.transient, "reset")))
        scene.on(.timer(.reconnect), after: .seconds(90_000))
        scene.open()
        #expect(scene.effects.contains(.note(.speechDropped(.house, 16))), "a day at most")
        #expect(Self.reported(scene).isEmpty)
    }

    @Test func noticeOfADelayNamesTheActivity() {
        var scene = Scene.calling()
        scene.on(.callDelayed(callID: "c1", activity: "reading your mail"))
        #expect(scene.texts(.system).first?.contains("still reading your mail") == true)
    }
}
