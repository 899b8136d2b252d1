import ArgumentParser
import FoundationEssentials
import Logging
import ServiceLifecycle
import UnixSignals
import VoiceCore

/// `jarvis-voiced run`: the daemon.
struct Run: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Listen, ask Jarvis, speak: until told to stop.")

    @OptionGroup var options: ConfigurationOptions

    func run() async throws {
        let (loaded, secrets) = try options.load()
        let logger = makeLogger(level: loaded.values.log.level)
        for warning in loaded.warnings + secrets.warnings { logger.warning("\(warning)") }
        logger.info(
            "starting",
            metadata: ["version": "\(JarvisVoiced.version)", "configuration": "\(loaded.file ?? "built-in values")"]
        )
        let daemon = try exiting {
            var settings = try DaemonSettings(
                loaded.values,
                secrets: secrets,
                tools: VoiceDaemon.advertised(
                    loaded.values.jarvis,
                    playsMedia: loaded.values.media.enabled,
                    logger: logger
                ),
                instructions: try DaemonSettings.instructions(of: loaded.values)
            )
            settings.volumes.stateDirectory = StateDirectory.path(environment: ProcessInfo.processInfo.environment)
            return VoiceDaemon(settings, logger: logger)
        }
        try await exitingAsync {
            let group = ServiceGroup(
                configuration: .init(
                    services: [.init(service: DaemonService(daemon: daemon))],
                    gracefulShutdownSignals: [.sigterm, .sigint],
                    logger: Logger(label: "lifecycle") { _ in
                        SwiftLogNoOpLogHandler()
                    }
                )
            )
            try await group.run()
        }
    }
}

/// The daemon under the program's life cycle: signals end it in order.
private struct DaemonService: Service {
    let daemon: VoiceDaemon

    func run() async throws {
        do {
            try await daemon.start()
        } catch {
            await daemon.stop()
            throw error
        }
        try await withThrowingTaskGroup { group in
            group.addTask {
                try? await gracefulShutdown()
                await daemon.stop()
            }
            group.addTask { try await daemon.ended() }
            // `systemctl kill -s USR1 jarvis-voiced`: how are you?
            let questions = await UnixSignalsSequence(trapping: .sigusr1)
            let answers = Task { for await _ in questions { await daemon.tellStatus() } }
            defer { answers.cancel() }
            for try await _ in group {}
        }
    }
}
