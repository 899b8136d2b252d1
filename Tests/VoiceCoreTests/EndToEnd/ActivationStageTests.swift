import Glibc
import Testing
import VoiceSimulator

@testable import StageSupport
@testable import TestSupport
@testable import VoiceActivation
@testable import VoiceBase
@testable import VoiceConversation
@testable import VoiceCore
@testable import VoiceMedia
@testable import VoiceReply

extension EndToEnd {
    /// Activation through the whole daemon, with the socket observed from the other side.
    @Suite struct ActivationStageTests {
        private static let count = "One two three four five six seven eight nine ten eleven twelve."

        private static func push(_ configuration: inout Configuration) { configuration.activation.mode = .push }

        @Test func noSoundIsSentBeforeActivation() async throws {
            let stage = try Stage([.say("It is noon.")], environment: .init(speed: 4))
            try await stage.start(adjust: Self.push)
            stage.say("Nobody is meant")
            try await stage.pass(milliseconds: 3000)
            #expect(stage.simulator.connectionCount == 0)
            #expect(stage.simulator.clientEventLines.isEmpty)
            try await stage.stop()
        }

        @Test func speechWithTheActivationIsAnsweredThenTheSessionCloses() async throws {
            let stage = try Stage([.say("It is noon.")])
            try await stage.start(adjust: Self.push) { $0.activation.machine.followUp = .milliseconds(1500) }
            // Said before the session is ready, and in part before the call.
            stage.say("What time is it")
            try await stage.pass(milliseconds: 300)
            #expect(stage.simulator.connectionCount == 0)
            stage.call()
            try await stage.reach(.aiSpeaking)
            try await stage.reach(.idle)
            try await stage.reachClose()
            let sent = stage.simulator.clientEventLines.count
            try await stage.pass(milliseconds: 1000)
            #expect(stage.simulator.connectionCount == 1)
            #expect(stage.simulator.clientEventLines.count == sent)
            try await stage.stop()
        }

        @Test func serviceHearsTheWakeWordFirst() async throws {
            let words = ScriptedWords(callAfter: 400)
            let stage = try Stage([.say("It is noon.")])
            try await stage.startListening(for: words, tune: { $0.activation.machine.followUp = .milliseconds(1500) })
            try await stage.pass(milliseconds: 1000)
            #expect(stage.simulator.connectionCount == 0)
            stage.say("Jarvis what time is it")
            try await stage.reach(.aiSpeaking)
            try await stage.reach(ActivationPhase.followUp)
            try await stage.reach(.idle)
            try await stage.reachClose()
            let sent = stage.journal.soundMessages
            let heard = MarkerTones(stage.journal.sent())
            #expect(heard.spell("Jarvis what time is it"), "\(heard)")
            // From its first sample on: two syllables of 180 ms, and what precedes them.
            #expect((heard.tones.first?.frames.count ?? 0) >= 48 * 170)
            #expect((heard.tones.first?.frames.lowerBound ?? 0) > 48 * 100)
            stage.say("Nobody is meant")
            try await stage.pass(milliseconds: 1000)
            #expect(stage.journal.soundMessages == sent)
            #expect(stage.simulator.connectionCount == 1)
            #expect(stage.journal.closeCodes == [1000])
            let (tones, _) = try await stage.stop()
            #expect(tones.spell("It is noon."), "\(tones)")
        }

        @Test func bareWakeWordIsNotAnswered() async throws {
            let words = ScriptedWords(callAfter: 250)
            let stage = try Stage([.say("Yes please.")])
            try await stage.startListening(for: words, tune: { $0.activation.machine.followUp = .milliseconds(1500) })
            try await stage.pass(milliseconds: 500)
            stage.say("Jarvis")
            try await stage.reach(.userSpeaking)
            try await stage.reach(.listening, times: 2)
            try await stage.reach(.idle)
            let (tones, _) = try await stage.stop()
            #expect(tones.tones.isEmpty, "\(tones)")
            #expect(!stage.journal.states.contains(.aiSpeaking))
            #expect(stage.simulator.connectionCount == 1)
        }

