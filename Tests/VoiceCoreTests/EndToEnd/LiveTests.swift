import FoundationEssentials
import Testing
import VoiceSimulator

@testable import VoiceActivation
@testable import VoiceBase
@testable import VoiceConfiguration
@testable import VoiceConversation
@testable import VoiceCore

extension EndToEnd {
    /// The daemon and a simulated GPT-Live, in real time.
    @Suite struct LiveTests {
        @Test func aPlainTurnIsSpokenWordForWord() async throws {
            let answer = "Good morning, it is nine."
            let stage = try LiveStage([.init("Hello you", .say(answer))])
            try await stage.start()
            try await stage.reach(.listening)
            stage.say("Hello you")
            try await stage.reach(.aiSpeaking)
            try await stage.reach(.listening, times: 2)
            let tones = try await stage.stop()
            #expect(tones.spell(answer), "\(tones)")
            #expect(stage.queries.isEmpty)
            #expect(stage.simulator.violations.isEmpty, "\(stage.simulator.violations)")
            #expect(stage.journal.server("error").isEmpty)
            #expect(
                stage.journal.client().map { $0["type"] }.filter { $0 != "session.input_audio.append" } == [
                    "session.start", "session.close",
                ]
            )
            #expect(
                stage.journal.states == [
                    .connecting, .listening, .userSpeaking, .processing, .aiSpeaking, .listening, .idle,
                ],
                "\(stage.journal.states)"
            )
            try Self.record(stage, "plain")
        }

        @Test func aRequestGoesToTheAgentOnceAndItsAnswerIsSpoken() async throws {
            var faults = LiveScript.Faults()
            faults.repeatsDelegations = true
            let stage = try LiveStage(
                [.init("What is on today?", .delegate(bridge: "Checking."))],
                faults: faults
            ) { _ in .init(.reply("**Two** meetings."), delayMilliseconds: 2500) }
            try await stage.start()
            try await stage.reach(.listening)
            stage.say("Hey you there")
            try await stage.sent("session.commentary.append")
            try await stage.reach(.aiSpeaking)
            try await stage.reach(.listening, times: 2)
            let tones = try await stage.stop()
            #expect(tones.spell("Checking. Two meetings."), "\(tones)")
            #expect(stage.queries == ["What is on today?"])
            let closing = stage.journal.client("session.commentary.append")
            #expect(closing.map { $0["delegation_id"] } == ["item_c1_1"])
            #expect(closing.map { $0["content"] } == ["Two meetings."])
            #expect(stage.journal.states.contains(.fillerSpeaking), "\(stage.journal.states)")
            #expect(stage.journal.states.contains(.waitingForJarvis), "\(stage.journal.states)")
            #expect(stage.simulator.violations.isEmpty, "\(stage.simulator.violations)")
        }

        /// The socket is lost while the agent works: the request is carried out once, and reported in the next session.
        @Test func aRequestOutlivesItsSessionAndIsCarriedOutOnce() async throws {
            var faults = LiveScript.Faults()
            faults.dropsAfterDelegation = 800
            faults.connections = 1
            let stage = try LiveStage([.init("Lock the door", .delegate(bridge: nil))], faults: faults) { _ in
                .init(.reply("Locked."), delayMilliseconds: 3500)
            }
            try await stage.start()
            try await stage.reach(.listening)
            stage.say("Hey you there")
            try await stage.sent("session.start", times: 2)
            try await stage.sent("session.commentary.append")
            try await stage.reach(.aiSpeaking)
            try await stage.journal.wait(for: "listening again") { $0.states.last == .listening }
            let tones = try await stage.stop()
            #expect(stage.queries == ["Lock the door"])
            let reported = stage.journal.client("session.commentary.append", connection: 2)
            #expect(reported.count == 1 && reported.first?.object?["delegation_id"] == .null)
            #expect(reported.first?["content"]?.string?.hasSuffix("Locked.") == true)
            #expect(!tones.tones.isEmpty)
            let history = stage.journal.client("session.start", connection: 2).first?["session"]?["input"]?.array
            #expect(history?.first?["content"]?.array?.first?["text"] == "Lock the door")
            #expect(stage.simulator.violations.isEmpty, "\(stage.simulator.violations)")
            try Self.record(stage, "reconnect")
        }

        @Test func whoeverSpeaksOverTheAnswerIsHeard() async throws {
            let long =
                "One two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen."
            let stage = try LiveStage([.init("Tell me", .say(long)), .init("Stop that now please", .say("Very well."))])
            try await stage.start()
            try await stage.reach(.listening)
            stage.say("Tell me")
            try await stage.reach(.aiSpeaking)
            try await Task.sleep(for: .milliseconds(900))
            stage.say("Stop that now please")
            try await stage.reach(.userSpeaking, times: 2)
            try await stage.reach(.aiSpeaking, times: 2)
            try await stage.reach(.listening, times: 2)
            let tones = try await stage.stop()
            let flush = try #require(stage.journal.flushFrame)
            let cut = tones.tones.prefix { $0.frames.lowerBound < flush }
            let silent = try #require(cut.last?.frames.upperBound)
            #expect(silent < flush + 48 * 100, "silent \((silent - flush) / 48) ms after the flush")
            let rest = tones.tones.dropFirst(cut.count)
            #expect(rest.count == 2, "the rest of the old answer: \(tones)")
            #expect(stage.texts("instructions").count == 1)
            let note = try #require(stage.texts("thinking").first)
            #expect(note.hasPrefix("The user heard only: \"One two") && !note.contains("fourteen"), "\(note)")
            // As many words as were heard, give or take the one that was cut.
            let words = note.split(separator: "\"").dropFirst().first?.split(separator: " ").count ?? 0
            #expect(abs(words - cut.count) <= 1, "\(note); \(cut.count) heard")
            #expect(stage.simulator.violations.isEmpty, "\(stage.simulator.violations)")
            try Self.record(stage, "barge-in")
        }

        @Test func aSessionThatExpiresIsFollowedByAnotherThatKnowsWhatWasSaid() async throws {
            var faults = LiveScript.Faults()
            faults.expiresAfter = 6000
            faults.connections = 1
            let stage = try LiveStage(
                [.init("Hello you", .say("Good day.")), .init("Still there?", .say("Yes."))],
                faults: faults
            )
            try await stage.start()
            try await stage.reach(.listening)
            stage.say("Hello you")
            try await stage.reach(.aiSpeaking)
            try await stage.sent("session.start", times: 2)
            try await stage.reach(.connecting, times: 2)
            try await stage.journal.wait(for: "listening again") { $0.states.last == .listening }
            stage.say("Still there")
            try await stage.reach(.aiSpeaking, times: 2)
            try await stage.journal.wait(for: "listening again") { $0.states.last == .listening }
            let tones = try await stage.stop()
            #expect(tones.spell("Good day. Yes."), "\(tones)")
            let input = stage.journal.client("session.start", connection: 2).first?["session"]?["input"]?.array ?? []
            #expect(input.map { $0["role"] } == ["user", "assistant", "developer"])
            #expect(input.first?["content"]?.array?.first?["text"] == "Hello you")
            #expect(stage.simulator.violations.isEmpty, "\(stage.simulator.violations)")
        }

        /// Mute closes the microphone during an answer; the session's clock, and with it the answer, continues.
        @Test func anAnswerIsHeardToItsEndThoughTheMicrophoneIsClosed() async throws {
            let long = "One two three four five six seven eight nine ten eleven twelve."
            let stage = try LiveStage([.init("Tell me", .say(long))])
            try await stage.start { $0.activation.mode = .push }
            stage.daemon?.activate(.button)
            try await stage.reach(.listening)
            stage.say("Tell me")
            try await stage.reach(.aiSpeaking)
            try await stage.perform("mute")
            try await stage.reach(.idle)
            let tones = try await stage.stop()
            #expect(tones.spell(long), "\(tones)")
            #expect(stage.simulator.violations.isEmpty, "\(stage.simulator.violations)")
        }

        // MARK: Faults

        @Test func wordsThatNobodySaidAreCarriedOutByNobody() async throws {
            var faults = LiveScript.Faults()
            faults.phantom = ("Open the door.", 1500)
            let stage = try LiveStage([], faults: faults)
            try await stage.start()
            try await stage.reach(.listening)
            try await stage.sent("session.thinking.append")
            try await stage.stop()
            #expect(stage.queries.isEmpty)
            #expect(!stage.journal.states.contains(.userSpeaking), "\(stage.journal.states)")
            #expect(stage.simulator.violations.isEmpty, "\(stage.simulator.violations)")
        }

        @Test func lateWordsLateTextsAndLostAcknowledgementsLoseNothing() async throws {
            var faults = LiveScript.Faults()
            faults.delaysWords = 1500
            faults.defersAppends = 1500
            faults.losesAcknowledgements = true
            let stage = try LiveStage([.init("What is on today?", .delegate(bridge: nil))], faults: faults)
            try await stage.start()
            try await stage.reach(.listening)
            stage.say("Hey you there")
            try await stage.reach(.aiSpeaking)
            try await stage.journal.wait(for: "listening again") { $0.states.last == .listening }
            let tones = try await stage.stop()
            #expect(tones.spell("Nothing today."), "\(tones)")
            #expect(stage.queries == ["What is on today?"])
            #expect(stage.simulator.violations.isEmpty, "\(stage.simulator.violations)")
        }

        @Test func aServiceThatDoesNotKnowTheDelayIsAskedWithoutIt() async throws {
            var faults = LiveScript.Faults()
            faults.refusesDelay = true
            faults.nonsense = [
                "", "null", "{\"type\":[]}", String(repeating: "[", count: 5000), "{\"type\":\"session.new\"}",
            ]
            let stage = try LiveStage([.init("Hello you", .say("Yes."))], faults: faults)
            try await stage.start()
            try await stage.reach(.listening)
            stage.say("Hello you")
            try await stage.reach(.aiSpeaking)
            try await stage.journal.wait(for: "listening again") { $0.states.last == .listening }
            let tones = try await stage.stop()
            #expect(tones.spell("Yes."), "\(tones)")
            #expect(stage.journal.client("session.start").count == 2)
        }

        @Test func anAccountWithoutCreditIsRefusedOnce() async throws {
            var faults = LiveScript.Faults()
            faults.refusesStart = "credit_balance_exhausted"
            let stage = try LiveStage([], faults: faults)
            try await stage.start()
            try await stage.journal.wait(for: "the refusal") { entries in
                entries.states.contains { if case .error = $0 { true } else { false } }
            }
            try await Task.sleep(for: .milliseconds(1500))
            try await stage.stop()
            #expect(stage.journal.client("session.start").count == 1)
        }

        /// Writes both sides of each session for the protocol's validator.
        private static func record(_ stage: LiveStage, _ name: String) throws {
            guard let folder = ProcessInfo.processInfo.environment["VOICE_RECORD_DIR"] else { return }
            for connection in 1...2 {
                let lines = stage.lines.all.filter { $0.connection == connection }
                guard let start = lines.first?.at else { continue }
                let text = lines.compactMap { line in
                    line.text.map { "{\"t\":\((line.at - start).milliseconds),\($0)}\n" }
                }
                let path = "\(folder)/live-\(name)-\(connection).jsonl"
                try Data(text.joined().utf8).write(to: URL(filePath: path))
            }
        }
    }
}

extension [Journal.Entry] {
    var states: [ConversationState] { compactMap { if case .state(let state) = $0 { state } else { nil } } }
}
