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

    static func environmentName(of path: String) -> String {
        "JARVIS_" + String(path.map { $0 == "." ? "_" : $0 }).uppercased()
    }

    package func value(in configuration: Configuration) -> ConfigurationValue {
        ConfigurationSchema.section(of: self).read(configuration, self)
    }

    /// Stores the value if the key accepts it; otherwise returns a sentence that states what was expected and what was
    /// found.
    package func set(_ value: ConfigurationValue, in configuration: inout Configuration) -> String? {
        guard let accepted = kind.accept(value) else {
            if let problem = kind.problem(ofAddress: value) { return "\(path) \(problem)" }
            if let unknown = kind.unknownChoice(value, section: section, path: path) { return unknown }
            return "\(path) must be \(kind.wanted), got \(kind.shown(value))"
        }
        ConfigurationSchema.section(of: self).write(&configuration, self, accepted)
        return nil
    }
}
