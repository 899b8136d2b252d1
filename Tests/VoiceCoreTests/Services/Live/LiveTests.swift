import FoundationEssentials
import SimulatedLive
import Testing
import VoiceSimulator

@testable import StageSupport
@testable import TestSupport
@testable import VoiceActivation
@testable import VoiceBase
@testable import VoiceConversation
@testable import VoiceCore

extension EndToEnd {
    /// The daemon and a simulated GPT-Live, in real time.
    @Suite struct LiveTests {
        @Test func plainTurnIsSpokenWordForWord() async throws {
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

        @Test func requestReachesTheAgentOnceAndItsAnswerIsSpoken() async throws {
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
        @Test func requestSurvivesItsSessionAndRunsOnce() async throws {
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

        @Test func talkerOverTheAnswerIsHeard() async throws {
            let long =
                "One two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen."
            let stage = try LiveStage([.init("Tell me", .say(long)), .init("Wait a moment please", .say("Very well."))])
            try await stage.start()
            try await stage.reach(.listening)
            stage.say("Tell me")
            try await stage.reach(.aiSpeaking)
            try await Task.sleep(for: .milliseconds(900))
            stage.say("Wait a moment please")
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

        @Test func expiredSessionIsReplacedWithItsHistory() async throws {
            var faults = LiveScript.Faults()
            faults.expiresAfter = 6000
            faults.connections = 1
            let stage = try LiveStage(
                [.init("Hello you", .say("Good day.")), .init("Still there?", .say("Yes."))], faults: faults
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
        @Test func answerPlaysToItsEndAfterMute() async throws {
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

        // MARK: Greeting

        /// The greeting is the first thing that sounds. What the service believes to hear meanwhile is not a turn.
        @Test func phantomWordsDuringAGreetingAreNotATurn() async throws {
            let greeting = "Good evening to you all."
            var faults = LiveScript.Faults()
            faults.phantom = ("Good evening to you.", 2600)
            let stage = try LiveStage([], faults: faults)
            try await stage.start {
                $0.activation.mode = .push
                $0.activation.greeting = greeting
            }
            stage.daemon?.activate(.button)
            try await stage.reach(.aiSpeaking)
            try await stage.journal.wait(for: "listening again") { $0.states.last == .listening }
            try await stage.sent("session.thinking.append")
            let tones = try await stage.stop()
            #expect(tones.spell(greeting), "\(tones)")
            #expect(!stage.journal.states.contains(.userSpeaking), "\(stage.journal.states)")
            #expect(stage.queries.isEmpty)
        }

        @Test func talkerOverTheGreetingHasATurn() async throws {
            let greeting = "One two three four five six seven eight nine ten eleven twelve."
            let stage = try LiveStage([.init("Wait a moment please", .say("Very well."))])
            try await stage.start {
                $0.activation.mode = .push
                $0.activation.greeting = greeting
            }
            stage.daemon?.activate(.button)
            try await stage.reach(.aiSpeaking)
            try await Task.sleep(for: .milliseconds(700))
            stage.say("Wait a moment please")
            try await stage.reach(.userSpeaking)
            try await stage.reach(.aiSpeaking, times: 2)
            try await stage.journal.wait(for: "listening again") { $0.states.last == .listening }
            let tones = try await stage.stop()
            #expect(tones.tones.count < 12, "the greeting went on: \(tones)")
            #expect(stage.journal.states.filter { $0 == .userSpeaking }.count == 1, "\(stage.journal.states)")
        }

        // MARK: Orders and permissions

        private static func approval(of command: String) -> SimulatedJSON {
            [
                "approval_id": "appr_1", "title": "Delete photos", "path": .string(command), "is_shell": true,
                "options": [
                    ["index": 0, "label": "Once", "choice": "once"], ["index": 1, "label": "Deny", "choice": "deny"],
                ],
            ]
        }

        /// The replies that the agent got to its question.
        private static func replies(
            _ turns: [LiveScript.Turn],
            interrupts: Bool = false
        ) async throws -> [SimulatedJSON] {
            // A question is known once its half has been heard. If it is to be cut off before that, even on a machine that
            // stalls for a second, it has to be long.
            let command = "rm -r photos" + (interrupts ? " of the summer by the sea and of every year before it" : "")
            let agent = RunningAgent(token: Stage.token) { _ in [.approve(approval(of: command)), .say("Done.")] }
            let port = try await agent.start()
            let stage = try LiveStage(
                [.init("Clean up", .delegate(bridge: nil))] + turns,
                adjustScript: { $0.repliesAfter = -200 }
            )
            try await stage.start {
                $0.jarvis.url = "http://127.0.0.1:\(port)/ui"
                $0.jarvis.api = .responses
            }
            try await stage.reach(.listening)
            stage.say("Hey you there")
            try await stage.reach(.aiSpeaking)
            if !interrupts { try await stage.journal.wait(for: "the question") { $0.states.last == .listening } }
            try await Task.sleep(for: .milliseconds(interrupts ? 300 : 500))
            for turn in 1...turns.count {
                let heard = stage.journal.entries.count(.userSpeaking)
                // Exactly the words of the transcript: a reply whose words end long before its sound does is incomplete.
                stage.say(turns[turn - 1].words)
                try await stage.reach(.userSpeaking, times: heard + 1)
                if turn < turns.count { try await Task.sleep(for: .seconds(2)) }
            }
            // A busy machine takes longer than three seconds to a reply; whether another comes is known after those.
            let deadline = Monotonic.now() + .seconds(interrupts ? 3 : 20)
            while interrupts || agent.replies.isEmpty, Monotonic.now() < deadline {
                try await Task.sleep(for: .milliseconds(50))
            }
            try await Task.sleep(for: .milliseconds(500))
            try await stage.stop()
            await agent.stop()
            return agent.replies
        }

        /// Handed over, ignored, or replied to before its words are there.
        @Test(arguments: [LiveScript.Action.nothing, .delegate(bridge: nil), .say("All right.")])
        func aYesAfterTheQuestionAllows(action: LiveScript.Action) async throws {
            let replies = try await Self.replies([.init("Yes", action)])
            #expect(replies == [["approval_id": "appr_1", "choice": 0]], "\(replies)")
        }

        @Test func aNoDenies() async throws {
            let replies = try await Self.replies([.init("No", .nothing)])
            #expect(replies == [["approval_id": "appr_1", "cancelled": true]], "\(replies)")
        }

        /// A yes that cuts the question off was given before the question was known. One word alone would be too short to
        /// interrupt.
        @Test func aYesIntoTheQuestionAllowsNothing() async throws {
            let replies = try await Self.replies([.init("Yes please do", .nothing)], interrupts: true)
            #expect(!replies.contains(["approval_id": "appr_1", "choice": 0]), "\(replies)")
        }

        /// Ignored, or replied to before its words are there.
        @Test(arguments: [LiveScript.Action.nothing, .say("Very well.")])
        func anOrderNeedsNoModel(action: LiveScript.Action) async throws {
            let stage = try LiveStage([.init("Mute", action)], adjustScript: { $0.repliesAfter = -200 })
            try await stage.start()
            try await stage.reach(.listening)
            stage.say("Hey you there")
            try await stage.reach(.idle)
            try await stage.stop()
            #expect(stage.queries.isEmpty)
        }

        // MARK: Faults

        /// The service no longer hears the box: the box sees it by the session's clock and opens another session.
        @Test func frozenClockOpensAnotherSession() async throws {
            var faults = LiveScript.Faults()
            faults.freezesAt = 1000
            faults.connections = 1
            let turns = [LiveScript.Turn("Hello you", .say("Yes."))]
            let stage = try LiveStage(turns, faults: faults, adjustScript: { $0.usageEvery = 1000 })
            try await stage.start()
            try await stage.sent("session.start", times: 2)
            try await stage.journal.wait(for: "listening again") {
                $0.states.last == .listening && $0.count(.connecting) > 1
            }
            stage.say("Hello you")
            try await stage.reach(.aiSpeaking)
            try await stage.journal.wait(for: "listening again") { $0.states.last == .listening }
            let tones = try await stage.stop()
            #expect(tones.spell("Yes."), "\(tones)")
            #expect(stage.log.lines.contains { $0.contains("clock stands still") })
        }

        @Test func phantomWordsAreNotExecuted() async throws {
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

        @Test func lateAndLostMessagesLoseNothing() async throws {
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

        /// Its JSON comes in binary frames as well.
        @Test func delaySettingIsDroppedIfTheServiceRefusesIt() async throws {
            var faults = LiveScript.Faults()
            faults.refusesDelay = true
            faults.sendsBinary = true
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

        @Test func accountWithoutCreditIsReportedOnce() async throws {
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
