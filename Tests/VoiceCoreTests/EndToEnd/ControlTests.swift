import FoundationEssentials
import Testing
import VoiceSimulator

@testable import StageSupport
@testable import TestSupport
@testable import VoiceActivation
@testable import VoiceAudio
@testable import VoiceBase
@testable import VoiceConversation
@testable import VoiceCore

extension EndToEnd {
    /// Orders to a whole daemon, as its control socket performs them.
    @Suite struct ControlTests {
        @Test func daemonReportsAndObeys() async throws {
            let stage = try Stage([.say("One two three four five six seven eight nine ten eleven twelve.")])
            try await stage.start()
            try await stage.reach(.listening)
            #expect(try await stage.perform("status")["text"] == "All is well: listening")
            #expect(try await stage.perform("status")["sent_today"] != nil)
            #expect(try await stage.perform("volume", "media", "-20")["media"] == 50)
            #expect(try await stage.perform("volume", "off")["muted"] == true)
            _ = try await stage.perform("mute")
            #expect(try await stage.perform("status")["text"] == "All is well: muted")
            _ = try await stage.perform("unmute")
            // The mute has closed the session: what is said before the next one is open is not heard.
            try await stage.reach(.listening, times: 2)
            stage.say("Tell")
            try await stage.reach(.aiSpeaking)
            _ = try await stage.perform("interrupt")
            try await stage.reach(.listening, times: 3)
            #expect(try await stage.perform("mode")["mode"] == "always")
            #expect(try await stage.perform("mode", "push")["mode"] == "push")
            #expect(try await stage.perform("media")["status"] == "stopped")
            #expect(try await stage.perform("stop")["cancelled"] == false)
            try await stage.stop()
        }

        /// The page, `watch` and scripts rely on the table in docs/control.md.
        @Test func theStatusIsAsDocumented() async throws {
            let stage = try Stage([.say("It is noon.")])
            try await stage.start(adjust: { $0.log.transcripts = true })
            try await stage.reach(.listening)
            _ = try await stage.perform("timer", "set", "10m tea")
            stage.say("What time is it")
            try await stage.reach(.aiSpeaking)
            try await stage.reach(.listening, times: 2)
            let status = try await stage.perform("status")
            for (name, value) in status {
                let member = StatusSchema.members.first { $0.name == name }
                #expect(member?.kind.matches(value) == true, "\(name): \(value)")
            }
            guard case .array(let turns)? = status["turn_list"], case .array(let timers)? = status["timer_list"] else {
                return #expect(Bool(false), "\(status)")
            }
            #expect(turns.last?["first_sample_ms"]?.intValue.map { $0 > 0 } == true)
            #expect(timers.first?["name"] == "tea" && timers.first?["number"] == 1)
            #expect(status["turns_total"] == 1 && status["rss_bytes"] != nil && status["breaker"] == "closed")
            try await stage.stop()
        }

        @Test func resetOpensAnotherSession() async throws {
            let stage = try Stage([])
            try await stage.start()
            try await stage.reach(.listening)
            _ = try await stage.perform("reset")
            try await stage.reach(.listening, times: 2)
            try await stage.stop()
        }

        @Test func resetOfACalledConversationContinuesListening() async throws {
            let stage = try Stage([.say("It is noon.")])
            try await stage.start(adjust: { $0.activation.mode = .push })
            stage.call()
            try await stage.reach(.listening)
            _ = try await stage.perform("reset")
            try await stage.reach(.listening, times: 2)
            stage.say("What time is it")
            try await stage.reach(.aiSpeaking)
            try await stage.reach(ActivationPhase.followUp)
            #expect(stage.simulator.connectionCount == 2)
            try await stage.stop()
        }

        /// For announcements of the house where the box has no voice of its own.
        @Test func textIsSpokenInASessionWithoutMicrophone() async throws {
            let stage = try Stage([])
            try await stage.start { $0.activation.mode = .push }
            stage.say("Said in the room")
            #expect(try await stage.perform("say", "Dinner", "is", "ready.")["text"] == "it will be said")
            try await stage.reach(.aiSpeaking)
            try await stage.reach(.idle)
            try await stage.reachClose()
            #expect(stage.journal.sent().allSatisfy { $0 == 0 }, "nothing of the room leaves")
            #expect(stage.simulator.connectionCount == 1)
            try await stage.stop()
        }

        @Test func typedQuestionReadsItsAnswerWithoutTranscripts() async throws {
            let stage = try Stage([])
            try await stage.start { $0.activation.mode = .push }
            let request = try ControlRegistry.standard.request(words: ["ask", "--reads", "What is on?"])
            let daemon = try #require(stage.daemon)
            guard case .answer(let result, let reading) = try await ControlRegistry.standard.run(request, on: daemon)
            else {
                return #expect(Bool(false), "there is nothing to read")
            }
            #expect(result["text"] == "asked; the answer is spoken")
            var parts: [String] = []
            for await part in reading.parts { parts.append(part) }
            #expect(parts == [ConversationScript(turns: []).otherwise])
            #expect(try await stage.perform("status")["transcript"] == nil)
            try await stage.stop()
        }

