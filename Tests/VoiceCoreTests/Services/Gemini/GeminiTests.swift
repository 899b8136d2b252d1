import SimulatedGemini
import Testing
import VoiceSimulator

@testable import StageSupport
@testable import TestSupport
@testable import VoiceActivation
@testable import VoiceBase
@testable import VoiceConversation
@testable import VoiceCore
@testable import VoiceGemini

extension EndToEnd {
    /// The daemon and a simulated Gemini Live, in real time.
    @Suite struct GeminiTests {
        private static let long =
            "One two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen."

        @Test(arguments: [false, true]) func spokenTurnIsAnswered(inBinaryFrames: Bool) async throws {
            var faults = GeminiScript.Faults()
            faults.sendsBinary = inBinaryFrames
            faults.nonsense = [
                "", "null", "{\"serverContent\":[]}", String(repeating: "[", count: 5000), "{\"later\":1}",
            ]
            let answer = "Good morning, it is nine."
            let stage = try GeminiStage([.init("Hello you", .say(answer))], faults: faults)
            try await stage.start { $0.log.transcripts = true }
            try await stage.reach(.listening)
            stage.say("Hello you")
            try await stage.reach(.aiSpeaking)
            try await stage.reach(.listening, times: 2)
            let tones = try await stage.stop()
            #expect(tones.spell(answer), "\(tones)")
            #expect(stage.simulator.violations.isEmpty, "\(stage.simulator.violations)")
            let log = stage.log.lines
            #expect(log.contains { $0.contains("Hello you") } && log.contains { $0.contains(answer) })
            #expect(log.count { $0.contains("gemini.paid = true") } == 1, "\(log)")
            #expect(stage.leaks.isEmpty, "\(stage.leaks)")
            try stage.record("turn-\(inBinaryFrames)")
        }

        @Test func lateAnswerIsSpokenInSilence() async throws {
            let stage = try GeminiStage([.init("What is on today?", .ask(["What is on today?"], bridge: "One moment."))]
            ) { _ in
                .init(.reply("Two meetings and lunch."), delayMilliseconds: 2500)
            }
            try await stage.start()
            try await stage.reach(.listening)
            stage.say("What is on today")
            try await stage.reach(.waitingForJarvis)
            try await stage.received("toolResponse")
            try await stage.reach(.aiSpeaking)
            try await stage.journal.wait(for: "listening again") { $0.states.last == .listening }
            let tones = try await stage.stop()
            #expect(tones.spell("One moment. Two meetings and lunch."), "\(tones)")
            #expect(stage.queries == ["What is on today?"])
            #expect(stage.answers.map { $0["scheduling"] } == ["WHEN_IDLE"])
            #expect(stage.texts.isEmpty)
            #expect(stage.simulator.violations.isEmpty, "\(stage.simulator.violations)")
            try stage.record("late")
        }

        @Test func userOverAnAnswerIsHeard() async throws {
            let stage = try GeminiStage([
                .init("Tell me", .say(Self.long)), .init("Stop that now please", .say("Very well.")),
            ])
            try await stage.start()
            try await stage.reach(.listening)
            stage.say("Tell me")
            try await stage.reach(.aiSpeaking)
            try await Task.sleep(for: .milliseconds(900))
            stage.say("Stop that now please")
            try await stage.reach(.userSpeaking, times: 2)
            try await stage.reach(.aiSpeaking, times: 2)
            try await stage.journal.wait(for: "listening again") { $0.states.last == .listening }
            let tones = try await stage.stop()
            let flush = try #require(stage.journal.flushFrame)
            let cut = tones.tones.prefix { $0.frames.lowerBound < flush }
            let silent = try #require(cut.last?.frames.upperBound)
            #expect(silent < flush + 48 * 100, "silent \((silent - flush) / 48) ms after the flush")
            #expect(tones.tones.dropFirst(cut.count).count == 2, "the rest of the old answer: \(tones)")
            #expect(stage.simulator.violations.isEmpty, "\(stage.simulator.violations)")
            try stage.record("barge")
        }

