package import Logging
package import VoiceAudio
internal import VoiceBase

/// Plays the test signal on the configured devices and measures what returns.
package struct EchoTest: Sendable {
    let configuration: AudioConfiguration
    private let logger: Logger
    /// How much longer than the sound itself each part may take.
    private let slack: Duration

    /// - Parameter slack: how much longer than the sound itself the test may take.
    package init(configuration: AudioConfiguration, logger: Logger, slack: Duration = .seconds(3)) {
        self.slack = slack
        var configuration = configuration
        // Measures what the canceller can do, regardless of the configured use of it.
        configuration.duplex = .auto
        configuration.earcons = false
        self.configuration = configuration
        self.logger = logger
    }

    /// Takes about ten seconds. Cancellation ends it promptly, closes the devices and returns nil.
    package func run() async throws -> EchoTestResult? {
        let ports = AudioPorts()
        let sound = AudioSupervisor(configuration: configuration, ports: ports, logger: logger)
        try await sound.start(insisting: [.capture, .playback])
        let result = await measure(ports)
        await sound.stop()
        return result
    }

    private func isLost(_ ports: AudioPorts) -> Bool {
        guard case .alsa = configuration.source else { return false }
        return ports.capture.losses + ports.playback.losses > 0
    }

    /// How playing a signal ended.
    private enum Ending {
        /// It was heard, took too long, or the audio thread has stopped.
        case over
        case lost
        case cancelled
    }

    /// Plays a signal until it was heard; gives up on sound that stalls.
    ///
    /// - Parameters:
    ///   - seconds: its duration, without `slack`.
    ///   - look: called every 20 ms with the number of its samples that were heard.
    private func play(
        _ signal: [Int16],
        seconds: Double,
        _ ports: AudioPorts,
        look: (_ heard: Int) -> Void
    ) async -> Ending {
        let begin = ports.voice.ring.writePosition
        var written = 0
        let deadline = Monotonic.now() + .seconds(seconds) + slack
        // The remaining contents of the ring must not be played.
        defer { ports.voice.requestFlush() }
        while ports.gauges.state == .running && Monotonic.now() < deadline {
            if isLost(ports) { return .lost }
            if Task.isCancelled { return .cancelled }
            ports.microphone.ring.skip(to: ports.microphone.ring.writePosition)
            signal.withUnsafeBufferPointer { samples in
                guard let base = samples.baseAddress else { return }
                written += ports.voice.ring.write(base + written, count: samples.count - written)
            }
            let position = ports.voice.progress.heard
            let heard = Int(position - min(position, begin))
            look(heard)
            if heard >= signal.count { break }
            try? await Task.sleep(for: .milliseconds(20))
        }
        return .over
    }

    private func measure(_ ports: AudioPorts) async -> EchoTestResult? {
        let signal = EchoTestSignal.samples()
        let silence = Int(EchoTestSignal.silence * Double(AudioFormat.wireRate))
        var result = EchoTestResult()
        result.hasCanceller = configuration.echoCanceller.echoCancellation
        let ending = await play(signal, seconds: EchoTestSignal.seconds, ports) { heard in
            if heard < silence { result.noiseFloor = ports.gauges.echo.figures.noiseFloor }
            result.secondsHeard = Double(max(0, heard - silence)) / Double(AudioFormat.wireRate)
        }
        guard ending != .cancelled else { return nil }
        result.isLost = ending == .lost
        result.isMuted = result.isLost && ports.capture.deliversOneValue
        result.status = ports.gauges.echo
        result.choice = ports.capture.choice
        result.captureXruns = Int(ports.gauges.counters.captureXruns)
        result.playbackXruns = Int(ports.gauges.counters.playbackXruns)
        return result
    }
}
