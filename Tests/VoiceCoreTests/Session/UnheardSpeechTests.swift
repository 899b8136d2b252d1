import Testing

@testable import TestSupport
@testable import VoiceAudio
@testable import VoiceConversation
@testable import VoiceCore
@testable import VoiceNetwork
@testable import VoiceSession

/// Speech into a connection that breaks before the service has reacted to it counts as missed.
struct UnheardSpeechTests {
    /// In ms after the latest event: when the voice ended, and how long the connection remained.
    struct Case: Sendable {
        var voice: Int?
        var rest: Int
        var isMissed: Bool
    }

    /// The service sends one event, receives audio, and closes the connection.
    @Test(arguments: [
        Case(voice: 100, rest: 0, isMissed: true), Case(voice: 100, rest: 1800, isMissed: true),
        Case(voice: 100, rest: 2200, isMissed: false), Case(voice: nil, rest: 500, isMissed: false),
        Case(voice: 0, rest: 500, isMissed: false),
    ])
    func unansweredSpeechIsMissed(_ example: Case) async throws {
        let server = try LoopbackServer { socket in
            socket.upgrade()
            socket.write(WebSocketFrames.text(#"{"type":"marker"}"#))
            _ = socket.readFrame()
        }
        let request = WebSocketRequest(url: "ws://127.0.0.1:\(server.port)/", deadPeerLimit: .seconds(600))
        let failures = Collected<LinkFailure>()
        let (ended, end) = AsyncStream<Void>.makeStream()
        try await NetworkThread.with { network in
            let ports = AudioPorts()
            // Speech before the event was heard.
            Self.capture(200, into: ports)
            ports.microphone.notes.voiceUntil = ports.microphone.ring.writePosition
            let pump = NetworkConfined(VoicePump(ports, options: .init()) { _, _ in }, on: network)
            network.connect(request) { connection in
                let held = Held()
                let link = ServiceSocket.realtime(connection, pump: pump.onThread) { event, _ in
                    switch event {
                    case .service(.unknown("marker")):
                        guard let link = held.link else { return }
                        link.openMicrophone()
                        if let voice = example.voice, voice > 0 {
                            Self.capture(voice, into: ports)
                            ports.microphone.notes.voiceUntil = ports.microphone.ring.writePosition
                        }
                        Self.capture(example.rest, into: ports)
                        // At least two chunks, so that the server receives something.
                        Self.capture(20, into: ports)
                        _ = pump.onThread.tick()
                    case .disconnected(let failure):
                        failures.add([failure])
                        end.finish()
                    default: break
                    }
                }
                held.link = link
                return link
            }
            for await _ in ended {}
        }
        #expect(failures.all.map(\.missedSpeech) == [example.isMissed])
    }

    private static func capture(_ milliseconds: Int, into ports: AudioPorts) {
        let samples = [Int16](repeating: 100, count: milliseconds * 24)
        #expect(ports.microphone.ring.write(samples, count: samples.count) == samples.count)
    }

    private final class Held {
        weak var link: ServiceSocket<RealtimeWire>?
    }
}
