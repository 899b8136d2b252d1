/// Describes one key: its name, accepted values, default and documentation.
package struct ConfigurationKey: Sendable {
    /// The dotted path, for instance "audio.input".
    package let path: String
    package let kind: Kind
    package let builtIn: ConfigurationValue
    /// Whether a change takes effect without a restart; `VoiceDaemon.reload` applies it.
    package let isLive: Bool
    package let documentation: String

    /// The kind of value that a key accepts.
    package enum Kind: Sendable, Equatable {
        case text(mayBeEmpty: Bool)
        case file
        case url(schemes: [String], takesQuery: Bool)
        /// `ListedHost`s, separated by blanks or commas.
        case hosts
        case choice([String])
        case integer(ClosedRange<Int>, multipleOf: Int)
        /// A list of these, without repetitions.
        case choices([String])
        case oneOf([Int])
        case number(ClosedRange<Double>)
        case flag
    }

    /// "audio" of "audio.input".
    package var section: String { String(path.prefix { $0 != "." }) }
    /// "input" of "audio.input".
    package var name: String { String(path.drop { $0 != "." }.dropFirst()) }
    /// "JARVIS_AUDIO_INPUT" of "audio.input".
    package var environmentName: String { Self.environmentName(of: path) }

    package static func environmentName(of path: String) -> String {
        "JARVIS_" + String(path.map { $0 == "." ? "_" : $0 }).uppercased()
    }

    /// The same key, with these choices.
    package func choosing(_ choices: [String]) -> ConfigurationKey {
        ConfigurationKey(
            path: path, kind: .choices(choices), builtIn: builtIn, isLive: isLive, documentation: documentation
        )
    }
}
