import ArgumentParser
import FoundationEssentials
import Logging
import VoiceCore

/// Where the configuration comes from; the same for every command that needs one.
struct ConfigurationOptions: ParsableArguments {
    @Option(name: [.customShort("c"), .long], help: "Read this file instead of the usual ones.")
    var config: String?

    @Option(name: .long, help: "Override a value of the configuration: section.key=value. May be repeated.")
    var set: [String] = []

    @Option(name: .long, help: "ALSA name, card id or part of the name of the microphone.")
    var inputDevice: String?

    @Option(name: .long, help: "ALSA name, card id or part of the name of the loudspeaker.")
    var outputDevice: String?

    @Flag(name: .shortAndLong, help: "Log more: -v debug, -vv trace.")
    var verbose: Int

    /// "key=value" of every option.
    var overrides: [String] {
        var overrides = set
        if let inputDevice { overrides.append("audio.input=\(inputDevice)") }
        if let outputDevice { overrides.append("audio.output=\(outputDevice)") }
        if verbose > 0 { overrides.append("log.level=\(verbose == 1 ? "debug" : "trace")") }
        return overrides
    }

    func read() throws -> (configuration: LoadedConfiguration, secrets: Secrets) {
        let environment = ProcessInfo.processInfo.environment
        let loaded = try ConfigurationLoader(environment: environment).load(path: config, overrides: overrides)
        return (loaded, try Secrets(configuration: loaded.values, environment: environment))
    }

    /// The same, with what is wrong told on standard error.
    func load() throws -> (configuration: LoadedConfiguration, secrets: Secrets) {
        try exiting { try read() }
    }
}

extension DaemonSettings {
    /// What a configuration that was read asks of the daemon.
    init(_ loaded: LoadedConfiguration, secrets: Secrets, logger: Logger) throws {
        try self.init(
            loaded.values,
            secrets: secrets,
            tools: VoiceDaemon.advertised(
                loaded.values.jarvis,
                mode: ActivationMode(loaded.values.activation.mode),
                playsMedia: loaded.values.media.enabled,
                logger: logger
            ),
            instructions: try Self.instructions(of: loaded.values)
        )
    }
}

/// The level of the one logger; changes when the configuration is read again.
let logThreshold = LogThreshold()

/// The one logger of the program, as the journal or the terminal wants it.
func makeLogger(level: Configuration.Log.Level) -> Logger {
    let style = JournalLogHandler.detectedStyle(
        journalStream: ProcessInfo.processInfo.environment["JOURNAL_STREAM"]
    )
    logThreshold.level = Logger.Level(rawValue: level.rawValue) ?? .info
    let troubles = JournalLogHandler.Troubles()
    let journal = style == .journal ? JournalSocket() : nil
    let send = journal.map { journal in { @Sendable (entry: JournalEntry) in journal.send(entry) } }
    return Logger(label: "jarvis-voiced") { _ in
        JournalLogHandler(style: style, threshold: logThreshold, troubles: troubles, send: send)
    }
}
