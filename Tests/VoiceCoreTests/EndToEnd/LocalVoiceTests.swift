import FoundationEssentials
import Glibc
import Testing
import VoiceSimulator

@testable import StageSupport
@testable import TestSupport
@testable import VoiceActivation
@testable import VoiceAudio
@testable import VoiceBase
@testable import VoiceConversation
@testable import VoiceCore
@testable import VoiceSession

extension EndToEnd {
    /// Whole conversations with local speech servers: a daemon, simulated Wyoming servers, an agent.
    @Suite struct LocalVoiceTests {
        private static let question = "What is in my calendar today?"

        /// Starts everything; `adjust` may change the configuration.
        private func start(
            _ script: WyomingSimulator.Script,
            adjust: @escaping (inout Configuration) -> Void = { _ in },
            tune: (inout DaemonSettings) -> Void = { _ in },
            behaviour: @escaping @Sendable (AgentRequest) -> AgentBehaviour = { _ in .init(.reply("Nothing today.")) }
        ) async throws -> (Stage, WyomingSimulator) {
            let stage = try Stage([], behaviour: behaviour)
            let servers = WyomingSimulator(script)
            let port = try await servers.start()
            try await stage.start(
                adjust: { configuration in
                    configuration.service.use = [.local]
                    configuration.local.recogniser = "127.0.0.1:\(port)"
                    configuration.local.speaker = "127.0.0.1:\(port)"
                    adjust(&configuration)
                },
                tune: tune
            )
            return (stage, servers)
        }

        private func wait(_ what: String, _ stage: Stage, _ isThere: () async -> Bool) async throws {
            for _ in 0..<2000 {
                if await isThere() { return }
                try await Task.sleep(for: .milliseconds(10))
            }
            Issue.record("never seen: \(what); \(stage.journal.states); \(stage.log.lines.suffix(12))")
            throw Journal.NeverSeen(what: what)
        }

        @Test func aQuestionGoesToTheAgentWithoutAModel() async throws {
            let (stage, servers) = try await start(
                .init([Self.question]),
                behaviour: { _ in .init(.reply("Two **meetings**. Lunch at noon."), delayMilliseconds: 300) }
            )
            try await stage.reach(.listening)
            stage.say("What is in my calendar today")
            try await stage.reach(.aiSpeaking)
            try await stage.reach(.listening, times: 2)
            let (tones, took) = try await stage.stop()
            await servers.stop()
            #expect(
                stage.journal.states == [
                    .connecting, .listening, .userSpeaking, .processing, .waitingForJarvis, .processing, .aiSpeaking,
                    .listening, .idle,
                ],
                "\(stage.journal.states)"
            )
            #expect(stage.agent.requests.map(\.query) == [Self.question])
            #expect(servers.sentences == ["Two meetings.", "Lunch at noon."])
            #expect(tones.spell("Two meetings. Lunch at noon."), "\(tones)")
            let heard = try #require(servers.utterances.first)
            #expect(heard.language == "en" && abs(heard.level + 23) < 6, "\(heard)")
            #expect(took < .seconds(2))
            #expect(stage.simulator.connectionCount == 0)
        }

        @Test func anOrderNeedsNoAgent() async throws {
            let (stage, servers) = try await start(.init(["Set a timer for ten minutes.", "What time is it?"]))
            try await stage.reach(.listening)
            stage.say("Set a timer for ten minutes")
            try await wait("the timer", stage) { await stage.daemon?.timers.count == 1 }
            try await stage.reach(.listening, times: 2)
            stage.say("What time is it please")
            try await stage.reach(.listening, times: 3)
            try await stage.stop()
            await servers.stop()
            #expect(stage.agent.requests.isEmpty)
            #expect(servers.sentences.first == "It is set and rings in 10 minutes.")
            #expect(servers.sentences.last?.hasPrefix("It is ") == true && servers.sentences.count == 2)
        }

