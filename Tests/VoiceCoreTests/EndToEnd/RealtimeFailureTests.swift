import Glibc
import Testing
import VoiceSimulator

@testable import StageSupport
@testable import TestSupport
@testable import VoiceBase
@testable import VoiceConversation
@testable import VoiceCore
@testable import VoiceNetwork
@testable import VoiceSession

extension EndToEnd {
    @Suite struct RealtimeFailureTests {
        @Test func badKeyIsReportedOnceAndNotRetried() async throws {
            let stage = try Stage([])
            try await stage.start(key: "sk-mistaken")
            try await stage.journal.wait(for: "an error") { entries in
                entries.contains { if case .state(.error) = $0 { true } else { false } }
            }
            // Longer than the first pauses of an ordinary reconnect.
            try await Task.sleep(for: .milliseconds(1600))
            try await stage.stop()
            let reason = try #require(
                stage.journal.states.compactMap { if case .error(let reason) = $0 { reason } else { nil } }.first
            )
            #expect(reason.contains("invalid_api_key"))
            #expect(stage.simulator.connectionCount == 1)
            #expect(stage.journal.states.count == 3, "\(stage.journal.states)")
            #expect(stage.log.lines.count { $0.contains("refuses the connection") && $0.contains("doctor") } == 1)
            #expect(!stage.log.lines.contains { $0.contains("sk-mistaken") })
        }

        @Test func sessionOpensAfterAnOutage() async throws {
            var faults = RealtimeFaults()
            faults.refuseStatus = 503
            faults.faultyConnections = 1
            let stage = try Stage([.say("Good morning.")], faults: faults)
            try await stage.start()
            try await stage.reach(.listening)
            stage.say("Hello")
            try await stage.reach(.listening, times: 2)
            let (tones, _) = try await stage.stop()
            #expect(tones.spell("Good morning."), "\(tones)")
            #expect(stage.log.lines.contains { $0.contains("503") && $0.contains("retry_in_ms=") })
        }

        @Test func connectionLostDuringTheAnswerIsReopened() async throws {
            let stage = try Stage([.say("One two three four five six seven eight."), .say("Never.")], speed: 2)
            try await stage.start()
            try await stage.reach(.listening)
            stage.say("Tell")
            try await stage.reach(.aiSpeaking)
            try await Task.sleep(for: .milliseconds(300))
            await stage.simulator.dropConnections()
            try await stage.reach(.listening, times: 2)
            stage.say("Again")
            try await stage.reach(.listening, times: 3)
            let (tones, _) = try await stage.stop()
            #expect(stage.simulator.connectionCount == 2)
            // What was received before is played, then the first answer of the new session.
            let again = "One two three four five six seven eight.".split(separator: " ")
                .map { SpokenVoice.markerFrequency($0) }
            #expect(tones.tones.suffix(8).map { ($0.frequency / 10).rounded() * 10 } == again, "\(tones)")
            #expect(stage.journal.client("session.update", connection: 2).count == 1)
        }

        @Test(.enabled(if: access("/usr/bin/espeak-ng", X_OK) == 0, "espeak-ng is not installed"))
        func espeakSpeaksTheAgentsAnswerWhereTheModelFails() async throws {
            let failure = ConversationScript.Action.fail(code: "server_error", message: "The server had an error.")
            let ask = ConversationScript.Action.callOnly(tool: "ask_jarvis", arguments: ["query": "What is on today?"])
            let stage = try Stage(
                [.init(transcript: "What is on today?", action: ask)], toOutputs: [failure],
                toRemarks: [failure, failure, failure]
            )
            try await stage.start(tune: {
                $0.addLastResort(Configuration())
                $0.conversation.retryPause = .milliseconds(100)
            })
            try await stage.reach(.listening)
            stage.say("Hello")
            try await stage.journal.wait(for: "the answer in the house") { entries in
                entries.contains { if case .effect(.answer("Nothing today."), _) = $0 { true } else { false } }
            }
            try await Task.sleep(for: .seconds(2))
            try await stage.stop()
            #expect(stage.samples.contains { abs($0) > 0.05 }, "nothing was heard")
        }

        /// The service has vanished silently: what was said to it is lost, and the user is informed and asked to repeat
        /// it.
        @Test(.enabled(if: access("/usr/bin/espeak-ng", X_OK) == 0, "espeak-ng is not installed"))
        func speechIntoADeadConnectionIsReportedAsLost() async throws {
            let stage = try Stage([.say("It is noon.")])
            try await stage.start(
                adjust: { $0.echo.mode = .auto },
                tune: { $0.service.request?.deadPeerLimit = .seconds(4) }
            )
            try await stage.reach(.listening)
            await stage.simulator.stallConnections()
            stage.say("What time is it in the kitchen?", voice: .natural)
            try await stage.reach(.listening, times: 2)
            let effects = stage.journal.entries.compactMap {
                if case .effect(let effect, _) = $0 { effect } else { nil }
            }
            #expect(!stage.journal.states.contains(.userSpeaking), "the service never heard of it")
            #expect(effects.count { $0 == .note(.questionLost(isAskedAgain: false)) } == 1)
            let tones = effects.compactMap { if case .play(let tone) = $0 { tone } else { nil } }
            #expect(tones == [.error, .listening], "lost, and then: say it again")
            #expect(stage.log.lines.contains { $0.contains("the connection is dead") })
            #expect(stage.log.lines.contains { $0.contains("the question is lost") })
            stage.say("What time is it in the kitchen?", voice: .natural)
            try await stage.reach(.listening, times: 3)
            let (heard, _) = try await stage.stop()
            #expect(heard.spell("It is noon."), "\(heard)")
        }

