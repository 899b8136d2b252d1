/// A manual page in the making: macros of man(7), with text made safe for them.
struct Roff: Sendable {
    private(set) var lines: [String] = []

    /// - Parameter section: 1 to 8.
    init(title: String, section: Int, version: String) {
        let name = Self.quoted(title.uppercased())
        let manual = section == 5 ? "File Formats" : "User Commands"
        lines.append(".TH \(name) \(section) \"\" \(Self.quoted("jarvis-voiced \(version)")) \"\(manual)\"")
    }

    /// The page.
    var text: String { lines.joined(separator: "\n") + "\n" }

    mutating func heading(_ text: String) { lines.append(".SH \(Self.quoted(text))") }
    mutating func subheading(_ text: String) { lines.append(".SS \(Self.quoted(text))") }

    /// Lines that are roff already.
    mutating func raw(_ more: [String]) { lines += more }

    /// Paragraphs are separated by empty lines.
    mutating func paragraph(_ text: String) {
        for part in Self.paragraphs(text) { lines += [".PP", Self.escaped(part)] }
    }

    /// A term in bold, and what it means below it.
    mutating func item(_ term: String, _ text: String) {
        lines += [".TP", ".B \(Self.quoted(term))"]
        for (index, part) in Self.paragraphs(text).enumerated() {
            if index > 0 { lines.append(".IP") }
            lines.append(Self.escaped(part))
        }
    }

    /// Lines to be shown as they are.
    mutating func example(_ text: String) {
        lines += [".PP", ".RS 4", ".nf"]
        lines += text.split(separator: "\n", omittingEmptySubsequences: false).map { Self.escaped(String($0)) }
        lines += [".fi", ".RE"]
    }

    /// Text that roff takes for nothing but text: `\` and `-` escaped, no control character at the start of a line.
    static func escaped(_ text: String) -> String {
        var result = ""
        for character in text {
            switch character {
            case "\\": result += "\\e"
            case "-": result += "\\-"
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
