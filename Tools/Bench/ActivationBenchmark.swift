internal import Synchronization
import VoiceActivation
import VoiceAudio
import VoiceBase
import VoiceConfiguration
import VoiceConversation
import VoiceCore
import VoiceSimulator

/// Times from a call to a session that listens, and to the first audio on the wire.
///
/// The service is on loopback, without TLS: a real one adds the network's round trips (TCP, TLS, the upgrade,
/// `session.created`, `session.updated`), which a warm standby session has already done.
enum ActivationBenchmark {
    static let benchmark = Benchmark(
        name: "activation",
        title: "Call to listening (push, loopback)",
        run: run
    )

    private static func run(_ isQuick: Bool) async throws -> [Figure] {
        let count = isQuick ? 10 : 50
        return try await measured(count)
    }

    /// Instants of the latest call.
    private struct Times {
        var ready: Duration?
        var sound: Duration?
    }

    private static func measured(_ count: Int) async throws -> [Figure] {
        let times = Mutex(Times())
        let watch: @Sendable (RealtimeSimulator.Event) -> Void = { event in
            switch event {
            case .client(_, let json) where json["type"]?.string == "input_audio_buffer.append":
                let now = Monotonic.now()
                times.withLock { if $0.sound == nil { $0.sound = now } }
            default: break
            }
        }
        let services = try await SimulatedServices.start(ConversationScript(), events: watch)
        let room = try FileRoom()
        let daemon = try SimulatedServices.daemon(
            realtimePort: services.realtimePort,
            agentPort: services.agentPort,
            room: room,
            observer: .init(effect: { effect, _ in
                guard case .openMicrophone = effect else { return }
                let now = Monotonic.now()
                times.withLock { $0.ready = now }
            }),
            tune: {
                $0.activation.machine.mode = .push
                $0.conversation.isAlwaysOpen = false
            }
        )
        try await daemon.start()
        var ready: [Double] = []
        var sound: [Double] = []
        for _ in 1...count {
            // Lets the microphone ring fill first.
            try await pause(100)
            times.withLock { ($0.ready, $0.sound) = (nil, nil) }
            let call = Monotonic.now()
            daemon.activate(.button)
            for _ in 0..<1000 where times.withLock({ $0.sound == nil || $0.ready == nil }) { try await pause(2) }
            let found = times.withLock { ($0.ready, $0.sound) }
            guard let first = found.0, let second = found.1 else { throw BenchProblem("no session after a call") }
            ready.append((first - call).fractionalMilliseconds)
            sound.append((second - call).fractionalMilliseconds)
            daemon.endConversation()
            for _ in 0..<500 {
                if await daemon.state == .idle, await daemon.activationStatus.phase == .idle { break }
                try await pause(10)
            }
        }
        await daemon.stop()
        await services.stop()
        return [("session ready", ready), ("first sound on the wire", sound)].map { end, times in
            let samples = Samples(times)
            return Figure(
                "cold: call -> \(end)",
                samples,
                unit: "ms",
                note: "p95 \((samples.p95 * 10).rounded() / 10)"
            )
        }
    }

    private static func pause(_ milliseconds: Int) async throws {
        try await Task.sleep(for: .milliseconds(milliseconds))
    }
}
