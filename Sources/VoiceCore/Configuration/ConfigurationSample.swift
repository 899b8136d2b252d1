package import VoiceBase

/// Generates the sample file: every key with its documentation and its built-in value, commented out.
package enum ConfigurationSample {
    private static let width = 100

    package static var text: String {
        var lines = wrapped(
            """
            Configuration of jarvis-voiced. Every key is shown with its default; remove the "#" before a key to \
            change it.
            """
        )
        lines += wrapped(
            """
            Each key can also be set by an environment variable (audio.input is JARVIS_AUDIO_INPUT) and on the \
            command line (--set audio.input=NAME). Defaults < this file < environment < command line.
            """
        )
        lines += wrapped(
            """
            Never put secrets here: the keys that end in _file name files that hold them, readable by the daemon \
            only.
            """
        )
        for section in ConfigurationSchema.sections {
            lines.append("")
            lines += wrapped(section.documentation)
            lines.append("[\(section.name)]")
            for key in ConfigurationSchema.keys where key.section == section.name {
                lines.append("")
                lines += wrapped(key.documentation + (key.accepted.map { " " + $0 } ?? ""))
                lines.append("#\(key.name) = \(key.builtIn.toml)")
            }
        }
        lines.append("")
        lines += wrapped(Configuration.Word.documentation)
        // With a blank: the table is an example, as its name is not fixed.
        lines.append("# [words.hey_jarvis]")
        for key in Configuration.Word.allKeys {
            lines.append("#")
            lines += wrapped(key.documentation)
            lines.append("# \(key.name) = \(key.builtIn.toml)")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func wrapped(_ text: String) -> [String] {
        var lines: [String] = []
        var line = "#"
        for word in text.split(separator: " ") {
            if line.count + 1 + word.count > width {
                lines.append(line)
                line = "#"
            }
            line += " " + word
        }
        return lines + [line]
    }
}

extension ConfigurationKey {
    /// The accepted range or choices as a sentence; nil if the value or the documentation says it.
    package var accepted: String? {
        switch kind {
        case .choice(let choices) where choices.allSatisfy(documentation.contains): nil
        case .integer(let range, multipleOf: 1): "From \(range.lowerBound) to \(range.upperBound)."
        case .choice, .choices, .integer, .oneOf, .number:
            kind.wanted.prefix(1).uppercased() + kind.wanted.dropFirst() + "."
        case .text, .file, .url, .hosts, .flag: nil
        }
    }
}