        @Test func stopWordSilencesThenEndsTheConversation() async throws {
            let words = ScriptedWords()
            let stage = try Stage([.say(Self.count)])
            try await stage.startListening(for: words)
            // A turn that ends within this time plus half a second is the wake word itself.
            try await stage.pass(milliseconds: 1600)
            words.find("hey jarvis")
            try await stage.reach(.listening)
            try await stage.pass(milliseconds: 1000)
            stage.say("Tell")
            try await stage.reach(.aiSpeaking)
            words.find("stop")
            try await stage.reach(.listening, times: 2)
            #expect(stage.journal.states.last == .listening)
            // The same word again, after the time in which it is not detected again.
            try await stage.pass(milliseconds: 2200)
            words.find("stop")
            try await stage.reach(.idle)
            let (tones, _) = try await stage.stop()
            #expect(tones.tones.count < 12, "\(tones)")
        }

        @Test func stopCommandSilencesThenEndsTheConversation() async throws {
            let stage = try Stage([.say(Self.count)])
            try await stage.start(adjust: Self.push)
            stage.call()
            try await stage.reach(.listening)
            stage.say("Tell")
            try await stage.reach(.aiSpeaking)
            _ = try await stage.perform("stop")
            try await stage.reach(.listening, times: 2)
            _ = try await stage.perform("stop")
            try await stage.reach(.idle)
            let (tones, _) = try await stage.stop()
            #expect(tones.tones.count < 12, "\(tones)")
        }

        @Test func modelMayEndACalledConversation() async throws {
            let goodbye = ConversationScript.Turn(
                transcript: "goodbye", action: .call(filler: "Goodbye.", tool: "end_conversation", arguments: [:])
            )
            let stage = try Stage([goodbye])
            try await stage.start(adjust: Self.push)
            stage.call()
            try await stage.reach(.listening)
            stage.say("Bye")
            try await stage.reach(.idle)
            try await stage.reach(ActivationPhase.idle)
            let (tones, _) = try await stage.stop()
            #expect(tones.spell("Goodbye."), "\(tones)")
        }

        @Test func modesChangeAtRuntime() async throws {
            let words = ScriptedWords()
            let stage = try Stage([])
            try await stage.startListening(for: words, tune: { $0.activation.machine.followUp = .milliseconds(1500) })
            _ = try await stage.perform("mode", "always")
            try await stage.reach(.listening)
            try await stage.pass(milliseconds: 1000)
            #expect(await stage.daemon?.state == .listening)
            _ = try await stage.perform("mode", "push")
            try await stage.reach(.idle)
            try await stage.reachClose()
            let sent = stage.journal.soundMessages
            words.find("hey jarvis")
            try await stage.pass(milliseconds: 500)
            #expect(stage.simulator.connectionCount == 1, "no word calls in push mode")
            #expect(stage.journal.soundMessages == sent)
            stage.call()
            try await stage.reach(.listening, times: 2)
            _ = try await stage.perform("mode", "wake")
            try await stage.reach(.idle, times: 2)
            try await stage.reach(ActivationPhase.idle)
            try await stage.hears()
            words.find("hey jarvis")
            try await stage.reach(.listening, times: 3)
            _ = try await stage.perform("mode", "always")
            try await stage.pass(milliseconds: 1000)
            #expect(await stage.daemon?.state == .listening)
            #expect(stage.simulator.connectionCount == 3)
            try await stage.stop()
        }

        @Test func quietHoursAreSilent() async throws {
            let call = ConversationScript.Turn(
                transcript: "what is on",
                action: .callOnly(tool: "ask_jarvis", arguments: ["query": .string("What is on?")])
            )
            let stage = try Stage([call]) { _ in .init(.reply("Nothing today."), delayMilliseconds: 1500) }
            try await stage.start {
                Self.push(&$0)
                $0.audio.earconVolume = 100
            } tune: {
                $0.activation.machine.followUp = .milliseconds(1500)
            }
            #expect(try await stage.perform("quiet", "on")["quiet"] == true)
            await #expect(throws: ControlProblem.self) { _ = try await stage.perform("say", "breakfast") }
            stage.call()
            try await stage.reach(.listening)
            await #expect(throws: ControlProblem.self) { _ = try await stage.perform("say", "dinner") }
            stage.post(.say("Dinner is ready."))
            stage.post(.mediaReported(MediaRemark(report: "{}", wish: "Say so."), opens: false))
            stage.say("Hey")
            try await stage.reach(.aiSpeaking)
            try await stage.reach(.idle)
            let (tones, _) = try await stage.stop()
            #expect(tones.spell("Nothing today."), "\(tones)")
            #expect(stage.journal.remarks.isEmpty, "\(stage.journal.remarks)")
        }

