package import Logging
internal import VoiceBase

/// Keeps audio running: the audio thread and one `DeviceSupervisor` per side.
package actor AudioSupervisor {
    /// How long the start waits for the devices before it continues without them.
    private static let patience = Duration.seconds(2)
    /// How long it waits for a device that must be there.
    private let longPatience: Duration

    private let configuration: AudioConfiguration
    private let ports: AudioPorts
    private let logger: Logger
    private let devices: [DeviceSupervisor]
    private let rooms: RoomMemory?
    private var thread: AudioThread?
    private var watch: Task<Void, Never>?
    private var reported = Troubles()
    private var seen = Troubles()
    private var disturbances = DisturbancePace()
    private var duplex = DuplexLog()
    private var isStopped = false
    private var advice = LevelAdvice()

    /// - Parameters:
    ///   - stateDirectory: folder that holds the remembered echo; nil to forget it.
    ///   - longPatience: how long to wait for a device that must be there.
    package init(
        configuration: AudioConfiguration,
        ports: AudioPorts,
        stateDirectory: String? = nil,
        longPatience: Duration = .seconds(5),
        logger: Logger
    ) {
        self.configuration = configuration
        self.longPatience = longPatience
        self.ports = ports
        self.logger = logger
        rooms = stateDirectory.map {
            RoomMemory(
                directory: $0, microphone: ports.capture, loudspeaker: ports.playback, gauges: ports.gauges,
                exchange: ports.echoPath, volumes: ports.volumes, logger: logger
            )
        }
        guard case .alsa(let capture, let playback) = configuration.source else {
            devices = []
            (ports.capture.device, ports.playback.device) = ("file", "file")
            return
        }
        devices = [
            DeviceSupervisor(
                configuration.request(capture, .capture), slot: ports.capture, beside: ports.playback, logger: logger
            ),
            DeviceSupervisor(
                configuration.request(playback, .playback), slot: ports.playback, beside: ports.capture, logger: logger
            ),
        ]
    }

    /// Starts the thread and the search for the devices. A device that is absent now is used once it appears.
    ///
    /// - Parameter insisting: the sides that must be available immediately.
    /// - Throws: errors that waiting cannot fix, such as an ambiguous name, or the reason if a required side is absent.
    package func start(insisting: Set<AudioDirection> = []) async throws {
        await rooms?.start()
        try await startThread(isFirst: true)
        let devices = devices
        let rooms = rooms
        var speed = 1.0
        if case .file(let room) = configuration.source { speed = room.speed }
        let aligner = EchoAligner(feed: ports.alignment, bell: ports.bell, logger: logger, speed: speed)
        watch = Task {
            await withDiscardingTaskGroup { group in
                group.addTask { await aligner.run() }
                if let rooms { group.addTask { [bell = ports.bell] in await rooms.run(bell) } }
                for device in devices { group.addTask { await device.keep() } }
                group.addTask { await self.keepThread() }
            }
        }
        let begin = Monotonic.now()
        for device in devices {
            let isNeeded = insisting.contains(device.direction)
            let patience = isNeeded ? longPatience : Self.patience
            while await !device.hasTried, Monotonic.now() - begin < patience {
                try? await Task.sleep(for: .milliseconds(5))
            }
            if let error = await device.refusal, error.isOfTheConfiguration || isNeeded {
                await stop()
                throw error
            }
            if isNeeded, await !device.hasTried {
                await stop()
                throw await device.unanswered
            }
        }
    }

    package func stop() async {
        isStopped = true
        watch?.cancel()
        await rooms?.stop()
        if let thread {
            await thread.stop(drain: true)
            self.thread = nil
        } else {
            // For a thread that is being started: opening its device may take longer than the end of the daemon.
            ports.requests.stop = .atOnce
        }
        for device in devices { await device.stop() }
        ports.bell.close()
    }

    /// Closes or reopens the capture device. While it is closed, only the loudspeaker is open.
    package func setCapture(open: Bool) async {
        ports.requests.isMicrophoneMuted = !open
        for device in devices where device.direction == .capture { await device.setClosed(!open) }
    }

    /// Sets whether the loudspeaker is given back after a minute of silence, so that another program can have it.
    package nonisolated func mayRestLoudspeaker(_ mayRest: Bool) { ports.playback.mayRest = mayRest }

    /// Replaces the microphone by silence from the next cycle until `setCapture`; its device stays as it is.
    package nonisolated func silenceMicrophone() { ports.requests.isMicrophoneMuted = true }

    private func startThread(isFirst: Bool) async throws {
        guard !isStopped else { return }
        ports.requests.stop = .none
        let thread = try await AudioThread.start(configuration: configuration, ports: ports)
        // `stop` may have been called meanwhile.
        guard !isStopped else { return await thread.stop() }
        self.thread = thread
        guard isFirst else { return }
        if let errno = thread.report.realtimeRefused {
            logger.warning(
                """
                no real-time priority: audio may break up under load; allow it with LimitRTPRIO in the unit, or \
                without systemd with rtprio in /etc/security/limits.d
                """,
                metadata: ["errno": .public(errno)]
            )
        }
        if let errno = thread.report.lockRefused {
            logger.info(
                """
                memory is not locked: audio may break up when the machine swaps; allow it with LimitMEMLOCK in the \
                unit, or without systemd with memlock in /etc/security/limits.d
                """,
                metadata: ["errno": .public(errno)]
            )
        }
    }

    /// Restarts the thread if it ends without a request.
    private func keepThread() async {
        var pause = Duration.milliseconds(250)
        var seen = ports.bell.rings
        while !Task.isCancelled {
            await ports.bell.wait(&seen, until: Doorbell.beat())
            logTroubles()
            logDuplex()
            guard ports.gauges.state == .stopped, !isStopped, !Task.isCancelled else { continue }
            if let thread {
                logger.error("the audio thread has ended; restarting it")
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

    /// Counters for the last line of the log.
    package nonisolated var counters: Logger.Metadata { Troubles(ports.gauges.counters).metadata }

    /// Logs losses since the last line, ever more rarely while they continue.
    private func logTroubles() {
        let now = Troubles(ports.gauges.counters)
        let time = Monotonic.now()
        if let line = advice.line(ports.gauges.levels, at: time) { logger.warning("\(line)") }
        defer { seen = now }
        guard disturbances.step(isDisturbed: now.isWorse(than: seen), isNews: now.isWorse(than: reported), at: time)
        else { return }
        reported = now
        logger.warning("sound was disturbed", metadata: .event(.soundDisturbed, now.metadata))
    }

    private func logDuplex() {
        guard let line = duplex.step(ports.gauges.echo, at: Monotonic.now()) else { return }
        logger.log(level: line.isTrouble ? .warning : .info, "\(line.text)", metadata: .event(.duplex, line.metadata))
    }

    private struct Troubles {
        private let counters: EngineCounters

        init(_ counters: EngineCounters = EngineCounters()) { self.counters = counters }

        /// Whether sound was lost since `other`. Slips are inaudible.
        func isWorse(than other: Troubles) -> Bool { losses != other.losses }

        private var losses: [UInt64] {
            [counters.captureXruns, counters.playbackXruns, counters.lostPeriods, counters.microphoneOverruns]
        }

        var metadata: Logger.Metadata {
            [
                "capture_xruns": .public(counters.captureXruns), "playback_xruns": .public(counters.playbackXruns),
                "lost_periods": .public(counters.lostPeriods), "slips": .public(counters.slips),
                "microphone_overruns": .public(counters.microphoneOverruns),
            ]
        }
    }
}
