import Testing

@testable import TestSupport
@testable import VoiceAudio
@testable import VoiceConversation
@testable import VoiceCore
@testable import VoiceNetwork
@testable import VoiceSession

/// A service may report speech; this machine knows better whether a voice was heard.
struct SilentTurnTests {
    /// In ms of the microphone: when the service reports the beginning of a turn, its duration, and when a voice was
    /// last heard.
    struct Case: Sendable {
        var begins: Int
        var lasts = 1000
        var voice: Int?
        var hasDetector = true
        /// When the connection gets the microphone; nil for never. And from when on audio was kept for it.
        var opens: Int? = 0
        var holds: Int?
        /// Whether nothing is sent during the turn.
        var stalls = false
        var isSilent: Bool
    }

    @Test(arguments: [
        Case(begins: 20_000, voice: nil, isSilent: true),
        Case(begins: 20_000, voice: nil, hasDetector: false, isSilent: false),
        // During the turn, or before it within the delay of a slow connection.
        Case(begins: 20_000, voice: 20_500, isSilent: false), Case(begins: 20_000, voice: 15_000, isSilent: false),
        Case(begins: 20_000, voice: 13_000, isSilent: true), Case(begins: 1000, voice: 10, isSilent: false),
        // A connection without the microphone has heard no one, whatever this machine knows.
        Case(begins: 20_000, voice: 20_500, opens: nil, isSilent: true),
        Case(begins: 20_000, voice: 20_500, hasDetector: false, opens: nil, isSilent: true),
        // Speech that this connection was not sent was not said to it: neither what was captured before it was opened,
        // nor what was captured before audio was held for it.
        Case(begins: 20_500, voice: 19_500, opens: 20_000, isSilent: true),
        Case(begins: 20_500, voice: 20_200, opens: 20_000, isSilent: false),
        Case(begins: 20_000, voice: 17_500, opens: 20_000, holds: 18_000, isSilent: true),
        Case(begins: 20_000, voice: 18_500, opens: 20_000, holds: 18_000, isSilent: false),
        Case(begins: 20_000, voice: 11_500, opens: 20_000, holds: 11_000, isSilent: false),
    ])
    func turnWithoutAVoiceIsReported(_ example: Case) async throws {
        let reported = try await Self.turns([example])
        #expect(reported == [example.isSilent])
    }

    /// A voice belongs to one turn.
    @Test func voiceOfThePreviousTurnDoesNotCount() async throws {
        let first = Case(begins: 20_000, voice: 20_500, isSilent: false)
        let reported = try await Self.turns([first, Case(begins: 22_000, voice: 20_500, isSilent: true)])
        #expect(reported == [false, true])
    }

    /// A voice captured in the previous turn but not sent before its end belongs to the next one.
    @Test func unsentVoiceBelongsToTheNextTurn() async throws {
        let first = Case(begins: 20_000, voice: 19_800, stalls: true, isSilent: false)
        let reported = try await Self.turns([first, Case(begins: 22_000, voice: 20_500, isSilent: false)])
        #expect(reported == [false, false])
    }

    /// Returns for each turn whether it was reported as silent.
    private static func turns(_ cases: [Case]) async throws -> [Bool] {
        let events = cases.indices.map { index in
            #"{"type":"input_audio_buffer.speech_started","item_id":"i\#(index)","audio_start_ms":0}"#
                + "\n" + #"{"type":"input_audio_buffer.committed","item_id":"i\#(index)"}"#
        }
        let server = try LoopbackServer { socket in
            socket.upgrade()
            socket.write(WebSocketFrames.text(#"{"type":"marker"}"#))
            for event in events {
                for line in event.split(separator: "\n") { socket.write(WebSocketFrames.text(String(line))) }
            }
            socket.write(WebSocketFrames.text(#"{"type":"end"}"#))
            _ = socket.readFrame()
        }
        let request = WebSocketRequest(url: "ws://127.0.0.1:\(server.port)/", deadPeerLimit: .seconds(600))
        let reported = Collected<ConversationEvent>()
        let (ended, end) = AsyncStream<Void>.makeStream()
        try await NetworkThread.with { network in
            let ports = AudioPorts()
            var options = VoicePump.Options()
            options.hasVoiceDetector = cases[0].hasDetector
            let pump = NetworkConfined(VoicePump(ports, options: options) { _, _ in }, on: network)
            network.connect(request) { connection in
                let held = Held()
                let link = ServiceSocket.realtime(connection, pump: pump.onThread) { event, _ in
                    switch event {
                    case .service(.unknown("marker")):
                        guard let link = held.link else { return }
                        let first = cases[0]
                        if let holds = first.holds {
                            held.advance(ports, to: holds, voice: first.voice)
                            pump.onThread.uplink.hold()
                            held.takes = false
                        }
                        if let opens = first.opens {
                            held.advance(ports, to: opens, voice: first.voice)
                            link.openMicrophone()
                        }
                        held.takes = true
                        held.advance(ports, to: first.begins, voice: first.voice)
                    case .service(.userStarted):
                        let turn = cases[held.turn]
                        held.takes = !turn.stalls
                        held.advance(ports, to: turn.begins + turn.lasts, voice: turn.voice)
                    case .turnWasSilent: reported.add([event])
                    case .service(.userTurn):
                        reported.add([event])
                        held.turn += 1
                        held.takes = true
                        if held.turn < cases.count {
                            held.advance(ports, to: cases[held.turn].begins, voice: cases[held.turn].voice)
                        }
                    case .service(.unknown("end")), .disconnected: end.finish()
                    default: break
                    }
                }
                held.link = link
                return link
            }
            for await _ in ended {}
        }
        withExtendedLifetime(server) {}
        var result: [Bool] = []
        var isSilent = false
        for event in reported.all {
            if case .turnWasSilent = event {
                isSilent = true
            } else {
                result.append(isSilent)
                isSilent = false
            }
        }
        return result
    }

    private final class Held {
        weak var link: ServiceSocket<RealtimeWire>?
        var turn = 0
        /// Whether captured audio is taken.
        var takes = true

        /// Captures audio up to this time, and takes it.
        func advance(_ ports: AudioPorts, to milliseconds: Int, voice: Int?) {
            let samples = [Int16](repeating: 0, count: 2400)
            while ports.microphone.ring.writePosition < UInt64(milliseconds * 24) {
                _ = ports.microphone.ring.write(samples, count: samples.count)
                if takes { ports.microphone.ring.skip(to: ports.microphone.ring.writePosition) }
            }
            guard let voice, voice <= milliseconds else { return }
            ports.microphone.notes.voiceUntil = UInt64(voice * 24)
        }
    }
}
