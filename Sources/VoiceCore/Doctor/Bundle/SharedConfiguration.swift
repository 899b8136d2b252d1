internal import VoiceBase

/// The configuration in force as it may be shared: numbers, switches, choices and built-in values. Of addresses scheme and
/// port are shown, of ALSA devices the kind.
enum SharedConfiguration {
    static func text(_ loaded: LoadedConfiguration, secrets: Secrets?) -> String {
        var lines = ServiceRegistry.keys.map {
            "# \($0.credential): \(secrets?.key($0).secret == nil ? "none" : "present")"
        }
        lines.append("# jarvis-token: \(secrets?.jarvisToken.secret == nil ? "none" : "present")")
        for section in ConfigurationSchema.sections {
            lines += ["", "[\(section.name)]"]
            for key in ConfigurationSchema.keys where key.section == section.name {
                lines.append(
                    "\(key.name) = \(shown(key.value(in: loaded.values), of: key))  # \(loaded.origin(of: key.path))"
                )
            }
        }
        for table in loaded.values.words.sorted(by: { $0.key < $1.key }).map(\.value) {
            lines += ["", "[words.\(PrivateText.hidden)]"]
            lines += Configuration.Word.allKeys.map { "\($0.name) = \(shown(table[$0], ofWord: $0))" }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// A value in the table of a wake word: all but an address is the user's own words.
    private static func shown(_ value: ConfigurationValue, ofWord key: ConfigurationKey) -> String {
        guard case .text(let text) = value, !text.isEmpty else { return value.toml }
        if case .url = key.kind {
            return ConfigurationValue.text(ServerURL(text).map(shown) ?? PrivateText.hidden).toml
        }
        return ConfigurationValue.text(PrivateText.hidden).toml
    }

    static func shown(_ value: ConfigurationValue, of key: ConfigurationKey) -> String {
        guard case .text(let text) = value, value != key.value(in: Configuration()) else { return value.toml }
        switch key.kind {
        case .choice, .choices, .oneOf, .integer, .number, .flag: return value.toml
        case .url: return ConfigurationValue.text(ServerURL(text).map(shown) ?? PrivateText.hidden).toml
        case .text, .file, .hosts: return ConfigurationValue.text(text.isEmpty ? "" : device(text)).toml
        }
    }

    private static func shown(_ url: ServerURL) -> String {
        let isLocal = ["localhost", "127.0.0.1", "::1"].contains(url.host)
        return "\(url.scheme)://\(isLocal ? "localhost" : PrivateText.hidden):\(url.port)/\(PrivateText.hidden)"
    }

    /// "plughw:(not shown)" of "plughw:CARD=kitchen": an id may be the user's own.
    private static func device(_ text: String) -> String {
        let kind = text.prefix { $0 != ":" }
        guard ["default", "pulse", "pipewire", "hw", "plughw", "plug", "sysdefault", "dsnoop", "dmix"].contains(kind)
        else {
            return PrivateText.hidden
        }
        return kind.count == text.count ? text : "\(kind):\(PrivateText.hidden)"
    }
}
