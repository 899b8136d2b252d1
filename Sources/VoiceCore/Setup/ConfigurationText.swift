internal import VoiceBase

/// The text of a configuration file. Changing a key leaves every other line and comment as it is.
struct ConfigurationText {
    private var lines: [String]
    private var document: ConfigurationDocument
    /// Most lines of one value.
    private static let longestValue = 64

    var bytes: [UInt8] { Self.bytes(lines) }

    init(_ bytes: [UInt8]) throws(ConfigurationDocument.SyntaxError) {
        document = try ConfigurationDocument(parsing: bytes)
        // By bytes: "\r\n" is a single Character.
        lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map {
            String(decoding: $0, as: UTF8.self)
        }
    }

    /// Tries the ways to write the value, and takes the first after which the file means the same but for this key.
    mutating func set(_ key: ConfigurationKey, to value: ConfigurationValue) throws(ConfigurationError) {
        var wanted = document.values
        wanted[key.section] = .table
        wanted[key.path] = value
        for candidate in candidates(key, value.toml) {
            guard let parsed = try? ConfigurationDocument(parsing: Self.bytes(candidate)), parsed.values == wanted
            else { continue }
            (lines, document) = (candidate, parsed)
            return
        }
        let message = "is written in a way that setup cannot change: set it to \(value.toml) yourself"
        throw ConfigurationError(problems: [ConfigurationProblem(place: key.path, message: message)])
    }

    private func candidates(_ key: ConfigurationKey, _ value: String) -> [[String]] {
        let setting = "\(key.name) = \(value)"
        if let entry = document.entries.first(where: { $0.path == key.path }) {
            guard lines.indices.contains(entry.line - 1) else { return [] }
            let line = Self.replacing(lines[entry.line - 1], by: value)
            let most = min(Self.longestValue, lines.count - entry.line + 1)
            return (1...most).map { lines[..<(entry.line - 1)] + [line] + lines[(entry.line - 1 + $0)...] }
        }
        let tables = document.entries.filter { $0.value == .table }
        guard let header = tables.first(where: { $0.path == key.section })?.line, header <= lines.count else {
            let isEnded = lines.last?.isEmpty == true
            return [(isEnded ? lines.dropLast() : lines) + ["", "[\(key.section)]", setting, ""]]
        }
        let end = tables.map(\.line).filter { $0 > header }.min().map { $0 - 1 } ?? lines.count
        // Below the default of the sample, else below the header.
        let sample = lines[header..<max(header, end)].lastIndex { line in
            line.hasPrefix("#") && line.dropFirst().drop { $0 == " " }.hasPrefix(key.name + " =")
        }
        return [sample.map { $0 + 1 }, header].compactMap { $0 }.map { lines[..<$0] + [setting] + lines[$0...] }
    }

    /// Keeps what is before the value, and the comment behind it.
    private static func replacing(_ line: String, by value: String) -> String {
        guard let equals = line.firstIndex(of: "=") else { return line }
        var quote: Character?
        var isEscaped = false
        let rest = line[line.index(after: equals)...]
        let comment = rest.firstIndex { character in
            defer { isEscaped = character == "\\" && quote == "\"" && !isEscaped }
            if let open = quote {
                if character == open, !isEscaped { quote = nil }
                return false
            }
            if character == "\"" || character == "'" { quote = character }
            return character == "#"
        }
        return "\(line[...equals]) \(value)" + (comment.map { " \(rest[$0...])" } ?? "")
    }

    private static func bytes(_ lines: [String]) -> [UInt8] { Array(lines.joined(separator: "\n").utf8) }
}