        /// The socket is lost while Jarvis works: the session is resumed, its call closed first, and the answer told as text.
        @Test func lostSessionIsResumedAndTheAnswerStillTold() async throws {
            var faults = GeminiScript.Faults()
            faults.dropsAfterCall = 400
            faults.connections = 1
            let stage = try GeminiStage(
                [.init("What is on today?", .ask(["What is on today?"], bridge: nil))],
                faults: faults
            ) { _ in .init(.reply("Two meetings."), delayMilliseconds: 4000) }
            try await stage.start()
            try await stage.reach(.listening)
            stage.say("What is on today")
            try await stage.received("setup", times: 2)
            try await stage.received("clientContent")
            try await stage.reach(.aiSpeaking)
            try await stage.journal.wait(for: "listening again") { $0.states.last == .listening }
            let tones = try await stage.stop()
            #expect(tones.spell("Two meetings."), "\(tones)")
            #expect(stage.queries.count == 1)
            #expect(stage.sent("setup").last?["sessionResumption"]?["handle"]?.string?.hasPrefix("handle-1") == true)
            #expect(stage.answers.count == 1 && stage.answers[0]["response"]?["error"] != nil)
            #expect(stage.texts.count == 1 && stage.texts[0].contains("Two meetings."))
            #expect(stage.simulator.violations.isEmpty, "\(stage.simulator.violations)")
            try stage.record("resumed")
        }

        @Test func refusedResumptionFallsBackToHistory() async throws {
            var faults = GeminiScript.Faults()
            faults.closes = (1011, "Deadline expired before operation could complete.", 3500)
            faults.refusesResumption = true
            faults.connections = 2
            let stage = try GeminiStage(
                [.init("Hello you", .say("Yes.")), .init("Still there?", .say("Of course."))], faults: faults
            )
            try await stage.start()
            try await stage.reach(.listening)
            stage.say("Hello you")
            try await stage.reach(.aiSpeaking)
            try await stage.received("setup", times: 3)
            try await stage.journal.wait(for: "the next session") { $0.states.last == .listening }
            let spoken = stage.journal.entries.count(.aiSpeaking)
            stage.say("Still there")
            try await stage.reach(.aiSpeaking, times: spoken + 1)
            try await stage.journal.wait(for: "listening again") { $0.states.last == .listening }
            try await stage.stop()
            let third = try #require(stage.sent("setup").last)
            #expect(third["sessionResumption"]?["handle"] == nil && third["historyConfig"] != nil)
            #expect(stage.sent("clientContent").first?["turns"]?.array?.count ?? 0 >= 2, "the history")
            #expect(stage.simulator.violations.isEmpty, "\(stage.simulator.violations)")
            try stage.record("history")
        }

        /// The service announces the end of its connection: the next session takes over in a quiet moment.
        @Test func connectionThatIsAboutToEndIsReplacedBeside() async throws {
            var faults = GeminiScript.Faults()
            faults.goesAwayAfter = 2500
            faults.connections = 1
            let stage = try GeminiStage(
                [.init("Hello you", .say("Yes.")), .init("Still there?", .say("Of course."))], faults: faults
            )
            try await stage.start()
            try await stage.reach(.listening)
            stage.say("Hello you")
            try await stage.reach(.aiSpeaking)
            try await stage.received("setup", times: 2)
            try await stage.journal.wait(for: "the swap") { entries in
                entries.contains { if case .effect(.promote, _) = $0 { true } else { false } }
            }
            stage.say("Still there")
            try await stage.reach(.aiSpeaking, times: 2)
            try await stage.journal.wait(for: "listening again") { $0.states.last == .listening }
            let tones = try await stage.stop()
            #expect(tones.spell("Yes. Of course."), "\(tones)")
            #expect(!stage.log.lines.contains { $0.contains("connection lost") })
            #expect(stage.simulator.violations.isEmpty, "\(stage.simulator.violations)")
            try stage.record("replaced", overlap: true)
        }

        @Test func refusedSchedulingIsLeftOutAndTheAnswerTold() async throws {
            var faults = GeminiScript.Faults()
            faults.refusesScheduling = true
            let stage = try GeminiStage(
                [
                    .init("What is on today?", .ask(["What is on today?"], bridge: nil)),
                    .init("And tomorrow?", .ask(["And tomorrow?"], bridge: nil)),
                ],
                faults: faults
            ) { _ in .init(.reply("Two meetings.")) }
            try await stage.start()
            try await stage.reach(.listening)
            stage.say("What is on today")
            try await stage.received("setup", times: 2)
            try await stage.reach(.aiSpeaking)
            try await stage.journal.wait(for: "listening again") { $0.states.last == .listening }
            let spoken = stage.journal.entries.count(.aiSpeaking)
            stage.say("And tomorrow")
            try await stage.reach(.aiSpeaking, times: spoken + 1)
            try await stage.journal.wait(for: "listening again") { $0.states.last == .listening }
            let tones = try await stage.stop()
            #expect(tones.spell("Two meetings. Two meetings."), "\(tones)")
            #expect(stage.answers.last.map { $0["scheduling"] == nil } == true)
            #expect(stage.sent("setup").count == 2, "refused once")
            #expect(stage.queries.count == 2)
            try stage.record("unscheduled")
        }

