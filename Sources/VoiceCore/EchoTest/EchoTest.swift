package import Logging
internal import Synchronization

/// Plays the test signal on the configured devices and measures what comes back.
package struct EchoTest: Sendable {
    private let configuration: AudioConfiguration
    private let logger: Logger

    package init(configuration: AudioConfiguration, logger: Logger) {
        var configuration = configuration
        // Judge what the canceller can do, whatever is configured to be done with it.
        configuration.duplex = .auto
        configuration.earcons = .none
        self.configuration = configuration
        self.logger = logger
    }

    /// Takes about ten seconds. Cancellation ends it within a moment and gives nil: it closes the devices and has no
    /// verdict.
    package func run() async throws -> EchoTestResult? {
        let pipes = AudioPipes()
        let sound = SoundKeeper(configuration: configuration, pipes: pipes, logger: logger)
        try await sound.start(insisting: [.capture, .playback])
        let result = await measure(pipes)
        await sound.stop()
        return result
    }

    private func isLost(_ pipes: AudioPipes) -> Bool {
        guard case .alsa = configuration.source else { return false }
        return pipes.capture.losses.load(ordering: .relaxed) + pipes.playback.losses.load(ordering: .relaxed) > 0
    }

    private func measure(_ pipes: AudioPipes) async -> EchoTestResult? {
        let signal = EchoTestSignal.samples()
        let silence = Int(EchoTestSignal.silence * Double(AudioFormat.wireRate))
        var result = EchoTestResult()
        result.hasCanceller = configuration.echoCanceller.echoCancellation
        var written = 0
        // Sound that stalls is given up, not waited for.
        let deadline = Monotonic.now() + .milliseconds(Int(EchoTestSignal.seconds * 1000) + 3000)
        while pipes.state == .running && Monotonic.now() < deadline {
            if isLost(pipes) {
                result.isLost = true
                break
            }
            guard !Task.isCancelled else {
                pipes.requestFlush()
                return nil
            }
            pipes.microphone.skip(to: pipes.microphone.writePosition)
            signal.withUnsafeBufferPointer { samples in
                guard let base = samples.baseAddress else { return }
                written += pipes.voice.write(base + written, count: samples.count - written)
            }
            let heard = Int(pipes.voiceHeard.load(ordering: .acquiring))
            if heard < silence { result.noiseFloor = EchoStatus(pipes).noiseFloor }
            result.secondsHeard = Double(max(0, heard - silence)) / Double(AudioFormat.wireRate)
            if heard >= signal.count { break }
            try? await Task.sleep(for: .milliseconds(20))
        }
        result.status = EchoStatus(pipes)
        result.captureXruns = Int(pipes.captureXruns.load(ordering: .relaxed))
        result.playbackXruns = Int(pipes.playbackXruns.load(ordering: .relaxed))
        // What is still in the ring is not to be played out.
        pipes.requestFlush()
        return result
    }
}
