package import VoiceBase

extension ConfigurationKey {
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
