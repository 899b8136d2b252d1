import SimulatedDatagrid
import Testing
import VoiceSimulator

@testable import StageSupport
@testable import TestSupport
@testable import VoiceActivation
@testable import VoiceBase
@testable import VoiceConversation
@testable import VoiceCore

extension EndToEnd {
    /// The daemon and a simulated Datagrid Voice, in real time.
    @Suite struct DatagridTests {
        @Test(arguments: [true, false]) func turnIsSpokenWordForWord(handsOff: Bool) async throws {
            let answer = "Good morning, it is nine."
            let stage = try DatagridStage([.init("Hello you", .work(tool: "clock", milliseconds: 300, then: answer))])
            try await stage.start(handsOff: handsOff) { $0.log.transcripts = true }
            try await stage.reach(.listening)
            stage.say("Hello you")
            try await stage.reach(.aiSpeaking)
            try await stage.reach(.listening, times: 2)
            let tones = try await stage.stop()
            #expect(tones.spell(answer), "\(tones)")
            #expect(stage.queries.isEmpty, "its tools are its own")
            #expect(stage.sent == ["start", "stop"])
            #expect(stage.simulator.violations.isEmpty, "\(stage.simulator.violations)")
            let log = stage.log.lines
            #expect(log.contains { $0.contains("the service uses a tool") && $0.contains("clock") })
            #expect(log.count { $0.contains("Jarvis and the tools of this box are not asked") } == 1)
            #expect(log.contains { $0.contains("Hello you") } && log.contains { $0.contains(answer) })
            #expect(stage.leaks.isEmpty, "\(stage.leaks)")
            #expect(stage.journal.states.last == .idle)
        }

        @Test func talkerOverTheAnswerIsHeard() async throws {
            let long =
                "One two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen."
            let stage = try DatagridStage([
                .init("Tell me", .say(long)), .init("Stop that now please", .say("Very well.")),
            ])
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
            #expect(tones.tones.dropFirst(cut.count).count == 2, "the rest of the old answer: \(tones)")
            #expect(stage.sent.count { $0 == "interrupt" } == 1)
            #expect(stage.simulator.violations.isEmpty, "\(stage.simulator.violations)")
        }

        @Test func answerCutByTheServiceIsSilentImmediately() async throws {
            var faults = DatagridScript.Faults()
            faults.interruptsItselfAfter = 600
            let long = "One two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen."
            let stage = try DatagridStage([.init("Tell me", .say(long))], faults: faults)
            try await stage.start()
            try await stage.reach(.listening)
            stage.say("Tell me")
            try await stage.reach(.aiSpeaking)
            try await stage.reach(.listening, times: 2)
            let tones = try await stage.stop()
            #expect((1...8).contains(tones.tones.count), "\(tones)")
            #expect(!stage.sent.contains("interrupt"))
        }

        /// The socket is lost in the middle of an answer: the conversation continues in the next session.
        @Test func lostConnectionResumesTheConversation() async throws {
            var faults = DatagridScript.Faults()
            faults.dropsAfterAnswer = 200
            faults.connections = 1
            let stage = try DatagridStage(
                [.init("Hello you", .say("One two three.")), .init("Still there?", .say("Yes."))], faults: faults
            )
            try await stage.start()
            try await stage.reach(.listening)
            stage.say("Hello you")
            try await stage.sent("start", times: 2)
            try await stage.journal.wait(for: "the next session") {
                $0.states.last == .listening && $0.count(.connecting) > 1
            }
            // What was received of the first answer is played to its end in the next session.
            let spoken = stage.journal.entries.count(.aiSpeaking)
            stage.say("Still there")
            try await stage.reach(.aiSpeaking, times: spoken + 1)
            try await stage.journal.wait(for: "listening again") { $0.states.last == .listening }
            let tones = try await stage.stop()
            #expect(stage.conversations == [nil, "conv_1"])
            let last = try #require(tones.tones.last?.frequency)
            #expect(abs(last - SpokenVoice.markerFrequency("Yes")) < 10, "\(tones)")
            #expect(stage.log.lines.contains { $0.contains("connection lost") })
            #expect(stage.leaks.isEmpty, "\(stage.leaks)")
            #expect(stage.simulator.violations.isEmpty, "\(stage.simulator.violations)")
        }

        @Test func forgottenConversationStartsAfresh() async throws {
            var faults = DatagridScript.Faults()
            faults.forgetsConversations = true
            let stage = try DatagridStage([.init("Hello you", .say("Yes."))], faults: faults)
            try await stage.start { $0.activation.mode = .push }
            for times in 1...2 {
                stage.daemon?.activate(.button)
                try await stage.reach(.listening, times: times)
                try await stage.perform("mute")
                try await stage.journal.wait(for: "idle") { $0.states.last == .idle }
                try await stage.perform("unmute")
            }
            try await stage.stop()
            #expect(stage.conversations == [nil, "conv_1", nil])
            #expect(!stage.journal.states.contains { if case .error = $0 { true } else { false } })
        }

