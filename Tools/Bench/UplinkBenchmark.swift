internal import Synchronization
import VoiceAudio
import VoiceBase
import VoiceCore
import VoiceSession
import VoiceSimulator

/// Time from the microphone to the socket, in real time.
///
/// Measured from the capture of a chunk's newest sample (the instant at which its period could be read, minus what the
/// card still held) until the append message is in the socket's send buffer: echo canceller, resampler, ring, the
/// network thread's wake-up, base64. The oldest sample of the chunk additionally waits for the rest of the chunk.
enum UplinkBenchmark {
    static let benchmark = Benchmark(
        name: "uplink", title: "Microphone -> socket (chunks of 20 ms, file in place of a card)", run: run
    )

    private static let chunk = 20.0
    private static let period = 10.0

    private static func run(_ isQuick: Bool) async throws -> [Figure] {
        let services = try await SimulatedServices.start(ConversationScript(turns: []))
        let room = try FileRoom()
        let daemon = try services.daemon(room: room)
        try await daemon.start()
        try await daemon.isListening()
        daemon.pump.perform { $0.uplink.clearLatencies() }
        try await Task.sleep(for: .seconds(isQuick ? 3 : 10))
        let newest = Mutex<(values: [Double], dropped: Int)?>(nil)
        daemon.pump.perform { pump in
            newest.withLock { $0 = (pump.uplink.latencies.milliseconds, pump.uplink.chunksDropped) }
        }
        for _ in 0..<100 where newest.withLock({ $0 == nil }) { try await Task.sleep(for: .milliseconds(10)) }
        await daemon.stop()
        await services.stop()
        guard let result = newest.withLock({ $0 }), !result.values.isEmpty else {
            throw BenchProblem("no chunk was sent")
        }
        return [
            Figure("newest sample of a chunk", Samples(result.values), unit: "ms"),
            Figure(
                "oldest sample of a chunk (newest + \(chunk.text))",
                Samples(result.values.map { $0 + chunk }),
                unit: "ms",
                below: period + chunk
            ),
            Figure("chunks dropped", Double(result.dropped), unit: "", atMost: 0),
        ]
    }
}
