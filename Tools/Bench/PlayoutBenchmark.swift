import CLinux
internal import Glibc
internal import Synchronization
import VoiceAudio
import VoiceCore
import VoiceNetwork
import VoiceSession

/// Time from an audio delta to the loudspeaker's buffer.
///
/// Each trial passes one delta message with exactly the start buffer's worth of speech to the code of the network
/// thread, at a random instant of the period. Measured from before the message is parsed until the audio thread has
/// written the period with its first sample to the device.
enum PlayoutBenchmark {
    static let benchmark = Benchmark(
        name: "playout", title: "Audio delta -> written to the device (start buffer filled by it)", run: run
    )

    private static let startBuffer = 60

    private static func run(_ isQuick: Bool) async throws -> [Figure] {
        let ports = AudioPorts()
        var configuration = AudioConfiguration()
        configuration.source = .file(try FileRoom())
        configuration.realtimePriority = 0
        configuration.lockMemory = false
        let audio = try await AudioThread.start(configuration: configuration, ports: ports)
        let network = NetworkThread()
        try network.start()
        let pump = NetworkConfined(
            VoicePump(
                microphone: ports.microphone,
                voice: ports.voice,
                volumes: ports.volumes,
                loudspeaker: nil,
                options: .init(startBuffer: startBuffer)
            ) { _, _ in },
            on: network
        )
        network.add { pump.onThread.tick() }
        var random = SystemRandomNumberGenerator()
        var waits: [Double] = []
        for trial in 0..<(isQuick ? 20 : 60) {
            try await Task.sleep(for: .microseconds(Int64.random(in: 0..<10_000, using: &random)))
            if let wait = try await once(trial, pump, ports.voice) { waits.append(wait) }
        }
        await network.stop()
        await audio.stop()
        guard !waits.isEmpty else { throw BenchProblem("no sound was written") }
        return [
            Figure(
                "delta -> device", Samples(waits), unit: "ms", below: 10,
                note: "a period is waited for, 5 ms in the middle"
            )
        ]
    }

    /// Runs one trial and returns its time in milliseconds; nil if nothing was written. Returns once all audio has been
    /// played.
    private static func once(
        _ trial: Int,
        _ pump: NetworkConfined<VoicePump>,
        _ voice: VoiceSink
    ) async throws -> Double? {
        let message = DeltaMessage(trial: trial, milliseconds: startBuffer)
        let before = voice.ring.writePosition
        let arrival = Arrival()
        pump.perform { pump in
            arrival.nanoseconds.store(clinux_monotonic_ns(), ordering: .releasing)
            message.play(to: pump)
        }
        var written: UInt64?
        for _ in 0..<400 {
            if written == nil, voice.progress.consumed > before {
                written = voice.progress.writtenNanoseconds
            }
            if written != nil, voice.progress.heard == voice.ring.writePosition { break }
            try await Task.sleep(for: .milliseconds(1))
        }
        // The pump notices at its next tick that all audio has been played.
        try await Task.sleep(for: .milliseconds(45))
        return written.map { Double($0 &- arrival.nanoseconds.load(ordering: .acquiring)) / 1e6 }
    }

    private final class Arrival: Sendable {
        let nanoseconds = Atomic<UInt64>(0)
    }
}