        /// Typed questions go to the agent as the user's words; given words would be answered instead of spoken.
        @Test func typedQuestionIsAnsweredButTextToSpeakIsRefused() async throws {
            let stage = try DatagridStage([.init("", .say("Two meetings."))])
            try await stage.start()
            try await stage.reach(.listening)
            await #expect(throws: ControlProblem.self) { try await stage.perform("say", "Dinner is ready.") }
            try await stage.perform("ask", "What is on today?")
            try await stage.reach(.aiSpeaking)
            try await stage.reach(.listening, times: 2)
            let tones = try await stage.stop()
            #expect(tones.spell("Two meetings."), "\(tones)")
            #expect(stage.sent == ["start", "text", "stop"])
            #expect(stage.journal.client("text").map { $0["payload"]?["text"] } == ["What is on today?"])
            #expect(stage.simulator.violations.isEmpty, "\(stage.simulator.violations)")
        }

        // MARK: Faults

        @Test(arguments: [true, false]) func refusedKeyIsReportedOnce(handsOff: Bool) async throws {
            let stage = try DatagridStage([])
            try await stage.start(key: "dg_wrong_canary", handsOff: handsOff)
            try await stage.journal.wait(for: "the refusal") { entries in
                entries.states.contains { if case .error = $0 { true } else { false } }
            }
            try await Task.sleep(for: .milliseconds(1500))
            try await stage.stop()
            #expect(stage.log.lines.count { $0.contains("refuses the connection") && $0.contains("401") } == 1)
            #expect(stage.leaks.isEmpty, "\(stage.leaks)")
            #expect(stage.journal.client("start").isEmpty)
        }

        /// The token of a hand-off is refused, its key was not: another hand-off brings another token.
        @Test func expiredTokenIsReplaced() async throws {
            var faults = DatagridScript.Faults()
            faults.expiredTokens = 60
            let stage = try DatagridStage([.init("Hello you", .say("Yes."))], faults: faults)
            try await stage.start(isPatient: false)
            try await stage.reach(.listening)
            let states = stage.journal.states
            stage.say("Hello you")
            try await stage.reach(.aiSpeaking)
            try await stage.stop()
            #expect(!states.contains { if case .error = $0 { true } else { false } }, "\(states)")
            #expect(stage.log.lines.contains { $0.contains("connection lost") }, "no token was refused")
            #expect(!stage.log.lines.contains { $0.contains("refuses the connection") })
            #expect(stage.leaks.isEmpty, "\(stage.leaks)")
        }

        /// The store behind the hand-off is down: the key itself opens the session.
        @Test func outageOfTheHandOffUsesTheDirectWay() async throws {
            var faults = DatagridScript.Faults()
            faults.handoffStatus = 503
            let stage = try DatagridStage([.init("Hello you", .say("Yes."))], faults: faults)
            try await stage.start()
            try await stage.reach(.listening)
            stage.say("Hello you")
            try await stage.reach(.aiSpeaking)
            try await stage.reach(.listening, times: 2)
            let tones = try await stage.stop()
            #expect(tones.spell("Yes."), "\(tones)")
            #expect(stage.log.lines.contains { $0.contains("the hand-off at /v1/voice failed (HTTP status 503)") })
            #expect(stage.leaks.isEmpty, "\(stage.leaks)")
        }

        @Test func refusedStartQuotesNoKey() async throws {
            var faults = DatagridScript.Faults()
            faults.refusesStart = "No session for ws://h/ws/voice?token=\(DatagridStage.key)."
            let stage = try DatagridStage([], faults: faults)
            try await stage.start()
            try await stage.journal.wait(for: "the refusal") { entries in
                entries.states.contains { if case .error = $0 { true } else { false } }
            }
            try await stage.stop()
            #expect(stage.log.lines.contains { $0.contains("No session for") })
            #expect(!stage.log.lines.contains { $0.contains("canary") }, "\(stage.log.lines)")
        }

        @Test func nonsenseBinaryFramesAndASilentEndLoseNothing() async throws {
            var faults = DatagridScript.Faults()
            faults.sendsBinary = true
            faults.ignoresStop = true
            faults.phantom = ("Open the door.", 100)
            faults.nonsense = ["", "null", "{\"type\":[]}", String(repeating: "[", count: 5000), "{\"type\":\"new\"}"]
            let stage = try DatagridStage([.init("Hello you", .say("Yes."))], faults: faults)
            try await stage.start { $0.activation.mode = .push }
            stage.daemon?.activate(.button)
            try await stage.reach(.listening)
            stage.say("Hello you")
            try await stage.reach(.aiSpeaking)
            try await stage.reach(.listening, times: 2)
            try await stage.perform("mute")
            try await stage.reach(.idle)
            // The service does not report that it has ended.
            try await stage.journal.wait(for: "the close") { entries in
                entries.contains { if case .wire(.closing) = $0 { true } else { false } }
            }
            let tones = try await stage.stop()
            #expect(tones.spell("Yes."), "\(tones)")
            #expect(stage.journal.closeCodes == [1000])
        }

        @Test func errorDuringAnAnswerOpensAnotherSession() async throws {
            var faults = DatagridScript.Faults()
            faults.error = ("model_error", "The model is gone.", 500)
            faults.connections = 1
            let stage = try DatagridStage([.init("Hello you", .say("Yes."))], faults: faults)
            try await stage.start()
            try await stage.sent("start", times: 2)
            try await stage.journal.wait(for: "listening again") { $0.states.last == .listening }
            stage.say("Hello you")
            try await stage.reach(.aiSpeaking)
            try await stage.journal.wait(for: "listening again") { $0.states.last == .listening }
            let tones = try await stage.stop()
            #expect(tones.spell("Yes."), "\(tones)")
            #expect(stage.conversations == [nil, "conv_1"])
            #expect(stage.log.lines.contains { $0.contains("The model is gone.") })
        }
    }
}
