/// What `config show` prints: the values in force and where each comes from, as TOML.
package enum ConfigurationListing {
    /// Secrets are named with their origin, never shown.
    package static func text(_ loaded: LoadedConfiguration, secrets: Secrets) -> String {
        var lines = ["# file: " + (loaded.file ?? "none")]
        lines.append("# api key: " + secrets.apiKey.status)
        lines.append("# jarvis token: " + secrets.jarvisToken.status)
        for section in ConfigurationSchema.sections {
            lines += ["", "[\(section.name)]"]
            for key in ConfigurationSchema.keys where key.section == section.name {
                let setting = "\(key.name) = \(key.value(in: loaded.values).toml)"
                let padding = String(repeating: " ", count: max(2, 48 - setting.count))
                lines.append("\(setting)\(padding)# \(loaded.origin(of: key.path))")
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
