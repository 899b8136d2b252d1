package import Logging
internal import VoiceActivation
package import VoiceBase
package import VoiceConfiguration

extension DaemonSettings {
    /// What a configuration asks of the daemon: with the tools and the instructions that the daemon would have.
    package init(
        _ configuration: Configuration,
        secrets: Secrets,
        files: FileReader = .system,
        needsKey: Bool = true,
        logger: Logger
    ) throws(ConfigurationError) {
        try self.init(
            configuration,
            secrets: secrets,
            tools: VoiceDaemon.advertised(
                configuration.jarvis,
                mode: configuration.activation.mode,
                playsMedia: configuration.media.enabled,
                logger: logger
            ),
            instructions: try Self.instructions(of: configuration, files: files),
            needsKey: needsKey
        )
    }
}
