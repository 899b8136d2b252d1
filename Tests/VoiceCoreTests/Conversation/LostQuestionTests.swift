import Testing

@testable import TestSupport
@testable import VoiceBase
@testable import VoiceConversation
@testable import VoiceReply

/// A question of the user is answered or reported as missed, whatever happens to the session that heard it.
struct LostQuestionTests {
    static let reset = ConversationEvent.disconnected(LinkFailure(.transient, "reset"))

    private func reconnected(_ scene: inout Scene, after pause: Duration = .seconds(1)) {
        scene.on(.timer(.reconnect), after: pause)
        scene.open()
    }

    @Test func knownQuestionIsAskedAgain() {
        var scene = Scene.listening()
        scene.userTurn()
        scene.server(.heardTranscript(itemID: "item_user", contentIndex: 0, text: "What is on?"))
        scene.on(Self.reset)
        #expect(scene.latest.contains(.note(.questionLost(isAskedAgain: true))))
        #expect(!scene.latest.contains(.play(.error)))
        reconnected(&scene)
        #expect(scene.texts(.user) == ["What is on?"])
        #expect(scene.creates.count == 1)
        #expect(scene.texts(.system).isEmpty, "it is not told twice")
        #expect(scene.state == .processing)
        scene.begin("r1", for: scene.creates.last)
        scene.speak("r1")
        scene.done("r1")
        scene.on(.voiceDrained)
        #expect(scene.state == .listening)
    }

    /// What ends a session twice may end every session: the box would be deaf for good.
    @Test(arguments: [true, false]) func aQuestionIsNotAskedInAThirdSession(isTyped: Bool) {
        var scene = Scene.listening { $0.sessions.carry = .turns }
        if isTyped {
            scene.on(.ask("What is on?"))
        } else {
            scene.userTurn()
            scene.server(.heardTranscript(itemID: "item_user", contentIndex: 0, text: "What is on?"))
        }
        let before = scene.texts(.user).count
        scene.on(Self.reset)
        reconnected(&scene)
        #expect(scene.texts(.user).count == before + 1, "asked again")
        scene.on(Self.reset)
        #expect(scene.latest.contains(.note(.questionGivenUp)))
        #expect(scene.latest.contains(.play(.error)))
        for _ in 0..<3 {
            reconnected(&scene)
            #expect(scene.sent(scene.latest).isEmpty, "neither as a question nor as history")
            #expect(scene.state == .listening)
            scene.on(Self.reset)
        }
        #expect(scene.texts(.user).count == before + 1)
        #expect(scene.effects.count { $0 == .note(.questionGivenUp) } == 1)
    }

    /// What was said before may end every session that hears it, too.
    @Test func historyIsNotCarriedToAFourthFailingSession() {
        var scene = Scene.listening { $0.sessions.carry = .turns }
        scene.say("r0", question: "Who wrote it?", answer: "An old sailor.")
        func losesOne() {
            scene.on(Self.reset)
            scene.effects = []
            reconnected(&scene)
        }
        for _ in 0..<2 {
            losesOne()
            #expect(scene.texts(.assistant).contains("An old sailor."))
        }
        losesOne()
        #expect(scene.texts(.assistant).isEmpty)
        // After a session that lasts, the next one hears it again.
        scene.on(.timer(.proven), after: .seconds(60))
        losesOne()
        #expect(scene.texts(.assistant).contains("An old sailor."))
    }

    /// The service refuses every request of a response, until its session is given up.
    @Test func questionRefusedInTwoSessionsIsDropped() {
        var scene = Scene.listening()
        scene.on(.ask("What is on?"))
        for _ in 0..<2 {
            while scene.state == .processing {
                let error = ServerError(type: "x", code: "no_idea", message: "No.", eventID: scene.creates.last)
                scene.server(.error(error))
            }
            #expect(scene.state == .connecting)
            reconnected(&scene)
        }
        #expect(scene.texts(.user) == ["What is on?", "What is on?"])
        #expect(scene.state == .listening)
        #expect(scene.effects.contains(.note(.questionGivenUp)))
    }

    @Test func nextQuestionIsAskedAgainToo() {
        var scene = Scene.listening()
        for text in ["One?", "Two?"] {
            scene.on(.ask(TypedQuestion(text)))
            scene.on(Self.reset)
            reconnected(&scene)
            scene.on(Self.reset)
            reconnected(&scene)
        }
        #expect(scene.texts(.user) == ["One?", "One?", "Two?", "Two?"])
    }

    @Test(arguments: [true, false]) func answerThatEndsTwoSessionsIsNotSentToAThird(hasLocalVoice: Bool) {
        var scene = Scene.calling { $0.hasLocalVoice = hasLocalVoice }
        scene.answer("c1", "Two meetings.")
        scene.on(Self.reset)
        reconnected(&scene)
        #expect(scene.reported.map(\.output) == ["Two meetings."])
        scene.on(Self.reset)
        #expect(scene.latest.contains(hasLocalVoice ? .answer("Two meetings.") : .play(.error)))
        let line = hasLocalVoice ? ConversationNote.saidByLocalVoice(.agent) : .speechDropped(.agent, 1)
        #expect(scene.latest.contains(.note(line)))
        reconnected(&scene)
        #expect(scene.reported.count == 1)
        #expect(scene.state == .listening)
    }