        /// No one spoke: nothing was missed, and there is no sound.
        @Test(.enabled(if: access("/usr/bin/espeak-ng", X_OK) == 0, "espeak-ng is not installed"))
        func idleDeadConnectionIsReplacedSilently() async throws {
            let stage = try Stage([])
            try await stage.start(
                adjust: { $0.echo.mode = .auto },
                tune: { $0.service.request?.deadPeerLimit = .seconds(2) }
            )
            try await stage.reach(.listening)
            await stage.simulator.stallConnections()
            try await stage.reach(.listening, times: 2)
            let effects = stage.journal.entries.compactMap {
                if case .effect(let effect, _) = $0 { effect } else { nil }
            }
            #expect(!effects.contains { if case .play = $0 { true } else { false } })
            try await stage.stop()
        }

        /// Nothing listens at the preferred service's address.
        @Test func substituteServiceAnswersForTheMissingOne() async throws {
            let stage = try Stage([.say("It is noon.")])
            try await stage.start(
                tune: { settings in
                    settings.substitutes = [settings.service]
                    settings.conversation.substitutes = [
                        .init(name: "spare", capabilities: settings.service.capabilities)
                    ]
                    settings.service.request?.url = "ws://127.0.0.1:9/v1/realtime"
                }
            )
            try await stage.reach(.listening)
            #expect(stage.log.lines.contains { $0.contains("spare takes the place of openai: ") })
            #expect(try await stage.perform("status")["substitute"] == "openai")
            stage.say("What time is it?")
            try await stage.reach(.aiSpeaking)
            try await stage.reach(.listening, times: 2)
            let (heard, _) = try await stage.stop()
            // After the sentence that announces it.
            let answer = ["It", "is", "noon."].map { SpokenVoice.markerFrequency($0) }
            #expect(heard.tones.suffix(3).map { ($0.frequency / 10).rounded() * 10 } == answer, "\(heard)")
        }

        @Test func answerSurvivesItsSession() async throws {
            let stage = try Stage([.ask("What is on?")]) { _ in
                .init(.reply("Two meetings."), delayMilliseconds: 1800)
            }
            try await stage.start()
            try await stage.reach(.listening)
            stage.say("Hey")
            try await stage.reach(.waitingForJarvis)
            await stage.simulator.dropConnections()
            try await stage.journal.wait(for: "the remark") { entries in
                entries.client(2).contains { $0["type"] == "response.create" }
            }
            try await stage.reach(.aiSpeaking, times: 2)
            try await stage.reach(.listening, times: 2)
            try await stage.stop()
            #expect(stage.agent.requests.count == 1)
            // What was said before, and the answer.
            #expect(stage.journal.outputs.count == 2)
            #expect(stage.journal.outputs.last == "Two meetings.", "told once")
            #expect(stage.journal.outputs.first?.contains(#"{"you":"Checking."}"#) == true)
            #expect(stage.journal.remarks.isEmpty, "text from outside never speaks as the system")
            #expect(stage.journal.client("response.create", connection: 2).count == 1)
            #expect(stage.journal.server("error").isEmpty)
        }

        @Test func rejectedSettingsAreAnError() async throws {
            var faults = RealtimeFaults()
            faults.rejectUpdateCode = "cannot_update_voice"
            let stage = try Stage([], faults: faults)
            try await stage.start()
            try await stage.journal.wait(for: "an error") { entries in
                entries.contains { if case .state(.error(let why)) = $0 { why.contains("settings") } else { false } }
            }
            try await stage.stop()
            #expect(!stage.journal.states.contains(.listening))
            #expect(stage.simulator.connectionCount == 1)
        }

        @Test func theNamesOfTheBetaAreUnderstood() async throws {
            var faults = RealtimeFaults()
            faults.betaNames = true
            faults.unknownEventEvery = 3
            let stage = try Stage([.ask("What is on?")], faults: faults)
            try await stage.start()
            try await stage.reach(.listening)
            stage.say("Hey")
            try await stage.reach(.listening, times: 2)
            let (tones, _) = try await stage.stop()
            #expect(tones.spell("Checking. Nothing today."), "\(tones)")
            #expect(stage.journal.outputs == ["Nothing today."])
        }
    }
}
