import Glibc
import Synchronization
import Testing
import VoiceSimulator

@testable import StageSupport
@testable import TestSupport
@testable import VoiceAudio
@testable import VoiceBase
@testable import VoiceConversation

extension EndToEnd {
    @Suite struct SoakTests {
        /// The user in the room, with their view of the daemon.
        private final class Visitor: Sendable {
            private struct State {
                var user: ScriptedUser
                var ports: AudioPorts?
                var journal: Journal?
                var read = 0
                var cuts = 0
                var isReady = false
                var selfInterruptions = 0
            }

            private let words: [Float]
            private let state: Mutex<State>

            init(seed: UInt64) {
                let spoken = SpokenQuestion.samples48k(
                    "Stop that", voice: .tones, leadMilliseconds: 0, tailMilliseconds: 0
                )
                words = spoken.map { Float($0) / 32768 * 0.5 }
                var manners = ScriptedUser.Manners()
                manners.interruptsAfter = 300...900
                state = Mutex(State(user: ScriptedUser(utterances: [words.count / 48], manners: manners, seed: seed)))
            }

            func meet(_ stage: Stage) {
                state.withLock {
                    $0.ports = stage.ports
                    $0.journal = stage.journal
                }
            }

            var tally: ScriptedUser.Tally { state.withLock { $0.user.tally } }
            var selfInterruptions: Int { state.withLock { $0.selfInterruptions } }

            /// The room's time stops while the network thread has more than 200 ms of the microphone to fetch.
            func listen(_ room: FileRoom, _ played: UnsafeBufferPointer<Float>) {
                let (speaks, ports) = state.withLock { state in
                    look(&state)
                    let around = ScriptedUser.Environment(
                        isSounding: played.contains { abs($0) > 0.003 },
                        cuts: state.cuts,
                        isReady: state.isReady
                    )
                    return (state.user.step(around) != nil, state.ports)
                }
                if speaks { room.say(words) }
                for _ in 0..<500 where (ports?.microphone.ring.availableToRead ?? 0) > 4800 { usleep(1000) }
            }

            private func look(_ state: inout State) {
                guard let entries = state.journal?.entries else { return }
                for entry in entries[state.read...] {
                    switch entry {
                    case .effect(.stopVoice, _): state.cuts += 1
                    case .state(let next): state.isReady = ![.connecting, .idle].contains(next)
                    case .wire(.server(_, let event)) where event["type"] == "input_audio_buffer.speech_started":
                        // The journal lags slightly behind the room.
                        if (state.user.sinceSpeech ?? .max) > 1500 { state.selfInterruptions += 1 }
                    default: break
                    }
                }
                state.read = entries.count
            }
        }

        @Test func tenInterruptionsAreHeardOverEcho() async throws {
            let visitor = Visitor(seed: 3)
            let answer = "One two three four five six seven eight nine ten eleven twelve."
            let stage = try Stage(
                (0..<100).map { _ in .say(answer) },
                speed: 20,
                environment: .init(
                    echo: .init(
                        delayMilliseconds: 20, gainDecibels: -25, reverberationMilliseconds: 200, noiseDecibels: -65
                    ),
                    speed: 8,
                    listener: visitor.listen
                )
            )
            try await stage.start(adjust: {
                $0.echo.mode = .auto
                $0.echo.noiseSuppression = .moderate
                $0.echo.highPass = true
            })
            visitor.meet(stage)
            for _ in 0..<600 where visitor.tally.bargeIns < 10 { try await Task.sleep(for: .milliseconds(50)) }
            let ports = try #require(stage.ports)
            try await stage.stop()
            #expect(visitor.tally.bargeIns >= 10, "\(visitor.tally)")
            #expect(visitor.tally.missed == 0)
            #expect(visitor.selfInterruptions == 0)
            #expect(ports.gauges.counters.microphoneOverruns == 0)
            #expect(ports.gauges.counters.slips == 0)
            #expect(stage.journal.server("error").isEmpty)
        }
    }
}
