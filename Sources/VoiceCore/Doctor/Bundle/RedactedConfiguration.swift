internal import VoiceBase
internal import VoiceConfiguration

/// A configuration file that is safe to share. Known keys are shown with their values if these are harmless: numbers,
/// switches, choices, devices and built-in values. Everything else is hidden.
///
/// A file the daemon cannot parse may contain a secret anywhere, so only lines that are understood are shown.
enum RedactedConfiguration {
    static func text(_ file: String) -> String {
        var section = ""
        return file.split(separator: "\n", omittingEmptySubsequences: false)
            .map { line in shown(line, section: &section) }
            .joined(separator: "\n")
    }

    private static func shown(_ line: Substring, section: inout String) -> String {
        let text = line.drop { $0 == " " || $0 == "\t" }
        guard let first = text.first, first != "\r" else { return "" }
        if first == "#" { return "# (comment)" }
        if first == "[", let end = text.firstIndex(of: "]") {
            let name = String(text[text.index(after: text.startIndex)..<end])
            section = ConfigurationSchema.sections.contains { $0.name == name } ? name : ""
            return section.isEmpty ? "[(unknown)]" : "[\(name)]"
        }
        guard let mark = text.firstIndex(of: "=") else { return "(line not shown)" }
        let name = text[..<mark].filter { $0 != " " && $0 != "\t" }
        let path = section.isEmpty ? String(name) : "\(section).\(name)"
        guard let key = ConfigurationSchema.key(path) else { return "(unknown key) = (not shown)" }
        return "\(key.name) = \(shown(String(text[text.index(after: mark)...]), of: key))"
    }

    /// The value if the key accepts it, without a URL query, which may contain a key; anything else is hidden.
    private static func shown(_ text: String, of key: ConfigurationKey) -> String {
        guard let document = try? ConfigurationDocument(parsing: Array("v = \(text)".utf8)),
            document.entries.count == 1, let value = document.entries.first?.value, value != .table,
            let accepted = key.kind.accept(value)
        else { return "(not shown: not what this key takes)" }
        return shown(accepted, of: key)
    }

    static func shown(_ value: ConfigurationValue, of key: ConfigurationKey) -> String {
        guard case .text(let text) = value, value != key.value(in: Configuration()) else { return value.toml }
        switch key.kind {
        case .choice, .choices, .oneOf, .integer, .number, .flag: return value.toml
        case .url: return ConfigurationValue.text(address(text)).toml
        case .text, .file:
            return ConfigurationValue.text(text.isEmpty ? "" : DeviceName.shown(text) ?? HarmlessText.hidden).toml
        }
    }

    /// Scheme and port, and those hosts and paths that are common to all installations.
    private static func address(_ text: String) -> String {
        guard let url = ServerURL(text) else { return "(not shown)" }
        let usual = url.scheme == "https" || url.scheme == "wss" ? 443 : 80
        let isKnown = ["", "/ui", "/v1", "/v1/realtime", "/chat"].contains(url.path)
        return "\(url.scheme)://\(HarmlessText.host(url.host))" + (url.port == usual ? "" : ":\(url.port)")
            + (isKnown ? url.path + (url.query == nil ? "" : "?(not shown)") : "/(not shown)")
    }

    /// The configuration in force in the format of `config show`, without URL queries.
    static func effective(_ loaded: LoadedConfiguration, secrets: Secrets?) -> String {
        var lines = ["# file: \(RedactedFinding.text(loaded.file ?? "none"))"]
        lines += ServiceKey.lines(loaded.values, secrets: secrets).map(RedactedFinding.text)
        lines.append("# jarvis token: \(RedactedFinding.text(secrets?.jarvisToken.status ?? "cannot be read"))")
        for section in ConfigurationSchema.sections {
            lines += ["", "[\(section.name)]"]
            for key in ConfigurationSchema.keys where key.section == section.name {
                let value = shown(key.value(in: loaded.values), of: key)
                lines.append("\(key.name) = \(value)  # \(RedactedFinding.text("\(loaded.origin(of: key.path))"))")
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
