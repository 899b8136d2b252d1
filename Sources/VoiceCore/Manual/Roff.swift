/// Builds a manual page with the macros of man(7); escapes all text.
struct Roff: Sendable {
    private(set) var lines: [String] = []

    /// - Parameter section: 1 to 8.
    init(title: String, section: Int, version: String) {
        let name = Self.quoted(title.uppercased())
        let manual = section == 5 ? "File Formats" : "User Commands"
        lines.append(".TH \(name) \(section) \"\" \(Self.quoted("jarvis-voiced \(version)")) \"\(manual)\"")
        // A long list of alternatives leaves a line that cannot be adjusted.
        lines.append(".ad l")
    }

    var text: String { lines.joined(separator: "\n") + "\n" }

    mutating func heading(_ text: String) { lines.append(".SH \(Self.quoted(text))") }
    mutating func subheading(_ text: String) { lines.append(".SS \(Self.quoted(text))") }

    /// Appends lines that are already roff.
    mutating func raw(_ more: [String]) { lines += more }

    /// Appends paragraphs, separated by empty lines in the text.
    mutating func paragraph(_ text: String) {
        for part in Self.paragraphs(text) { lines += [".PP", Self.escaped(part)] }
    }

    /// Appends a term in bold and its explanation below.
    mutating func item(_ term: String, _ text: String) {
        lines += [".TP", ".B \(Self.quoted(term))"]
        for (index, part) in Self.paragraphs(text).enumerated() {
            if index > 0 { lines.append(".IP") }
            lines.append(Self.escaped(part))
        }
    }

    /// Appends lines verbatim.
    mutating func example(_ text: String) {
        lines += [".PP", ".RS 4", ".nf"]
        lines += text.split(separator: "\n", omittingEmptySubsequences: false).map { Self.escaped(String($0)) }
        lines += [".fi", ".RE"]
    }

    /// Escapes text so that roff does not interpret it: `\` and `-`, and a control character at the beginning.
    /// A line may break after `|`.
    static func escaped(_ text: String) -> String {
        var result = ""
        for character in text {
            switch character {
            case "\\": result += "\\e"
            case "-": result += "\\-"
            // A list of alternatives may be longer than a line.
            case "|": result += "|\\:"
            case "\n": result += " "
            default: result.append(character)
            }
        }
        return result.hasPrefix(".") || result.hasPrefix("'") ? "\\&" + result : result
    }

    private static func quoted(_ text: String) -> String {
        "\"" + escaped(text).split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\\(dq") + "\""
    }

    private static func paragraphs(_ text: String) -> [String] {
        var parts: [[Substring]] = [[]]
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.allSatisfy(\.isWhitespace) { parts.append([]) } else { parts[parts.count - 1].append(line) }
        }
        return parts.filter { !$0.isEmpty }.map { $0.joined(separator: " ") }
    }
}
