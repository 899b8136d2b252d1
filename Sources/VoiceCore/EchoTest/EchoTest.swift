package import Logging
package import VoiceAudio
internal import VoiceBase
internal import VoiceConfiguration

/// Plays the test signal on the configured devices and measures what returns.
package struct EchoTest: Sendable {
    let configuration: AudioConfiguration
    /// Whether the daemon's canceller may step in behind the device's while the daemon runs.
    private let mayTakeOver: Bool
    private let logger: Logger
    /// How much longer than the sound itself each part may take.
    private let slack: Duration

    /// - Parameters:
    ///   - worker: who cancels the echo; nil for whoever does so now.
    ///   - slack: how much longer than the sound itself each part may take.
    package init(
        configuration: AudioConfiguration,
        worker: EchoWorker? = nil,
        logger: Logger,
        slack: Duration = .seconds(3)
    ) {
        self.slack = slack
        var configuration = configuration
        // Measures what the canceller can do, regardless of the configured use of it.
        configuration.duplex = .auto
        configuration.earcons = .none
        if let worker { configuration.capture.worker = worker }
        mayTakeOver = configuration.capture.worker == nil
        configuration.capture.mayTakeOver = false
        self.configuration = configuration
        self.logger = logger
    }

    /// Takes about ten seconds, and as long again with a person's voice. Cancellation ends it promptly, closes the
    /// devices and returns nil.
    ///
    /// There is no talk over an echo that the daemon would not leave as it is: the next test shows what it would do.
    /// - Parameter whenToTalk: called when the person should start to talk; nil for a test without.
    package func run(whenToTalk: (@Sendable () -> Void)? = nil) async throws -> EchoTestResult? {
        let ports = AudioPorts()
        let sound = AudioSupervisor(configuration: configuration, ports: ports, logger: logger)
        try await sound.start(insisting: [.capture, .playback])
        ports.trace.isWanted = whenToTalk != nil
        var meter = TalkMeter()
        var result = await measure(ports, &meter)
        if let whenToTalk, result?.canTalk == true {
            whenToTalk()
            if await listen(ports, &meter) {
                let talk = meter.result(noise: result?.noiseFloor)
                result?.talk = talk
            } else {
                result = nil
            }
        }
        await sound.stop()
        return result
    }

    private func isLost(_ ports: AudioPorts) -> Bool {
        guard case .alsa = configuration.source else { return false }
        return ports.capture.losses + ports.playback.losses > 0
    }

    /// Plays noise while a person talks; returns false if cancelled.
    private func listen(_ ports: AudioPorts, _ meter: inout TalkMeter) async -> Bool {
        await play(EchoTestSignal.overTalk(), seconds: EchoTestSignal.talk, ports) { _ in
            Self.drain(ports.trace) { meter.take($0) }
        } != .cancelled
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
            let position = ports.voice.heard
            let heard = Int(position - min(position, begin))
            look(heard)
            if heard >= signal.count { break }
            try? await Task.sleep(for: .milliseconds(20))
        }
        return .over
    }

    private static func drain(_ trace: EchoTrace, _ take: (EchoPeriod) -> Void) {
        var period = EchoPeriod()
        while trace.ring.read(into: &period, count: 1) == 1 { take(period) }
    }

    private func measure(_ ports: AudioPorts, _ meter: inout TalkMeter) async -> EchoTestResult? {
        let signal = EchoTestSignal.samples()
        let silence = Int(EchoTestSignal.silence * Double(AudioFormat.wireRate))
        var result = EchoTestResult()
        result.hasCanceller = configuration.echoCanceller.echoCancellation
        let ending = await play(signal, seconds: EchoTestSignal.seconds, ports) { heard in
            if heard < silence { result.noiseFloor = EchoStatus(ports.echo).noiseFloor }
            result.secondsHeard = Double(max(0, heard - silence)) / Double(AudioFormat.wireRate)
            // The residual of the settled canceller, in the last five seconds.
            Self.drain(ports.trace) { if heard > signal.count - 5 * AudioFormat.wireRate { meter.takeAlone($0) } }
        }
        guard ending != .cancelled else { return nil }
        result.isLost = ending == .lost
        result.isMuted = result.isLost && ports.capture.deliversOneValue
        result.status = EchoStatus(ports.echo)
        result.choice = ports.capture.choice
        result.isComplete = result.secondsHeard > 0.8 * (EchoTestSignal.sweep + EchoTestSignal.speech)
        result.captureXruns = Int(ports.gauges.counters.captureXruns)
        result.playbackXruns = Int(ports.gauges.counters.playbackXruns)
        result.mayTakeOver = mayTakeOver
        return result
    }
}
