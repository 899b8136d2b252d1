import Testing
import VoiceSimulator

@testable import StageSupport
@testable import TestSupport
@testable import VoiceConversation
@testable import VoiceCore

extension EndToEnd {
    /// Unusual turns; after each, the next one works.
    @Suite struct OddTurnTests {
        private static let next = ConversationScript.Turn.say("Very well.")

        private static func ends(_ tones: MarkerTones, with text: String) -> Bool {
            let words = text.split(separator: " ")
            return tones.tones.count >= words.count
                && zip(words, tones.tones.suffix(words.count))
                    .allSatisfy { abs(SpokenVoice.markerFrequency($0) - $1.frequency) < 5 }
        }

        @Test func fillerInterruptedBeforeItsCallMakesNoCall() async throws {
            let filler = "Let me have a very long look into your calendar for all of today."
            let stage = try Stage([.ask("What is on?", filler: filler), Self.next], speed: 2)
            try await stage.start()
            try await stage.reach(.listening)
            stage.say("Hey")
            try await stage.reach(.aiSpeaking)
            try await Task.sleep(for: .milliseconds(400))
            stage.say("Never mind")
            try await stage.reach(.listening, times: 2)
            let (tones, _) = try await stage.stop()
            #expect(stage.agent.requests.isEmpty)
            #expect(stage.journal.outputs.isEmpty)
            #expect(Self.ends(tones, with: "Very well."), "\(tones)")
            #expect(stage.journal.client("conversation.item.truncate").count == 1)
            #expect(stage.journal.server("error").isEmpty)
        }

        @Test func callsOfOneResponseAreAnsweredTogether() async throws {
            let calls = ["First?", "Second?"].map {
                ConversationScript.Call(tool: "ask_jarvis", arguments: ["query": .string($0)])
            }
            let stage = try Stage([.init(transcript: "Both", action: .calls(filler: "Hm.", calls)), Self.next]) {
                .init(.reply("\($0.query ?? "") Done."), delayMilliseconds: 200)
            }
            try await stage.start()
            try await stage.reach(.listening)
            stage.say("Both")
            try await stage.reach(.listening, times: 2)
            stage.say("Thanks")
            try await stage.reach(.listening, times: 3)
            let (tones, _) = try await stage.stop()
            #expect(stage.journal.outputs == ["First? Done.", "Second? Done."])
            #expect(stage.journal.client("response.create").count == 1)
            #expect(tones.spell("Hm. First? Done. Second? Done. Very well."), "\(tones)")
            #expect(stage.agent.requests.count == 2)
        }

        @Test func callWithoutAFillerIsAnswered() async throws {
            let stage = try Stage([
                .init(transcript: "Now", action: .callOnly(tool: "ask_jarvis", arguments: ["query": "Now?"])),
                Self.next,
            ])
            try await stage.start()
            try await stage.reach(.listening)
            stage.say("Now")
            try await stage.reach(.listening, times: 2)
            let (tones, _) = try await stage.stop()
            #expect(stage.journal.states.contains(.waitingForJarvis))
            #expect(tones.spell("Nothing today."), "\(tones)")
        }

        @Test func failedResponseIsRequestedAgain() async throws {
            let stage = try Stage([
                .init(transcript: "Hello", action: .fail(code: "rate_limit_exceeded", message: "Slow down.")),
                Self.next,
            ])
            try await stage.start(tune: { $0.conversation.limitedRetryPause = .milliseconds(300) })
            try await stage.reach(.listening)
            stage.say("Hello")
            try await stage.reach(.listening, times: 2)
            stage.say("Hello")
            try await stage.reach(.listening, times: 3)
            let (tones, _) = try await stage.stop()
            #expect(stage.journal.client("response.create").count == 1)
            #expect(tones.spell(ConversationScript().otherwise + " Very well."), "\(tones)")
            #expect(stage.log.lines.contains { $0.contains("rate_limit_exceeded") })
        }

        @Test func expiredSessionIsReplacedImmediately() async throws {
            var faults = RealtimeFaults()
            faults.expireAfterEvents = 6
            faults.faultyConnections = 1
            let stage = try Stage([Self.next], faults: faults)
            try await stage.start()
            try await stage.reach(.listening)
            stage.say("Hello")
            try await stage.reach(.listening, times: 2)
            stage.say("Hello")
            try await stage.reach(.listening, times: 3)
            let (tones, _) = try await stage.stop()
            #expect(stage.simulator.connectionCount == 2)
            #expect(tones.spell("Very well."), "\(tones)")
            #expect(stage.log.lines.contains { $0.contains("maximum duration") && $0.contains("opening the next") })
        }

        @Test func connectionLostDuringSpeechIsReopened() async throws {
            let stage = try Stage([Self.next])
            try await stage.start()
            try await stage.reach(.listening)
            stage.say("Hello my dear old friend")
            try await stage.reach(.userSpeaking)
            await stage.simulator.dropConnections()
            try await stage.reach(.listening, times: 2)
            stage.say("Hello")
            try await stage.reach(.listening, times: 3)
            let (tones, _) = try await stage.stop()
            #expect(Self.ends(tones, with: "Very well."), "\(tones)")
            #expect(stage.simulator.connectionCount == 2)
        }
    }
}
