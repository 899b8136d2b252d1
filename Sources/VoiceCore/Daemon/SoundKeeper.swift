internal import Logging
internal import Synchronization

/// Keeps the audio thread alive: starts it, watches it, opens the card again after a loss.
actor SoundKeeper {
    private let configuration: AudioConfiguration
    private let pipes: AudioPipes
    private let logger: Logger
    private var thread: AudioThread?
    private var reported = Troubles()
    private var lastReport = Duration.zero
    private var duplex = DuplexLog()
    private var isStopped = false

    init(configuration: AudioConfiguration, pipes: AudioPipes, logger: Logger) {
        self.configuration = configuration
        self.pipes = pipes
        self.logger = logger
    }

    func start() async throws {
        let thread = try await AudioThread.start(configuration: configuration, pipes: pipes)
        // The end may have come while the card was being opened.
        guard !isStopped else { return await thread.stop() }
        self.thread = thread
        let report = thread.report
        logger.info("sound", metadata: ["capture": "\(report.capture)", "playback": "\(report.playback)"])
        if let errno = report.realtimeRefused {
            logger.warning(
                "no real-time priority: sound may break up under load; allow it with LimitRTPRIO in the unit",
                metadata: ["errno": "\(errno)"]
            )
        }
    }

    /// Looks after the thread until cancelled.
    func keep() async {
        var pause = Duration.milliseconds(500)
        while !Task.isCancelled {
            try? await Task.sleep(for: .milliseconds(250))
            tellTroubles()
            tellDuplex()
            guard case .lost(let errno) = pipes.state, !Task.isCancelled else { continue }
            logger.error("the sound card is lost; trying to open it again", metadata: ["errno": "\(errno)"])
            await thread?.stop()
            thread = nil
            while !Task.isCancelled, thread == nil {
                try? await Task.sleep(for: pause)
                guard !Task.isCancelled else { return }
                do {
                    try await start()
                    pause = .milliseconds(500)
                } catch {
                    if pause < .seconds(1) { logger.warning("the sound card is still away: \(error)") }
                    pause = min(pause * 2, .seconds(10))
                }
            }
        }
    }

    func stop() async {
        isStopped = true
        await thread?.stop(drain: true)
        thread = nil
    }

    /// Counts for the last line of the log.
    nonisolated var counters: Logger.Metadata {
        let now = Troubles(pipes)
        return [
            "capture_xruns": "\(now.captureXruns)", "playback_xruns": "\(now.playbackXruns)", "slips": "\(now.slips)",
        ]
    }

    /// One line for what went wrong since the last one, every five seconds at most.
    private func tellTroubles() {
        let now = Troubles(pipes)
        let time = Monotonic.now()
        guard now != reported, time - lastReport >= .seconds(5) else { return }
        reported = now
        lastReport = time
        logger.warning(
            "sound was disturbed",
            metadata: [
                "capture_xruns": "\(now.captureXruns)", "playback_xruns": "\(now.playbackXruns)",
                "slips": "\(now.slips)", "microphone_overruns": "\(now.overruns)",
            ]
        )
    }

    private func tellDuplex() {
        guard let line = duplex.step(EchoStatus(pipes), at: Monotonic.now()) else { return }
        logger.log(level: line.isTrouble ? .warning : .info, "\(line.text)", metadata: line.metadata)
    }

    private struct Troubles: Equatable {
        var captureXruns: UInt64 = 0
        var playbackXruns: UInt64 = 0
        var slips: UInt64 = 0
        var overruns: UInt64 = 0

        init() {}

        init(_ pipes: AudioPipes) {
            captureXruns = pipes.captureXruns.load(ordering: .relaxed)
            playbackXruns = pipes.playbackXruns.load(ordering: .relaxed)
            slips = pipes.slips.load(ordering: .relaxed)
            overruns = pipes.microphoneOverruns.load(ordering: .relaxed)
        }
    }
}
