import ArgumentParser
import FoundationEssentials
import Glibc
import Logging
import ServiceLifecycle
import UnixSignals
import VoiceAudio
import VoiceBase
import VoiceCore
import VoiceSession

/// `jarvis-voiced run`: the daemon.
struct Run: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Run the daemon: listen, ask Jarvis, speak.")

    @OptionGroup var options: ConfigurationOptions

    func run() async throws {
        if isatty(STDIN_FILENO) == 1 { HeldSignals.releaseHangUp() }
        try exiting { try DescriptorLimit.check() }
        ProcessEnvironment.close()
        ChildProcesses.adoptOrphans()
        let (loaded, secrets) = try options.load()
        let events = DaemonEvents()
        let logger = makeLogger(level: loaded.values.log.level) { level, text in
            events.note { $0.logged(text, level: level.rawValue, at: $1) }
        }
        for warning in loaded.warnings + secrets.warnings { logger.warning("\(private: warning)") }
        logger.info(
            "starting",
            metadata: .event(
                .starting,
                ["version": .public(ProgramVersion.current), "configuration": "\(loaded.file ?? "built-in values")"]
            )
        )
        let daemon = try exiting {
            VoiceDaemon(
                try settings(loaded, secrets, logger: logger), logger: logger, redactor: programRedactor, events: events
            )
        }
        let environment = ProcessEnvironment.values
        let supervisor = ServiceSupervisor(
            daemon: daemon, manager: ServiceManager(environment: environment), logger: logger
        )
        let configuration = Reloading(current: loaded.values, secrets: secrets) { try load(logger: logger) }
        let service = DaemonService(
            daemon: daemon,
            supervisor: supervisor,
            control: controlServer(daemon, environment: environment, logger: logger),
            reload: { await configuration.reload(daemon, logger: logger) }
        )
        try await exitingAsync {
            let group = ServiceGroup(
                configuration: .init(
                    services: [.init(service: service)],
                    gracefulShutdownSignals: [.sigterm, .sigint],
                    logger: Logger(label: "lifecycle") { _ in
                        SwiftLogNoOpLogHandler()
                    }
                )
            )
            try await group.run()
        }
    }

    private func settings(_ loaded: LoadedConfiguration, _ secrets: Secrets, logger: Logger) throws -> DaemonSettings {
        var settings = try DaemonSettings(loaded.values, secrets: secrets, logger: logger)
        for problem in settings.audio.learn(environment: ProcessEnvironment.values) {
            logger.warning("known devices: \(private: problem)")
        }
        if EspeakVoice.isInstalled { settings.addLastResort(loaded.values) }
        settings.volumes.stateDirectory = StateDirectory.path(environment: ProcessEnvironment.values)
        return settings
    }

    /// Reads the configuration again, for a reload.
    private func load(logger: Logger) throws -> Reloading.Loaded {
        let (loaded, secrets) = try options.read()
        for warning in loaded.warnings + secrets.warnings { logger.warning("\(private: warning)") }
        return .init(
            configuration: loaded.values, secrets: secrets, settings: try settings(loaded, secrets, logger: logger)
        )
    }

    /// nil if there is no place for the socket or it cannot be created: the daemon works without it.
    private func controlServer(_ daemon: VoiceDaemon, environment: [String: String], logger: Logger) -> ControlServer? {
        guard let path = ControlPath.daemon(environment: environment) else {
            logger.warning(
                "no control socket, so ctl cannot reach this daemon: set XDG_RUNTIME_DIR to a folder of yours for both"
            )
            return nil
        }
        if environment["RUNTIME_DIRECTORY"] == nil { ControlPath.makeFolder(of: path) }
        do {
            return try daemon.controlServer(.init(path: path, version: ProgramVersion.current), logger: logger)
        } catch {
            logger.warning("\(private: error)")
            return nil
        }
    }
}

/// The daemon as a service of the program's life cycle: signals stop it cleanly.
private struct DaemonService: Service {
    let daemon: VoiceDaemon
    let supervisor: ServiceSupervisor
    let control: ControlServer?
    let reload: @Sendable () async -> Void

    func run() async throws {
        do {
            try await daemon.start()
        } catch {
            await daemon.stop()
            throw error
        }
        let control = control.map { control in Task { await control.run() } }
        let service = Task { await supervisor.run() }
        // USR1 (`systemctl kill --kill-whom=main -s USR1 jarvis-voiced`) logs the status, USR2 opens a conversation, HUP
        // (`systemctl reload`) reloads the configuration. Signals since the start of the program were held until now.
        let orders: [UnixSignal] = [.sigusr1, .sigusr2]
        let trapped = isatty(STDIN_FILENO) == 1 ? orders : orders + [.sighup]
        let signals = Task {
            func obey(_ signal: UnixSignal) async {
                switch signal {
                case .sighup: await supervisor.reloading(reload)
                case .sigusr2: daemon.activate()
                default: await daemon.logStatus()
                }
            }
            let orders = await UnixSignalsSequence(trapping: trapped)
            let waiting = HeldSignals.dequeue()
            for signal in trapped where waiting.contains(signal.number) { await obey(signal) }
            for await signal in orders { await obey(signal) }
        }
        try await withThrowingTaskGroup { group in
            group.addTask {
                try? await gracefulShutdown()
                await supervisor.stopping()
                self.control?.stop()
                await daemon.stop()
            }
            group.addTask { try await daemon.ended() }
            defer {
                signals.cancel()
                service.cancel()
                self.control?.stop()
            }
            for try await _ in group {}
        }
        await control?.value
    }
}

extension UnixSignal {
    /// Signal number of a signal the daemon handles.
    fileprivate var number: Int32 {
        switch self {
        case .sighup: SIGHUP
        case .sigusr1: SIGUSR1
        case .sigusr2: SIGUSR2
        default: 0
        }
    }
}
