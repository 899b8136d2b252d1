import Testing

@testable import TestSupport
@testable import VoiceBase
@testable import VoiceConversation

/// What is said when a conversation opens.
struct GreetingTests {
    private static func called(
        _ greeting: Greeting = .words("Yes?"),
        _ change: (inout ConversationMachine.Options) -> Void = { _ in }
    ) -> Scene {
        var scene = Scene {
            $0.greeting = greeting
            change(&$0)
        }
        scene.on(.activate)
        scene.on(.greet)
        scene.open()
        return scene
    }

    private static func reported(_ scene: Scene) -> [String] {
        scene.remarks
    }

    @Test func silentActivationIsGreetedOnce() {
        var scene = Self.called()
        #expect(Self.reported(scene).isEmpty)
        #expect(scene.latest.contains(.startTimer(.greeting, .milliseconds(700))))
        scene.on(.timer(.greeting))
        #expect(Self.reported(scene).count == 1 && Self.reported(scene)[0].hasSuffix("Yes?"))
        #expect(scene.creates.count == 1)
        scene.begin("r1", for: scene.creates[0])
        scene.speak("r1")
        #expect(scene.state == .aiSpeaking)
        scene.done("r1")
        scene.on(.voiceDrained)
        #expect(scene.state == .listening)
        #expect(!scene.latest.contains(.startTimer(.greeting, .milliseconds(700))))
    }

    @Test func questionWithTheActivationReplacesTheGreeting() {
        var scene = Self.called()
        scene.userTurn()
        scene.on(.timer(.greeting))
        scene.begin("r1")
        scene.speak("r1")
        scene.done("r1")
        scene.on(.voiceDrained)
        #expect(scene.state == .listening)
        scene.on(.timer(.greeting))
        #expect(Self.reported(scene).isEmpty)
    }

    /// The service takes the call itself for a turn, which is withdrawn.
    @Test func bareWakeWordIsNotAQuestion() {
        var scene = Self.called()
        scene.userTurn()
        scene.on(.interrupt)
        scene.begin("r1")
        scene.done("r1", .cancelled)
        scene.on(.timer(.greeting))
        #expect(Self.reported(scene).count == 1)
    }

    @Test func typedQuestionNeedsNoGreeting() {
        var scene = Self.called()
        scene.on(.ask("What time is it?"))
        scene.begin("r1", for: scene.creates.last)
        scene.speak("r1")
        scene.done("r1")
        scene.on(.voiceDrained)
        scene.on(.timer(.greeting))
        #expect(Self.reported(scene).isEmpty)
    }

    @Test func lateGreetingIsNotSpoken() {
        var scene = Self.called()
        scene.on(.timer(.greeting), after: .seconds(11))
        #expect(Self.reported(scene).isEmpty)
    }

    @Test func quietHoursSuppressTheGreeting() {
        var scene = Scene { $0.greeting = .words("Yes?") }
        scene.on(.announces(false))
        scene.on(.activate)
        scene.on(.greet)
        scene.open()
        scene.on(.timer(.greeting))
        #expect(Self.reported(scene).isEmpty)
    }

    /// The agent's words are data: they go to the model as the output of a call.
    @Test func greetingOfTheAgentIsSpoken() {
        var scene = Self.called(.agent)
        #expect(scene.effects.contains(.askForGreeting))
        scene.on(.agentGreets("Good evening."))
        scene.on(.timer(.greeting))
        let outputs = scene.sent().compactMap { event -> String? in
            if case .functionCallOutput(_, let text, _) = event { text } else { nil }
        }
        #expect(outputs == ["Good evening."])
        #expect(Self.reported(scene).allSatisfy { !$0.contains("Good evening.") })
        #expect(scene.creates.count == 1)
    }

    @Test func emptyGreetingOfTheAgentChangesNothing() {
        var scene = Self.called(.agent)
        scene.on(.agentGreets(nil))
        scene.on(.timer(.greeting))
        #expect(scene.creates.isEmpty && scene.state == .listening)
    }

    /// For a service that takes no text, the box's own voice greets, if there is one.
    @Test func localVoiceGreetsForAServiceWithoutText() {
        var scene = Self.called { $0.capabilities.takesText = false }
        scene.on(.timer(.greeting))
        #expect(scene.effects.contains(.announce("Yes?")))
        #expect(scene.creates.isEmpty)
    }
}