        @Test(.enabled(if: TestSound.canPlay, "ffmpeg is not installed"))
        func theStopWordAndTheStopKeyPauseTheMusic() async throws {
            let server = MediaServer()
            let port = try await server.start()
            server.serve("/a", .file(type: "audio/wav", try TestSound.tone(["-f", "wav"], seconds: 60, hertz: 6000)))
            let words = ScriptedWords()
            let stage = try Stage([])
            try await stage.startListening(for: words, adjust: { $0.media.allowHosts = "127.0.0.1" })
            let media = try #require(stage.media)
            _ = try await media.play(address: "http://127.0.0.1:\(port)/a", title: "A", kind: .track)
            try await becomes(.playing, media)
            try await stage.pass(milliseconds: 500)
            words.find("stop")
            try await becomes(.paused, media)
            _ = await media.perform(.resume)
            try await becomes(.playing, media)
            stage.daemon?.press(.stop)
            try await becomes(.paused, media)
            #expect(stage.simulator.connectionCount == 0)
            try await stage.stop()
            await server.stop()
        }

        /// The media keys of a headset act on what plays; if nothing plays, the play key calls.
        @Test(.enabled(if: TestSound.canPlay, "ffmpeg is not installed"))
        func theMediaKeysActOnThePlayer() async throws {
            let server = MediaServer()
            let port = try await server.start()
            server.serve("/a", .file(type: "audio/wav", try TestSound.tone(["-f", "wav"], seconds: 60, hertz: 6000)))
            let stage = try Stage([])
            try await stage.start {
                Self.push(&$0)
                $0.media.allowHosts = "127.0.0.1"
            }
            let media = try #require(stage.media)
            for title in ["A", "B"] {
                _ = try await media.enqueue(address: "http://127.0.0.1:\(port)/a", title: title)
            }
            try await becomes(.playing, media)
            stage.daemon?.press(.playPause)
            try await becomes(.paused, media)
            stage.daemon?.press(.playPause)
            try await becomes(.playing, media)
            stage.daemon?.press(.next)
            try await becomes("B", media)
            stage.daemon?.press(.previous)
            try await becomes("A", media)
            #expect(stage.simulator.connectionCount == 0, "none of it calls")
            _ = await media.perform(.stop)
            _ = await media.perform(.clear)
            stage.daemon?.press(.playPause)
            try await stage.reach(.listening)
            try await stage.stop()
            await server.stop()
        }

        private func becomes(_ title: String, _ media: any MediaControls) async throws {
            for _ in 0..<500 {
                if await media.snapshot().title == title { return }
                try await Task.sleep(for: .milliseconds(10))
            }
            throw Journal.NeverSeen(what: title)
        }

        private func becomes(_ status: MediaSnapshot.Status, _ media: any MediaControls) async throws {
            for _ in 0..<500 {
                if await media.snapshot().status == status { return }
                try await Task.sleep(for: .milliseconds(10))
            }
            throw Journal.NeverSeen(what: "media \(status)")
        }

        // MARK: The voice gate

        @Test(.enabled(if: access("/usr/bin/espeak-ng", X_OK) == 0, "espeak-ng is not installed"))
        func voiceGateSendsOnlySpeechAndItsPauses() async throws {
            let stage = try Stage([.say("It is noon.")])
            try await stage.start {
                $0.echo.mode = .auto
                $0.activation.voiceGate = true
            }
            try await stage.reach(.listening)
            try await stage.pass(milliseconds: 1000)
            let before = stage.journal.soundMessages
            try await stage.pass(milliseconds: 1000)
            #expect(stage.journal.soundMessages == before, "silence is not sent")
            let length = stage.journal.sent().count
            stage.say("What time is it in the kitchen?", voice: .natural)
            // The service has heard the silence that ends a turn.
            try await stage.reach(.aiSpeaking)
            try await stage.reach(.listening, times: 2)
            // Two seconds after the last sign of a voice.
            try await stage.pass(milliseconds: 3500)
            let after = stage.journal.soundMessages
            try await stage.pass(milliseconds: 1000)
            #expect(stage.journal.soundMessages == after, "it is shut again")
            let sent = stage.journal.sent().dropFirst(length)
            let lead = (sent.firstIndex { abs($0) > 0.02 } ?? sent.endIndex) - sent.startIndex
            #expect((48 * 50...48 * 1000).contains(lead), "\(lead / 48) ms from before the first word")
            try await stage.stop()
        }
    }
}