    @Test func promptThatEndsSessionsIsNotAskedForever() {
        var scene = Scene.calling()
        let prompt = AgentPrompt(number: 1, kind: .question, facts: ["Which one?"], characters: 10)
        scene.on(.agentAsks(prompt))
        scene.answer("c1", ToolResult(.prompt(prompt)))
        for _ in 0..<6 {
            scene.on(Self.reset)
            reconnected(&scene)
        }
        #expect(scene.reported.count == 2, "after its own session, two more")
        #expect(scene.state == .listening)
    }

    @Test(arguments: ["speaking", "owed", "running", "begun"])
    func questionWithoutWordsPlaysAnError(moment: String) {
        var scene = Scene.listening()
        scene.server(.speechStarted(itemID: "item_user", audioStart: 0))
        if moment != "speaking" { scene.server(.speechStopped(itemID: "item_user", audioEnd: 1)) }
        if ["running", "begun"].contains(moment) { scene.begin("r1") }
        if moment == "begun" { scene.speak("r1") }
        scene.on(Self.reset)
        #expect(scene.latest.contains(.play(.error)))
        #expect(scene.latest.contains(.note(.questionLost(isAskedAgain: false))))
        reconnected(&scene)
        #expect(scene.latest.contains(.play(.listening)), "ask it now")
        #expect(scene.creates.isEmpty)
    }

    /// The service never heard it, so only the microphone knows of it.
    @Test func speechIntoADeadConnectionPlaysAnError() {
        var scene = Scene.listening()
        var failure = LinkFailure(.transient, "the connection is dead")
        failure.missedSpeech = true
        scene.on(.disconnected(failure))
        #expect(scene.latest.contains(.play(.error)))
        reconnected(&scene)
        #expect(scene.latest.contains(.play(.listening)), "ask it now")
        #expect(scene.creates.isEmpty)
    }

    @Test func quietRoomAndFinishedAnswerPlayNoError() {
        var scene = Scene.listening()
        scene.on(Self.reset)
        reconnected(&scene)
        scene.userTurn()
        scene.begin("r1")
        scene.speak("r1")
        scene.done("r1")
        scene.on(Self.reset)
        reconnected(&scene)
        #expect(!scene.effects.contains { if case .play = $0 { true } else { false } })
    }

    @Test func noiseAndInterruptedTurnsAreNotQuestions() {
        var scene = Scene.listening()
        scene.userTurn()
        scene.on(.timer(.serverResponse))
        scene.userTurn()
        scene.on(.interrupt)
        scene.on(Self.reset)
        #expect(!scene.latest.contains(.play(.error)))
    }

    @Test func callRepresentsItsQuestion() {
        var scene = Scene.listening()
        scene.userTurn()
        scene.server(.heardTranscript(itemID: "item_user", contentIndex: 0, text: "What is on?"))
        scene.begin("r1")
        scene.call("c1", in: "r1")
        scene.on(Self.reset)
        reconnected(&scene)
        #expect(scene.texts(.user).allSatisfy { $0.hasPrefix("[A note of this box, not said by the user") })
        #expect(scene.state == .waitingForJarvis)
        scene.answer("c1", "Two meetings.")
        #expect(scene.reported.last?.output == "Two meetings.")
        #expect(scene.creates.count == 1)
    }

    @Test(arguments: ["sent", "requested", "running"])
    func deliveredUnspokenAnswerIsRepeated(moment: String) {
        var scene = Scene.listening()
        scene.userTurn()
        scene.begin("r1")
        scene.call("c1", in: "r1")
        if moment != "sent" { scene.done("r1") }
        scene.answer("c1", "Two meetings.")
        if moment == "running" { scene.begin("r2", for: scene.creates.last) }
        scene.on(Self.reset)
        let before = scene.creates.count
        reconnected(&scene)
        #expect(scene.outputs == ["c1"], "once in its own session")
        #expect(scene.reported.map(\.output) == ["Two meetings."])
        #expect(scene.creates.count == before + 1)
        scene.begin("r3", for: scene.creates.last)
        scene.speak("r3")
        scene.done("r3")
        scene.on(Self.reset)
        reconnected(&scene)
        #expect(scene.reported.map(\.output) == ["Two meetings."], "it has been spoken")
    }

    @Test func aQuestionFromLongAgoIsNotAskedAgain() {
        var scene = Scene.listening()
        scene.userTurn()
        scene.server(.heardTranscript(itemID: "item_user", contentIndex: 0, text: "What is on?"))
        scene.on(Self.reset)
        reconnected(&scene, after: .seconds(600))
        #expect(scene.texts(.user).isEmpty)
        #expect(scene.latest.contains(.play(.listening)))
        #expect(scene.state == .listening)
    }

    @Test func endOfTheConversationDropsTheQuestion() {
        var scene = Scene.listening()
        scene.userTurn()
        scene.begin("r1")
        scene.call("c1", in: "r1")
        scene.on(.deactivate)
        scene.answer("c1")
        scene.open()
        #expect(scene.sent(scene.latest).isEmpty)
        #expect(scene.state == .listening)
        #expect(!scene.effects.contains { if case .play = $0 { true } else { false } })
    }
}