        @Test func talkerOverTheAnswerMayHearTheRest() async throws {
            let long = "One two three four five. Six seven eight nine ten eleven twelve. Thirteen fourteen fifteen."
            let (stage, servers) = try await start(
                .init([Self.question, "Louder, please.", "Go on."]),
                behaviour: { _ in .init(.reply(long)) }
            )
            try await stage.reach(.listening)
            stage.say("What is in my calendar today")
            try await stage.reach(.aiSpeaking)
            // Into the second sentence.
            try await Task.sleep(for: .milliseconds(1500))
            stage.say("Louder please now")
            try await stage.reach(.userSpeaking, times: 2)
            try await stage.reach(.listening, times: 2)
            let before = servers.sentences.count
            stage.say("Go on with that")
            try await wait("the rest", stage) { servers.sentences.count > before }
            try await stage.reach(.listening, times: 3)
            let (tones, _) = try await stage.stop()
            await servers.stop()
            let flush = try #require(stage.journal.flushFrame)
            let cut = tones.tones.prefix { $0.frames.lowerBound < flush }
            let silent = try #require(cut.last?.frames.upperBound)
            #expect(silent < flush + 48 * 100, "silent \((silent - flush) / 48) ms after the flush")
            #expect(stage.agent.requests.count == 1)
            let rest = Array(servers.sentences.dropFirst(before))
            #expect(
                rest == ["Six seven eight nine ten eleven twelve.", "Thirteen fourteen fifteen."],
                "\(servers.sentences)"
            )
        }

        @Test func announcementIsSpokenVerbatim() async throws {
            let (stage, servers) = try await start(.init(["No, turn it off."]))
            try await stage.reach(.listening)
            _ = try await stage.perform("announce", "--priority", "high", "--ask", "Shall the oven stay on?")
            try await stage.reach(.aiSpeaking)
            try await stage.reach(.listening, times: 2)
            #expect(servers.sentences == ["Shall the oven stay on?"])
            stage.say("No, turn it off please")
            try await stage.reach(.listening, times: 3)
            try await stage.stop()
            await servers.stop()
            let query = try #require(stage.agent.requests.first?.query)
            #expect(query.hasPrefix("No, turn it off.") && query.contains("\"Shall the oven stay on?\""))
        }

        @Test func phantomTextOfNoiseIsNotATurn() async throws {
            let (stage, servers) = try await start(.init(["Thank you."]))
            try await stage.reach(.listening)
            stage.say("Mumble mumble")
            try await stage.reach(.listening, times: 2)
            try await stage.stop()
            await servers.stop()
            #expect(stage.agent.requests.isEmpty && servers.sentences.isEmpty && servers.utterances.count == 1)
        }

        // MARK: Faults

        /// Accepts, and says nothing: it is given six seconds. It does not know the language either.
        @Test func hangingRecogniserIsAnnounced() async throws {
            let (stage, servers) = try await start(.init([Self.question], recogniser: .silent)) {
                $0.local.language = "de"
            }
            try await stage.reach(.listening)
            #expect(stage.log.lines.contains { $0.contains("local.language") && $0.contains("no model for \"de\"") })
            stage.say("What is in my calendar today")
            try await wait("the notice", stage) { servers.sentences.contains("My recogniser does not answer.") }
            try await stage.stop()
            await servers.stop()
            #expect(stage.agent.requests.isEmpty)
        }

        /// Four seconds for the text and three for the voice: late, but nothing is given up or said by another voice.
        @Test func slowServersGetTime() async throws {
            let (stage, servers) = try await start(
                .init([Self.question], recognisingMilliseconds: 4000, speakingMilliseconds: 3000)
            )
            try await stage.reach(.listening)
            stage.say("What is in my calendar today")
            try await stage.reach(.aiSpeaking)
            try await stage.reach(.listening, times: 2)
            let (tones, _) = try await stage.stop()
            await servers.stop()
            #expect(stage.agent.requests.map(\.query) == [Self.question])
            #expect(servers.sentences == ["Nothing today."] && tones.spell("Nothing today."), "\(tones)")
            #expect(!stage.log.lines.contains { $0.contains("espeak-ng speaks meanwhile") })
        }

        @Test func emptyRecogniserIsAnnouncedOnce() async throws {
            let (stage, servers) = try await start(.init(recogniser: .absurd))
            try await stage.reach(.listening)
            for turn in 1...4 {
                stage.say("What is in my calendar today")
                try await stage.reach(.userSpeaking, times: turn)
                try await wait("the end of the turn", stage) {
                    servers.utterances.count >= turn && stage.journal.states.last == .listening
                }
            }
            try await stage.stop()
            await servers.stop()
            #expect(servers.sentences.filter { $0.hasPrefix("I hear you") }.count == 1, "\(servers.sentences)")
            #expect(servers.sentences.filter { $0 == "I did not understand that." }.count == 2, "\(servers.sentences)")
            #expect(stage.log.lines.count { $0.contains("made no words of 3 turns") } == 1)
            #expect(stage.log.lines.contains { $0.contains("no words of a clear sentence (no words); see whether") })
        }

        /// The text that Whisper makes up from silence, though the user spoke.
        @Test func clearSentenceRecognisedAsAPhantomIsAnswered() async throws {
            let (stage, servers) = try await start(.init(["Thank you."]))
            try await stage.reach(.listening)
            stage.say("What is in my calendar today")
            try await wait("the notice", stage) { servers.sentences == ["I did not understand that."] }
            try await stage.stop()
            await servers.stop()
            #expect(stage.agent.requests.isEmpty)
            #expect(stage.log.lines.contains { $0.contains("a clear sentence (typical misrecognition of noise)") })
        }

        @Test(arguments: [WyomingSimulator.Fault.closes, .garbage, .endless, .textless])
        func failingRecogniserIsAnnounced(fault: WyomingSimulator.Fault) async throws {
            let (stage, servers) = try await start(.init([Self.question, Self.question], recogniser: fault))
            try await stage.reach(.listening)
            stage.say("What is in my calendar today")
            try await wait("the notice", stage) { servers.sentences.contains { $0.hasPrefix("I heard you") } }
            #expect(!servers.sentences.contains { $0.contains("does not answer") })
            try await stage.reach(.listening, times: 2)
            #expect(stage.log.lines.contains { $0.contains("local.recogniser") && $0.contains("127.0.0.1") })
            #expect(servers.utterances.count == (fault == .closes ? 2 : 1), "once more on a new connection")
            // The recogniser works again.
            servers.change { script in
                script.recogniser = .none
                script.texts = Array(repeating: "Who is there?", count: 8)
            }
            stage.say("What is in my calendar today")
            try await wait("the question", stage) { stage.agent.requests.count == 1 }
            try await stage.reach(.listening, times: 3)
            try await stage.stop()
            await servers.stop()
        }

        @Test(arguments: [WyomingSimulator.Fault.closes, .garbage, .endless, .absurd, .silent])
        func failingSpeakerIsReplacedByEspeak(fault: WyomingSimulator.Fault) async throws {
            guard EspeakVoice.isInstalled else { return }
            let (stage, servers) = try await start(.init([Self.question], speaker: fault))
            try await stage.reach(.listening)
            stage.say("What is in my calendar today")
            try await stage.reach(.aiSpeaking)
            try await wait("a line", stage) {
                stage.log.lines.contains { $0.contains("local.speaker") && $0.contains("espeak-ng speaks meanwhile") }
            }
            // Endless audio is cut after a minute and a half.
            if fault != .absurd { try await stage.reach(.listening, times: 2) }
            await servers.stop()
            try await stage.stop()
            #expect(stage.samples.contains { abs($0) > 0.01 })
        }

        /// No Wyoming server speaks at all.
        @Test func espeakIsTheFallbackVoice() async throws {
            guard EspeakVoice.isInstalled else { return }
            let (stage, servers) = try await start(.init(["What time is it?"])) { $0.local.speaker = "" }
            try await stage.reach(.listening)
            stage.say("What time is it please")
            try await stage.reach(.aiSpeaking)
            try await stage.reach(.listening, times: 2)
            try await stage.stop()
            await servers.stop()
            #expect(servers.sentences.isEmpty && stage.samples.contains { abs($0) > 0.01 })
        }

        @Test func missingServersAreWaitedFor() async throws {
            let stage = try Stage([]) { _ in .init(.reply("Nothing today.")) }
            let servers = WyomingSimulator(.init([Self.question]))
            let port = try await servers.start()
            await servers.stop()
            try await stage.start(adjust: { configuration in
                configuration.service.use = [.local]
                configuration.local.recogniser = "127.0.0.1:\(port)"
                configuration.local.speaker = "127.0.0.1:\(port)"
            })
            try await wait("a line with the way out", stage) {
                stage.log.lines.contains {
                    $0.contains("local.recogniser: the Wyoming server at 127.0.0.1:\(port) does not answer; start it")
                }
            }
            let again = WyomingSimulator(.init([Self.question]))
            _ = try await again.start(port: port)
            try await stage.reach(.listening)
            stage.say("What is in my calendar today")
            try await wait("the question", stage) { stage.agent.requests.count == 1 }
            try await stage.stop()
            await again.stop()
        }

        /// The internet is down: nothing listens at the address of the preferred service.
        @Test func localVoiceAnswersWithoutTheCloud() async throws {
            let (stage, servers) = try await start(
                .init([Self.question]),
                adjust: { configuration in
                    configuration.service.use = [.openAI, .local]
                    configuration.realtime.url = "ws://127.0.0.1:9/v1/realtime"
                },
                behaviour: { _ in .init(.reply("Two meetings.")) }
            )
            try await stage.reach(.listening)
            #expect(stage.log.lines.contains { $0.contains("local takes the place of openai: ") })
            #expect(try await stage.perform("status")["substitute"] == "local")
            try await wait("the notice, once", stage) { !servers.sentences.isEmpty }
            try await stage.pass(milliseconds: 8000)
            stage.say("What is in my calendar today")
            try await wait("the answer", stage) { servers.sentences.contains("Two meetings.") }
            try await stage.stop()
            await servers.stop()
            #expect(stage.agent.requests.map(\.query) == [Self.question])
            #expect(stage.simulator.connectionCount == 0)
        }

        // MARK: Without a session

        @Test func localVoiceSpeaksWithoutASession() async throws {
            let (stage, servers) = try await start(.init()) { $0.activation.mode = .push }
            #expect(try await stage.perform("say", "The", "door", "is", "open.")["text"] == "it will be said")
            try await wait("the words", stage) { servers.sentences == ["The door is open."] }
            #expect(await stage.daemon?.state == .idle)
            try await stage.pass(milliseconds: 2500)
            let (tones, _) = try await stage.stop()
            await servers.stop()
            #expect(tones.spell("The door is open."), "\(tones)")
        }

        /// The speaker accepts and sends nothing: it is given five seconds.
        @Test func hangingSpeakerDoesNotBlock() async throws {
            let (stage, servers) = try await start(.init(speaker: .silent)) { $0.activation.mode = .push }
            _ = try await stage.perform("say", "The door is open.")
            try await wait("a line", stage) {
                stage.log.lines.contains { $0.contains("local.speaker") && $0.contains("does not answer in time") }
            }
            try await wait("the listening for stop words to end", stage) { await Self.listening(stage) == .nothing }
            try await stage.stop()
            await servers.stop()
            if EspeakVoice.isInstalled { #expect(stage.samples.contains { abs($0) > 0.01 }) }
        }

        private static func listening(_ stage: Stage) async -> LocalListening? {
            await stage.daemon?.activationStatus.listening
        }

        /// In `always` mode the box tries to reach the service for as long as it is away. The card is ten times faster
        /// than real time, the wait for the service is not.
        @Test func announcementIsSpokenWithoutTheService() async throws {
            let (stage, servers) = try await start(.init()) { configuration in
                configuration.service.use = [.openAI]
                configuration.realtime.url = "ws://127.0.0.1:9/v1/realtime"
            }
            try await wait("the notice", stage) { !servers.sentences.isEmpty }
            let text = try await stage.perform("announce", "--priority", "high", "Smoke in the kitchen!")["text"]
            #expect(text == "it will be said")
            try await wait("the words", stage) { servers.sentences.contains("Smoke in the kitchen!") }
            try await stage.stop()
            await servers.stop()
        }

        /// Every accepted text is spoken; the others are refused.
        @Test func everyAcceptedTextIsSpoken() async throws {
            let (stage, servers) = try await start(.init()) { $0.activation.mode = .push }
            var accepted: [String] = []
            var refusals: [String] = []
            for number in 1...20 {
                let text = "Number \(number)."
                do {
                    _ = try await stage.perform("say", text)
                    accepted.append(text)
                } catch let problem as ControlProblem {
                    #expect(problem.exitCode == .unavailable)
                    refusals.append(problem.message)
                }
                // As fast as a shell starts programs.
                try await Task.sleep(for: .milliseconds(10))
            }
            #expect(accepted.count >= 16 && !refusals.isEmpty, "\(refusals)")
            #expect(refusals.allSatisfy { $0 == "16 texts wait for the local voice already" })
            try await wait("the words", stage) { servers.sentences.count == accepted.count }
            #expect(servers.sentences == accepted)
            try await stage.stop()
            await servers.stop()
        }

        /// A machine without this card: a confirmation would be a lie.
        @Test func textIsRefusedWithoutALoudspeaker() async throws {
            let (stage, servers) = try await start(
                .init(),
                adjust: { $0.activation.mode = .push },
                tune: { $0.audio.source = .alsa(capture: "hw:CARD=Nowhere", playback: "hw:CARD=Nowhere") }
            )
            for words in [
                ["say", "Dinner is ready."], ["announce", "--priority", "high", "Fire!"], ["announce", "The post."],
            ] {
                await #expect {
                    _ = try await stage.perform(words)
                } throws: { error in
                    let problem = error as? ControlProblem
                    return problem?.exitCode == .unavailable
                        && problem?.message.hasPrefix("no one would hear it: no loudspeaker: ") == true
                }
            }
            try await stage.stop()
            await servers.stop()
            #expect(servers.sentences.isEmpty)
        }

        /// A spoken "stop" is what the listener for stop words reports; in `push` mode it listens only while the box speaks.
        @Test(arguments: ["stop key", "spoken stop"]) func stopSilencesTheLocalVoice(way: String) async throws {
            let (stage, servers) = try await start(.init()) { $0.activation.mode = .push }
            #expect(await Self.listening(stage) == .nothing)
            _ = try await stage.perform("say", "One two three four five six seven eight nine ten eleven twelve.")
            try await wait("the words", stage) { servers.sentences.count == 1 }
            try await stage.pass(milliseconds: 900)
            let frame = Int(stage.ports?.gauges.counters.cycles ?? 0) * AudioFormat.periodFrames
            #expect(await Self.listening(stage) == .stop)
            if way == "stop key" {
                stage.daemon?.press(.stop)
            } else {
                stage.daemon?.mailbox.post(activation: .stop(isSpoken: true))
            }
            try await stage.pass(milliseconds: 800)
            try await wait("the end", stage) { await Self.listening(stage) == .nothing }
            let (tones, _) = try await stage.stop()
            await servers.stop()
            #expect(tones.sounds(in: 0..<frame))
            #expect(!tones.sounds(in: (frame + 48 * 200)..<max(frame + 48 * 201, tones.length)), "\(tones)")
        }
    }
}