        @Test func statusStatesTheConfiguration() async throws {
            let stage = try Stage([])
            try await stage.start()
            try await stage.reach(.listening)
            let status = try await stage.perform("status")
            #expect(status["mode"] == "always" && status["phase"] == "awake" && status["wake_engine"] == "off")
            #expect(status["duplex"] == "full" && status["duplex_reason"] == "configuration")
            #expect(status["echo"]?["quality"] == "unknown" && status["echo"]?["aligned"] == false)
            #expect(status["service"] == "127.0.0.1, gpt-realtime-2.1" && status["dialect"] == "openai")
            #expect(status["session_age_s"]?.intValue.map { (0..<60).contains($0) } == true)
            #expect(status["microphone_muted"] == false && status["spent_today_usd"] != nil)
            let text = ControlText.lines(.object(status))
            for line in ["mode: always", "phase: awake", "dialect: openai", "echo: aligned=no ", "wake_engine: off"] {
                #expect(text.contains(line), "\(line) in \(text)")
            }
            _ = try await stage.perform("mute")
            try await stage.reach(.idle)
            let muted = try await stage.perform("status")
            #expect(muted["microphone_muted"] == true && muted["phase"] == "idle" && muted["session_age_s"] == nil)
            try await stage.stop()
        }

        /// Mute and mode are answered once they are on disk, or with the words that they are not.
        @Test func unsavedMuteIsReported() async throws {
            let folder = FileManager.default.temporaryDirectory.path + "/mute-\(UUID().uuidString)"
            defer { try? FileManager.default.removeItem(atPath: folder) }
            let stage = try Stage([])
            try await stage.start(tune: { $0.volumes.stateDirectory = folder })
            let muted = try await stage.perform("mute")
            #expect(muted["text"] == "the microphone is muted" && muted["saved"] == true)
            #expect(ActivationStore.load(directory: folder, logger: stage.log.logger).isMuted)
            _ = try await stage.perform("mode", "push")
            let saved = ActivationStore.load(directory: folder, logger: stage.log.logger)
            #expect(saved.mode == .init(set: .push, configured: .always))
            try await stage.stop()
            let lost = try Stage([])
            try await lost.start(tune: { $0.volumes.stateDirectory = "/proc/nowhere" })
            let unsaved = try await lost.perform("mute")
            #expect(unsaved["microphone_muted"] == true && unsaved["saved"] == false)
            #expect(unsaved["text"]?.stringValue?.contains("a restart now would forget it") == true)
            let mode = try await lost.perform("mode", "push")
            #expect(mode["mode"] == "push" && mode["saved"] == false)
            try await lost.stop()
        }

        @Test func impossibleModeIsRefusedWithTheFix() async throws {
            let stage = try Stage([])
            try await stage.start()
            await #expect {
                _ = try await stage.perform("mode", "wake")
            } throws: { error in
                let problem = error as? ControlProblem
                return problem?.code == .notAvailable
                    && problem?.message.hasPrefix("No wake word is installed: ") == true
                    && problem?.message.hasSuffix("jarvis-voiced wake install. Or use a button: ctl mode push") == true
            }
            #expect(try await stage.perform("mode")["mode"] == "always")
            try await stage.stop()
        }

        private struct Missing: Error {}

        /// Without the files of its engine nothing calls: the status and the answer to "mode wake" say so.
        @Test func missingWakeEngineIsReported() async throws {
            let stage = try Stage([])
            try await stage.start(adjust: {
                $0.activation.mode = .wake
                $0.activation.engine = .tflite
                $0.activation.wakeModels = "/nowhere"
                $0.activation.stopWords = "zzyzyx"
            })
            while stage.daemon?.listener?.lack.calls == nil { try await Task.sleep(for: .milliseconds(5)) }
            let status = try await stage.perform("status")
            let lack = "/nowhere has no libtensorflowlite_c.so: run \"jarvis-voiced wake install\""
            let why = "no wake word is recognised: " + lack
            #expect(status["degraded"] == .array([.string(why)]))
            #expect(status["text"]?.stringValue?.hasPrefix("Limited: " + why) == true)
            guard case .array(let problems)? = status["word_problems"] else { throw Missing() }
            #expect(problems.first?.stringValue?.hasPrefix("\"zzyzyx\": not recognised: ") == true)
            _ = try await stage.perform("mode", "push")
            #expect(try await stage.perform("status")["degraded"] == .array([]))
            #expect(try await stage.perform("mode", "wake")["text"] == .string("mode wake, but " + why))
            try await stage.stop()
        }