        @Test func withdrawnCallRunsToItsEndAndIsToldAsText() async throws {
            var faults = GeminiScript.Faults()
            faults.withdrawsAfter = 100
            let stage = try GeminiStage(
                [.init("Lock the door.", .ask(["Lock the door."], bridge: nil))],
                faults: faults
            ) { _ in .init(.reply("The door is locked."), delayMilliseconds: 800) }
            try await stage.start()
            try await stage.reach(.listening)
            stage.say("Lock the door")
            try await stage.reach(.aiSpeaking)
            try await stage.journal.wait(for: "listening again") { $0.states.last == .listening }
            let tones = try await stage.stop()
            #expect(tones.spell("The door is locked."), "\(tones)")
            #expect(stage.answers.isEmpty && stage.queries.count == 1)
            #expect(stage.simulator.violations.isEmpty, "\(stage.simulator.violations)")
            try stage.record("withdrawn")
        }

        @Test func givenWordsAndTypedQuestionsAreSpoken() async throws {
            let stage = try GeminiStage([.init("", .ask(["What is on today?"], bridge: nil))]) { _ in
                .init(.reply("Two meetings."))
            }
            try await stage.start()
            try await stage.reach(.listening)
            try await stage.perform("say", "Dinner is ready.")
            try await stage.reach(.aiSpeaking)
            try await stage.reach(.listening, times: 2)
            try await stage.perform("ask", "What is on today?")
            try await stage.reach(.aiSpeaking, times: 2)
            try await stage.journal.wait(for: "listening again") { $0.states.last == .listening }
            let tones = try await stage.stop()
            #expect(tones.spell("Dinner is ready. Two meetings."), "\(tones)")
            #expect(stage.texts == ["[Say exactly this, and nothing else: Dinner is ready.]", "What is on today?"])
            #expect(stage.simulator.violations.isEmpty, "\(stage.simulator.violations)")
            try stage.record("texts")
        }

        @Test func microphoneMutedDuringARequestSendsSilenceUntilTheAnswer() async throws {
            let stage = try GeminiStage([.init("What is on today?", .ask(["What is on today?"], bridge: nil))]) { _ in
                .init(.reply("Two meetings."), delayMilliseconds: 3500)
            }
            try await stage.start()
            try await stage.reach(.listening)
            stage.say("What is on today")
            try await stage.reach(.waitingForJarvis)
            try await stage.perform("mute")
            try await stage.reach(.aiSpeaking)
            try await stage.journal.wait(for: "the end") { $0.states.last == .idle }
            let tones = try await stage.stop()
            #expect(tones.spell("Two meetings."), "\(tones)")
            #expect(stage.simulator.violations.isEmpty, "\(stage.simulator.violations)")
        }

        @Test(
            arguments: [
                (1007, "API key expired. Please renew the API key.", "gemini.api_key_file"),
                (1008, "models/x is not found for API version v1beta", "gemini.model"),
            ]
        )
        func refusalIsToldOnceWithItsWayOut(code: Int, reason: String, way: String) async throws {
            var faults = GeminiScript.Faults()
            faults.refusesSetup = (code, reason)
            let stage = try GeminiStage([], faults: faults)
            try await stage.start()
            try await stage.journal.wait(for: "the refusal") { entries in
                entries.states.contains { if case .error = $0 { true } else { false } }
            }
            try await Task.sleep(for: .milliseconds(1500))
            try await stage.stop()
            #expect(stage.sent("setup").count == 1)
            #expect(stage.log.lines.count { $0.contains(way) } == 1, "\(stage.log.lines)")
        }

        @Test func spentQuotaPausesTheNextAttempt() async throws {
            var faults = GeminiScript.Faults()
            faults.closes = (1011, "You exceeded your current quota, please check your plan and billing details.", 400)
            let stage = try GeminiStage([], faults: faults)
            try await stage.start()
            try await stage.journal.wait(for: "the loss") { _ in
                stage.log.lines.contains { $0.contains("the quota of the Gemini key") }
            }
            try await Task.sleep(for: .milliseconds(2000))
            try await stage.stop()
            #expect(stage.sent("setup").count == 1)
        }

        @Test func wrongKeyIsRefusedOnce() async throws {
            let stage = try GeminiStage([])
            try await stage.start(key: "AIzaSyWrongCanary")
            try await stage.journal.wait(for: "the refusal") { entries in
                entries.states.contains { if case .error = $0 { true } else { false } }
            }
            try await Task.sleep(for: .milliseconds(1000))
            try await stage.stop()
            #expect(stage.simulator.attempts == 1)
            #expect(stage.log.lines.contains { $0.contains("gemini.api_key_file") })
            #expect(stage.leaks.isEmpty, "\(stage.leaks)")
        }
    }
}
