import ArgumentParser
import FoundationEssentials
import Glibc
import Logging
import VoiceAudio
import VoiceBase
import VoiceCore

/// Options that select the configuration, common to all commands that need one.
struct ConfigurationOptions: ParsableArguments {
    @Option(name: [.customShort("c"), .long], help: "Read this configuration file instead of the usual ones.")
    var config: String?

    @Option(name: .long, help: "Override a configuration value: section.key=value. May be repeated.")
    var set: [String] = []

    @Option(name: .long, help: "Microphone: ALSA name, card id or part of the name.")
    var inputDevice: String?

    @Option(name: .long, help: "Loudspeaker: ALSA name, card id or part of the name.")
    var outputDevice: String?

    @Flag(name: .shortAndLong, help: "Log more: -v debug, -vv trace.")
    var verbose: Int

    /// All overrides as "key=value".
    var overrides: [String] {
        var overrides = set
        if let inputDevice { overrides.append("audio.input=\(inputDevice)") }
        if let outputDevice { overrides.append("audio.output=\(outputDevice)") }
        if verbose > 0 { overrides.append("log.level=\(verbose == 1 ? "debug" : "trace")") }
        return overrides
    }

    func read() throws -> (configuration: LoadedConfiguration, secrets: Secrets) {
        let environment = ProcessEnvironment.values
        let loaded = try ConfigurationLoader(environment: environment).load(path: config, overrides: overrides)
        let secrets = try Secrets(configuration: loaded.values, environment: environment)
        programRedactor.add(secrets)
        return (loaded, secrets)
    }

    /// The same, but prints errors to standard error.
    func load() throws -> (configuration: LoadedConfiguration, secrets: Secrets) {
        try exiting { try read() }
    }

    /// The same for commands that use the microphone: they would measure channels that are not in force.
    func loadForSound() throws -> Configuration {
        let values = try load().configuration.values
        try exiting {
            if let fault = AudioConfiguration.channelsFault(values.audio) {
                throw ConfigurationError(problems: [fault])
            }
        }
        return values
    }
}

/// Level of the program's logger; changes at a reload.
let logThreshold = LogThreshold()

/// The single output for log lines and final error messages, in the format of the journal or terminal.
///
/// A slow reader delays only the exit of the program, by at most two seconds.
let logOutlet: LogOutlet = {
    let style = JournalLogHandler.detectedStyle(
        journalStream: ProcessEnvironment.values["JOURNAL_STREAM"]
    )
    atexit { logOutlet.finish(within: .seconds(2)) }
    return LogOutlet(style: style, journal: style == .journal ? JournalSocket() : nil)
}()

/// Removes the secrets in use from all that leaves the program.
let programRedactor = SharedRedactor()

/// Creates the program's logger.
/// - Parameter seen: receives what is written, for people who watch.
func makeLogger(level: Logger.Level, seen: (@Sendable (Logger.Level, String) -> Void)? = nil) -> Logger {
    logThreshold.level = level
    let troubles = JournalLogHandler.Troubles()
    let outlet = logOutlet
    return Logger(label: "jarvis-voiced") { _ in
        JournalLogHandler(
            style: outlet.style,
            threshold: logThreshold,
            troubles: troubles,
            hasJournal: outlet.hasJournal,
            clean: { programRedactor.clean($0) },
            write: { outlet.put($0) },
            seen: seen
        )
    }
}
