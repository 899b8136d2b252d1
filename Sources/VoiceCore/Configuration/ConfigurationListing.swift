package import VoiceBase

/// The output of `config show`: the values in force and their origins, as TOML.
package enum ConfigurationListing {
    /// Secrets are listed with their origin and never shown.
    package static func text(_ loaded: LoadedConfiguration, secrets: Secrets) -> String {
        var lines = ["# file: " + (loaded.file ?? "none")]
        lines += ServiceRegistry.keyLines(loaded.values, secrets: secrets)
        lines.append("# jarvis token: " + secrets.jarvisToken.status)
        for section in ConfigurationSchema.sections {
            lines += ["", "[\(section.name)]"]
            for key in ConfigurationSchema.keys where key.section == section.name {
                let setting = "\(key.name) = \(key.value(in: loaded.values).toml)"
                let padding = String(repeating: " ", count: max(2, 48 - setting.count))
                lines.append("\(setting)\(padding)# \(loaded.origin(of: key.path))")
            }
        }
        for assistant in loaded.values.assistants {
            lines += ["", "[\(assistant.table)]", "# token: \(secrets.token(of: assistant).status)"]
            let table = loaded.values.words[assistant.word] ?? .init()
            lines += Configuration.Word.allKeys.map { "\($0.name) = \(table[$0].toml)" }
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