        @Test func aTypedQuestionIsAnsweredByVoice() async throws {
            let stage = try Stage([])
            try await stage.start()
            try await stage.reach(.listening)
            _ = try await stage.perform("ask", "What", "is", "on?")
            try await stage.reach(.aiSpeaking)
            try await stage.reach(.listening, times: 2)
            let (tones, _) = try await stage.stop()
            #expect(tones.spell(ConversationScript(turns: []).otherwise), "\(tones)")
            let items = stage.journal.client("conversation.item.create")
            #expect(items.first?["item"]?["role"] == "user")
            #expect(items.first?["item"]?["content"]?.array?.first?["text"] == "What is on?")
            #expect(!stage.log.lines.contains { $0.contains("What is on") }, "it is not logged")
        }

        @Test func aTypedQuestionNeedsNoMicrophone() async throws {
            let stage = try Stage([])
            try await stage.start { $0.activation.mode = .push }
            _ = try await stage.perform("mute")
            while await stage.daemon?.activationStatus.isMuted != true { try await Task.sleep(for: .milliseconds(5)) }
            stage.say("Nobody is meant")
            _ = try await stage.perform("ask", "What is on?")
            try await stage.reach(.aiSpeaking)
            stage.say("Nor now")
            try await stage.reach(.idle)
            try await stage.reachClose()
            #expect(stage.journal.sent().allSatisfy { $0 == 0 }, "nothing that is heard leaves a muted box")
            let (tones, _) = try await stage.stop()
            #expect(tones.spell(ConversationScript(turns: []).otherwise), "\(tones)")
        }

        /// Outside of `always` the conversation ends with its refusal; the next order must be informed of it all the
        /// same.
        @Test func impossibleOrderIsNotConfirmed() async throws {
            let stage = try Stage([])
            try await stage.start(key: "sk-mistaken") { $0.activation.mode = .push }
            for words in [["ask", "What is on?"], ["ask", "Again"], ["listen"]] {
                await #expect {
                    _ = try await stage.perform(words)
                } throws: { error in
                    let problem = error as? ControlProblem
                    return problem?.code == .notAvailable && problem?.exitCode == .unavailable
                        && problem?.message.contains("invalid_api_key") == true
                        && problem?.message.contains("jarvis-voiced doctor") == true
                }
            }
            while await stage.daemon?.state != .idle { try await Task.sleep(for: .milliseconds(5)) }
            #expect(try await stage.perform("status")["text"]?.stringValue?.contains("refuses the connection") == true)
            #expect(stage.simulator.connectionCount == 3, "each order is tried")
            try await stage.stop()
        }

        /// In `always` the refusal holds until the next attempt, minutes later: an order is tried immediately.
        @Test func orderAfterARefusalRetriesImmediately() async throws {
            let stage = try Stage([])
            try await stage.start(key: "sk-mistaken")
            func isRefused() async -> Bool {
                if case .error? = await stage.daemon?.state { true } else { false }
            }
            while await !isRefused() { try await Task.sleep(for: .milliseconds(5)) }
            for words in [["listen"], ["ask", "What is on?"], ["listen"]] {
                await #expect {
                    _ = try await stage.perform(words)
                } throws: { error in
                    (error as? ControlProblem)?.message.contains("invalid_api_key") == true
                }
            }
            #expect(stage.simulator.connectionCount == 4, "each order is tried")
            try await stage.stop()
        }

        @Test(arguments: [Configuration.Activation.Mode.push, .always])
        func orderToAMissingServiceIsRefused(mode: Configuration.Activation.Mode) async throws {
            let stage = try Stage([])
            try await stage.start { configuration in
                configuration.activation.mode = mode
                // Nothing listens at this address.
                configuration.realtime.url = "ws://127.0.0.1:9/v1/realtime"
            }
            for words in [["ask", "What is on?"], ["listen"]] {
                await #expect {
                    _ = try await stage.perform(words)
                } throws: { error in
                    (error as? ControlProblem)?.message.contains("cannot be reached: ") == true
                        && (error as? ControlProblem)?.exitCode == .unavailable
                }
            }
            try await stage.stop()
        }

        @Test func subscriberSeesTheStates() async throws {
            let stage = try Stage([])
            try await stage.start()
            try await stage.reach(.listening)
            let daemon = try #require(stage.daemon)
            let subscription = daemon.events.subscribe(capacity: 8)
            stage.post(.deactivate)
            var events = subscription.stream.makeAsyncIterator()
            #expect(await events.next() == DaemonEvent(.state, ["from": "listening", "to": "idle"]))
            subscription.cancel()
            try await stage.stop()
        }
    }
}
