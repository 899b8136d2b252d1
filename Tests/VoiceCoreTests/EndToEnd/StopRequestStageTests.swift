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
    /// "Stop", given to a whole daemon in each way: what the room hears, and what remains at service and agent.
    @Suite struct StopRequestStageTests {
        enum Way: String, CaseIterable, CustomTestStringConvertible {
            case command, interruptCommand, key

            var testDescription: String { rawValue }
        }

        private static let next = ConversationScript.Turn.say("Very well.")
        /// About ten seconds of tones.
        private static let long = String(repeating: "One two three four five six seven eight nine ten. ", count: 6)

        private func stop(_ stage: Stage, _ way: Way) async throws {
            switch way {
            case .command: _ = try await stage.perform("stop")
            case .interruptCommand: _ = try await stage.perform("interrupt")
            case .key: stage.daemon?.press(.stop)
            }
        }

        /// The frame that the loudspeaker has reached.
        private func frame(_ stage: Stage) -> Int {
            Int(stage.ports?.gauges.counters.cycles ?? 0) * AudioFormat.periodFrames
        }

        /// Expects silence from 50 ms after `frame` on, plus one period for the card itself.
        private func expectSilence(_ tones: MarkerTones, since frame: Int, until end: Int? = nil) {
            let begin = frame + 60 * 48
            #expect(!tones.sounds(in: begin..<max(begin, end ?? tones.length)), "\(frame / 48) ms: \(tones)")
        }

        @Test(arguments: Way.allCases)
        func receivedSpeechStopsWithoutAConnection(way: Way) async throws {
            let stage = try Stage([.say(Self.long)], speed: 0)
            try await stage.start { $0.realtime.transcription = true }
            try await stage.reach(.listening)
            stage.say("Tell")
            try await stage.reach(.aiSpeaking)
            try await stage.pass(milliseconds: 500)
            await stage.simulator.dropConnections()
            try await stage.journal.wait(for: "the loss") { entries in
                entries.contains {
                    if case .effect(.note(.connectionLost), _) = $0 { true } else { false }
                }
            }
            let frame = frame(stage)
            try await stop(stage, way)
            try await stage.pass(milliseconds: 2500)
            let (tones, _) = try await stage.stop()
            #expect(tones.sounds(in: 0..<frame), "it spoke")
            expectSilence(tones, since: frame)
        }

        @Test(arguments: Way.allCases)
        func awaitedAnswerIsCancelled(way: Way) async throws {
            let stage = try Stage([.ask("What is on?"), Self.next]) { _ in
                .init(.reply("Two meetings."), delayMilliseconds: 1500)
            }
            try await stage.start()
            try await stage.reach(.listening)
            stage.say("Hey")
            try await stage.reach(.waitingForJarvis)
            let frame = frame(stage)
            try await stop(stage, way)
            try await stage.reach(.listening, times: 2)
            try await stage.pass(milliseconds: 2500)
            let end = self.frame(stage)
            #expect(stage.agent.requests.first?.disconnectedEarly == true, "nobody works for nobody")
            stage.say("Hello again")
            try await stage.reach(.listening, times: 3)
            let (tones, _) = try await stage.stop()
            #expect(stage.journal.outputs == [ConversationMachine.stoppedOutput])
            #expect(stage.journal.client("response.create").isEmpty)
            expectSilence(tones, since: frame, until: end)
            #expect(tones.sounds(in: end..<tones.length), "who speaks again is answered")
        }

        @Test(arguments: Way.allCases)
        func unfinishedTurnIsForgotten(way: Way) async throws {
            let stage = try Stage([.ask("What is on?"), .ask("What is on?")])
            try await stage.start()
            try await stage.reach(.listening)
            stage.say("What is on today my dear old friend and tomorrow")
            try await stage.reach(.userSpeaking)
            try await stage.pass(milliseconds: 300)
            try await stop(stage, way)
            try await stage.reach(.listening, times: 2)
            try await stage.pass(milliseconds: 4000)
            #expect(stage.agent.requests.isEmpty)
            #expect(stage.journal.client("input_audio_buffer.clear").count == 1)
            let end = frame(stage)
            stage.say("What is on")
            try await stage.reach(.listening, times: 3)
            let (tones, _) = try await stage.stop()
            #expect(stage.agent.requests.count { $0.query != nil } == 1, "who speaks again is heard")
            expectSilence(tones, since: 0, until: end)
        }

        @Test func stopWordCancelsTheRequest() async throws {
            let words = ScriptedWords()
            let stage = try Stage([.ask("What is on?")]) { _ in .init(.reply("Two meetings."), delayMilliseconds: 1500)
            }
            try await stage.startListening(for: words)
            stage.call()
            try await stage.reach(.listening)
            stage.say("Hey what is on")
            try await stage.reach(.waitingForJarvis)
            words.find("stop")
            try await stage.reach(.listening, times: 2)
            try await stage.pass(milliseconds: 2500)
            let (tones, _) = try await stage.stop()
            #expect(stage.agent.requests.first?.disconnectedEarly == true)
            #expect(stage.journal.outputs == [ConversationMachine.stoppedOutput])
            #expect(tones.spell("Checking."), "\(tones)")
        }

        /// Mute while the user speaks is an intended end: no error tone, no line about a lost question.
        @Test func muteDuringATurnIsNotAFailure() async throws {
            let stage = try Stage([Self.next])
            try await stage.start()
            try await stage.reach(.listening)
            stage.say("What is on today my dear old friend and tomorrow")
            try await stage.reach(.userSpeaking)
            _ = try await stage.perform("mute")
            try await stage.reach(.idle)
            _ = try await stage.perform("unmute")
            try await stage.reach(.listening, times: 2)
            try await stage.stop()
            #expect(!stage.log.lines.contains { $0.contains("the question is lost") })
            let tones = stage.journal.entries.filter {
                if case .effect(.play, _) = $0 { true } else { false }
            }
            #expect(tones.isEmpty, "\(tones)")
        }
    }
}
