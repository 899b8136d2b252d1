import Logging
import VoiceBase
import VoiceCore

/// The configuration in force, and how to reload it.
actor Reloading {
    struct Loaded: Sendable {
        let configuration: Configuration
        let secrets: Secrets
        let settings: DaemonSettings
    }

    private var current: Configuration
    private var secrets: Secrets
    private let load: @Sendable () throws -> Loaded

    init(current: Configuration, secrets: Secrets, load: @escaping @Sendable () throws -> Loaded) {
        self.current = current
        self.secrets = secrets
        self.load = load
    }

    /// Applies what can change without a restart; an invalid configuration changes nothing.
    func reload(_ daemon: VoiceDaemon, logger: Logger) async {
        do {
            let loaded = try load()
            let change = ConfigurationChange(
                from: current, secrets: secrets, to: loaded.configuration, secrets: loaded.secrets
            )
            // Keys that need a restart are logged at every reload until the restart.
            current = change.applied(loaded.configuration, to: current)
            await daemon.reload(change, to: current, settings: loaded.settings, threshold: logThreshold)
            secrets = loaded.secrets
        } catch {
            for line in "\(error)".split(separator: "\n") {
                logger.error("the configuration is unchanged: \(private: line)", metadata: .event(.reloadFailed))
            }
        }
    }
}
