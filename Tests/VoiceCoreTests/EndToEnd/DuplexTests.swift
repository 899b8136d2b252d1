import Testing
import VoiceSimulator

@testable import StageSupport
@testable import TestSupport
@testable import VoiceAudio
@testable import VoiceBase
@testable import VoiceConversation

extension EndToEnd {
    /// Whom the box hears while it speaks.
    @Suite struct DuplexTests {
        private static let long = "One two three four five six seven eight nine ten eleven twelve thirteen fourteen."
        private static let oneTurn: [ConversationState] = [
            .connecting, .listening, .userSpeaking, .processing, .aiSpeaking, .listening, .idle,
        ]

        /// Without the canceller the microphone is off; with it, it is off until the echo is known. An echo at full
        /// level, and later than the card reports, never makes the box answer itself.
        @Test(arguments: [false, true])
        func loudEchoIsNotAnswered(cancels: Bool) async throws {
            let stage = try Stage(
                [.say(Self.long), .say("Not again.")],
                environment: .init(echo: .init(delayMilliseconds: 220, gainDecibels: 0))
            )
            try await stage.start {
                $0.echo.duplex = .auto
                $0.echo.mode = cancels ? .auto : .off
            }
            try await stage.reach(.listening)
            stage.say("Tell")
            try await stage.reach(.listening, times: 2)
            try await Task.sleep(for: .milliseconds(1200))
            let (tones, _) = try await stage.stop()
            #expect(stage.journal.states == Self.oneTurn)
            #expect(tones.spell(Self.long), "\(tones)")
            #expect(stage.journal.client("conversation.item.truncate").isEmpty)
        }

        /// A greeting is the first audio: nothing is known of the echo yet, and none of it becomes a turn.
        @Test func echoOfAGreetingIsNotATurn() async throws {
            let greeting = "Good evening to you all."
            let stage = try Stage(
                [.say("Very well."), .say("Not again.")],
                environment: .init(echo: .init(delayMilliseconds: 220, gainDecibels: 0)), toRemarks: [.say(greeting)]
            )
            try await stage.start {
                $0.echo.duplex = .auto
                $0.echo.mode = .auto
                $0.activation.greeting = greeting
            }
            try await stage.reach(.listening, times: 2)
            try await Task.sleep(for: .milliseconds(1200))
            stage.say("Tell")
            try await stage.reach(.listening, times: 3)
            let (tones, _) = try await stage.stop()
            #expect(stage.journal.states.filter { $0 == .userSpeaking }.count == 1, "\(stage.journal.states)")
            #expect(tones.spell(greeting + " Very well."), "\(tones)")
            #expect(stage.journal.client("response.create").contains { "\($0)".contains(greeting) })
        }

        /// A user who speaks over a greeting has a turn, and the greeting ends.
        @Test func talkerOverAGreetingIsHeard() async throws {
            let greeting = "One two three four five six seven eight nine ten eleven twelve thirteen fourteen."
            let stage = try Stage([.say("Very well.")], toRemarks: [.say(greeting)])
            try await stage.start {
                $0.echo.duplex = .full
                $0.activation.greeting = greeting
            }
            try await stage.reach(.aiSpeaking)
            try await Task.sleep(for: .milliseconds(600))
            stage.say("Stop that now")
            try await stage.reach(.userSpeaking)
            try await stage.reach(.aiSpeaking, times: 2)
            try await stage.journal.wait(for: "listening again") { $0.states.last == .listening }
            let (tones, _) = try await stage.stop()
            #expect(stage.journal.states.filter { $0 == .userSpeaking }.count == 1, "\(stage.journal.states)")
            #expect(stage.journal.client("conversation.item.truncate").count == 1)
            #expect(tones.tones.count < 14, "the greeting went on: \(tones)")
        }

        /// The control: without any gate, the box answers itself in this room.
        @Test func withoutAGateTheEchoIsAnswered() async throws {
            let stage = try Stage(
                [.say(Self.long)], environment: .init(echo: .init(delayMilliseconds: 220, gainDecibels: 0))
            )
            try await stage.start()
            try await stage.reach(.listening)
            stage.say("Tell")
            try await stage.reach(.userSpeaking, times: 2)
            try await stage.stop()
        }

        /// Headphones: the first answer shows that there is no echo, the second can be interrupted.
        @Test func withoutEchoTheAnswerCanBeInterrupted() async throws {
            let stage = try Stage([.say(Self.long), .say(Self.long), .say("Very well.")], speed: 3)
            try await stage.start {
                $0.echo.duplex = .auto
                $0.echo.mode = .auto
            }
            try await stage.reach(.listening)
            stage.say("Tell")
            try await stage.reach(.listening, times: 2)
            let ports = try #require(stage.ports)
            #expect(ports.gauges.echo.state == .clear)
            stage.say("Tell")
            try await stage.reach(.aiSpeaking, times: 2)
            try await Task.sleep(for: .milliseconds(900))
            stage.say("Stop that now")
            try await stage.reach(.userSpeaking, times: 3)
            try await stage.reach(.listening, times: 3)
            try await stage.stop()
            #expect(stage.journal.client("conversation.item.truncate").count == 1)
            #expect(stage.journal.server("error").isEmpty)
            #expect(stage.log.lines.contains { $0.contains("echo: full duplex") })
        }

        /// In half duplex the user cannot interrupt, and the next turn is heard whole.
        @Test func halfDuplexMakesTheUserWait() async throws {
            let stage = try Stage([.say(Self.long), .say("Very well.")])
            try await stage.start { $0.echo.duplex = .half }
            try await stage.reach(.listening)
            stage.say("Tell")
            try await stage.reach(.aiSpeaking)
            try await Task.sleep(for: .milliseconds(500))
            stage.say("Stop that now")
            try await stage.reach(.listening, times: 2)
            try await Task.sleep(for: .milliseconds(700))
            stage.say("And now")
            try await stage.reach(.listening, times: 3)
            let (tones, _) = try await stage.stop()
            #expect(tones.spell(Self.long + " Very well."), "\(tones)")
            #expect(stage.journal.client("conversation.item.truncate").isEmpty)
        }
    }
}
