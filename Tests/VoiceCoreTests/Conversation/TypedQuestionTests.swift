import Testing

@testable import TestSupport
@testable import VoiceBase
@testable import VoiceConversation

/// Typed questions.
struct TypedQuestionTests {
    @Test func typedQuestionIsAnswered() {
        var scene = Scene.listening()
        scene.on(.ask("What is on?"))
        #expect(scene.texts(.user) == ["What is on?"])
        #expect(scene.creates.count == 1)
        #expect(scene.state == .processing)
        scene.begin("r1", for: scene.creates.last)
        scene.speak("r1")
        #expect(scene.state == .aiSpeaking)
        scene.done("r1")
        scene.on(.voiceDrained)
        #expect(scene.state == .listening)
        #expect(scene.reports.count == 1)
    }

    @Test func typedQuestionWaitsForSilence() {
        var scene = Scene.listening()
        scene.server(.speechStarted(itemID: "item_user", audioStart: 0))
        scene.on(.ask("One"))
        scene.on(.ask("Two"))
        scene.server(.speechStopped(itemID: "item_user", audioEnd: 900))
        scene.begin("r1")
        scene.speak("r1")
        scene.done("r1")
        #expect(scene.texts(.user).isEmpty)
        scene.on(.voiceDrained)
        #expect(scene.texts(.user) == ["One"])
        scene.begin("r2", for: scene.creates.last)
        scene.speak("r2")
        scene.done("r2")
        scene.on(.voiceDrained)
        #expect(scene.texts(.user) == ["One", "Two"])
    }

    @Test func typedQuestionWaitsForTheOpeningSession() {
        var scene = Scene()
        scene.on(.activate)
        scene.on(.ask("What is on?"))
        scene.open()
        #expect(scene.texts(.user) == ["What is on?"])
        #expect(scene.state == .processing)
    }

    @Test func typedQuestionIsAskedAgainAfterALoss() {
        var scene = Scene.listening()
        let long = String(repeating: "What is on? ", count: 100)
        scene.on(.ask(TypedQuestion(long)))
        scene.on(LostQuestionTests.reset)
        #expect(scene.latest.contains(.note(.questionLost(isAskedAgain: true))))
        scene.on(.timer(.reconnect), after: .seconds(1))
        scene.open()
        #expect(scene.texts(.user) == [long, long])
        #expect(scene.texts(.system).isEmpty, "it is not told twice")
    }

    @Test func stopForgetsATypedQuestion() {
        var scene = Scene.listening()
        scene.userTurn()
        scene.on(.ask("What is on?"))
        scene.on(.stop(isSpoken: false))
        scene.on(.timer(.serverResponse))
        #expect(scene.texts(.user).isEmpty)
        var other = Scene()
        other.on(.activate)
        other.on(.ask("What is on?"))
        other.on(.deactivate)
        other.open()
        #expect(other.texts(.user).isEmpty)
    }

    @Test func typedQuestionToARefusingServiceIsLogged() {
        var scene = Scene()
        scene.on(.activate)
        scene.on(.ask("What is on?"))
        scene.on(.disconnected(LinkFailure(.permanent, "the key is wrong")))
        #expect(scene.effects.contains(.note(.speechDropped(.typed, 1))))
        #expect(scene.effects.contains(.play(.error)))
    }

    @Test func typedQuestionThatWaitsTooLongPlaysAnError() {
        var scene = Scene()
        scene.on(.activate)
        scene.on(.ask("What is on?"))
        scene.now += .seconds(61)
        scene.open()
        #expect(scene.texts(.user).isEmpty)
        #expect(scene.effects.contains(.play(.error)))
    }

    /// What the wait for the next session has no room for.
    @Test func questionAndTextInAClosingSessionAreDroppedWithATone() {
        var scene = Scene.listening()
        scene.on(.deactivate)
        scene.on(.ask("What is on?"))
        #expect(scene.latest.contains(.note(.speechDropped(.typed, 1))) && scene.latest.contains(.play(.error)))
        scene.on(.say("Dinner."))
        #expect(scene.latest.contains(.note(.speechDropped(.announcement, 1))) && scene.latest.contains(.play(.error)))
    }

    @Test func typedQuestionIsRefusedWithoutASessionOrBeyondTheLimit() {
        var scene = Scene()
        scene.on(.ask("What is on?"))
        let missed: [ConversationEffect] = [.note(.speechDropped(.typed, 1)), .play(.error)]
        #expect(scene.latest == missed)
        scene.on(.activate)
        for _ in 0...SpeechQueue.capacity { scene.on(.ask("What is on?")) }
        #expect(scene.latest == missed)
    }
}
