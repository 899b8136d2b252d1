package import Logging
internal import Synchronization
internal import VoiceBase

/// Keeps the sound alive: the audio thread, and one `DeviceKeeper` for each side of it.
package actor SoundKeeper {
    /// How long the start waits for the devices before it goes on without.
    private static let patience = Duration.seconds(2)

    private let configuration: AudioConfiguration
    private let pipes: AudioPipes
    private let logger: Logger
    private let devices: [DeviceKeeper]
    private let rooms: RoomKeeper?
    private var thread: AudioThread?
    private var watch: Task<Void, Never>?
    private var reported = Troubles()
    private var seen = Troubles()
    private var disturbances = DisturbancePace()
    private var duplex = DuplexLog()
    private var isStopped = false
    private var advice = LevelAdvice()

    /// - Parameter stateDirectory: where the echo is remembered; nil: nowhere.
    package init(
        configuration: AudioConfiguration,
        pipes: AudioPipes,
        stateDirectory: String? = nil,
        logger: Logger
    ) {
        self.configuration = configuration
        self.pipes = pipes
        self.logger = logger
        rooms = stateDirectory.map { RoomKeeper(directory: $0, pipes: pipes, logger: logger) }
        guard case .alsa(let capture, let playback) = configuration.source else {
            devices = []
            (pipes.capture.device, pipes.playback.device) = ("file", "file")
            return
        }
        devices = [
            DeviceKeeper(
                configuration.request(capture, .capture),
                side: pipes.capture,
                beside: pipes.playback,
                logger: logger
            ),
            DeviceKeeper(
                configuration.request(playback, .playback),
                side: pipes.playback,
                beside: pipes.capture,
                logger: logger
            ),
        ]
    }

    /// Starts the thread and the search for the devices. A device that is away now is taken when it comes.
    ///
    /// - Parameter insisting: the sides that must be there at once.
    /// - Throws: what no waiting can mend, such as a name that fits several devices, or why a side insisted on is away.
    package func start(insisting: Set<AudioDirection> = []) async throws {
        await rooms?.start()
        try await startThread(isFirst: true)
        let devices = devices
        let rooms = rooms
        var speed = 1.0
        if case .file(let room) = configuration.source { speed = room.speed }
        let aligner = EchoAligner(pipes: pipes, logger: logger, speed: speed)
        watch = Task {
            await withDiscardingTaskGroup { group in
                group.addTask { await aligner.run() }
                if let rooms { group.addTask { await rooms.run() } }
                for device in devices { group.addTask { await device.keep() } }
                group.addTask { await self.keepThread() }
            }
        }
        let begin = Monotonic.now()
        for device in devices {
            while await !device.hasTried, Monotonic.now() - begin < Self.patience {
                try? await Task.sleep(for: .milliseconds(5))
            }
            if let error = await device.refusal, error.isOfTheConfiguration || insisting.contains(device.direction) {
                await stop()
                throw error
            }
        }
    }

    package func stop() async {
        isStopped = true
        watch?.cancel()
        await rooms?.stop()
        await thread?.stop(drain: true)
        thread = nil
        for device in devices { await device.stop() }
    }

    /// Closes the capture device, or opens it again; nothing but the loudspeaker is open meanwhile.
    package func setCapture(open: Bool) async {
        pipes.microphoneMuted.store(!open, ordering: .releasing)
        for device in devices where device.direction == .capture { await device.setClosed(!open) }
    }

    private func startThread(isFirst: Bool) async throws {
        let thread = try await AudioThread.start(configuration: configuration, pipes: pipes)
        // The end may have come meanwhile.
        guard !isStopped else { return await thread.stop() }
        self.thread = thread
        guard isFirst else { return }
        if let errno = thread.report.realtimeRefused {
            logger.warning(
                """
                no real-time priority: sound may break up under load; allow it with LimitRTPRIO in the unit, by hand with rtprio \
                in /etc/security/limits.d
                """,
                metadata: ["errno": "\(errno)"]
            )
        }
        if let errno = thread.report.lockRefused {
            logger.info(
                """
                memory is not locked: sound may break up when the machine swaps; allow it with LimitMEMLOCK in the unit, by hand \
                with memlock in /etc/security/limits.d
                """,
                metadata: ["errno": "\(errno)"]
            )
        }
    }

    /// The thread ends only when told to. Should it end otherwise, it starts again.
    private func keepThread() async {
        var pause = Duration.milliseconds(250)
        while !Task.isCancelled {
            try? await Task.sleep(for: .milliseconds(250))
            tellTroubles()
            tellDuplex()
            guard pipes.state == .stopped, !isStopped, !Task.isCancelled else { continue }
            if let thread {
                logger.error("the audio thread has ended; starting it again")
                await thread.stop()
                self.thread = nil
            }
            do {
                try await startThread(isFirst: false)
                pause = .milliseconds(250)
            } catch {
                if pause < .seconds(1) { logger.error("the audio thread does not start: \(error)") }
                try? await Task.sleep(for: pause)
                pause = min(pause * 2, .seconds(10))
            }
        }
    }

    // MARK: Counters

    /// Counts for the last line of the log.
    package nonisolated var counters: Logger.Metadata { Troubles(pipes).metadata }

    /// One line for what went wrong since the last one, ever more rarely while it goes on.
    private func tellTroubles() {
        let now = Troubles(pipes)
        let time = Monotonic.now()
        if let line = advice.line(pipes, at: time) { logger.warning("\(line)") }
        defer { seen = now }
        guard disturbances.step(isDisturbed: now != seen, isNews: now != reported, at: time) else { return }
        reported = now
        logger.warning("sound was disturbed", metadata: .event(.soundDisturbed, now.metadata))
    }

    private func tellDuplex() {
        guard let line = duplex.step(EchoStatus(pipes), at: Monotonic.now()) else { return }
        logger.log(level: line.isTrouble ? .warning : .info, "\(line.text)", metadata: .event(.duplex, line.metadata))
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

        var metadata: Logger.Metadata {
            [
                "capture_xruns": "\(captureXruns)", "playback_xruns": "\(playbackXruns)", "slips": "\(slips)",
                "microphone_overruns": "\(overruns)",
            ]
        }
    }
}
