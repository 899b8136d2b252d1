internal import VoiceBase

/// A list of objects, or one object, written as YAML within a text. Only the part of YAML that such lists need:
///
///     playlist:
///       - title: Darknet Diaries 147
///         url: https://e.org/147.mp3
///
/// Names are single words; values are on the same line as their names.
struct YAMLInText {
    private(set) var value = JSONValue.array([])
    /// The position after the last line.
    private(set) var end: Int
    private static let mostObjects = 500
    private static let mostMembers = 32
    private static let longestLine = 4096

    private struct Line {
        var indent: Int
        var isItem: Bool
        var name: String
        var value: String
    }

    /// Returns nil if no list begins with the line at `start`.
    init?(_ bytes: [UInt8], from start: Int, to limit: Int) {
        end = start
        var position = start
        var objects: [[String: JSONValue]] = []
        var members: [String: JSONValue] = [:]
        // Column at which the names of the current object begin.
        var column: Int?
        var isList = false
        var isListNext = true
        while position < limit, objects.count < Self.mostObjects {
            let next = bytes[position..<limit].firstIndex(of: 0x0A).map { $0 + 1 } ?? limit
            let text = bytes[position..<next]
            position = next
            // Empty lines may separate the objects of a list.
            if isList, text.allSatisfy({ $0 <= 0x20 }) { continue }
            guard let line = Self.line(text) else { break }
            if members.isEmpty, objects.isEmpty, !line.isItem, line.value.isEmpty {
                // The name of the list.
                guard column == nil else { break }
                column = -1
                continue
            }
            if line.isItem {
                // A list begins after a name without a value; a name with a value before it is a sentence.
                guard isListNext else { break }
                if !members.isEmpty { objects.append(members) }
                (members, column, isList) = ([:], line.indent, true)
            } else if members.isEmpty {
                column = line.indent
            } else if line.indent != column {
                break
            }
            guard members.count < Self.mostMembers, members[line.name] == nil else { break }
            members[line.name] = .string(line.value)
            isListNext = isList || line.value.isEmpty
            end = next
        }
        if !members.isEmpty { objects.append(members) }
        // A single name with a colon is the beginning of a sentence.
        guard objects.contains(where: { $0.count > 1 }) else { return nil }
        value = .array(objects.map { .object($0) })
    }

    /// Parses "- name: value" or "name: value"; nil for anything else.
    private static func line(_ bytes: ArraySlice<UInt8>) -> Line? {
        guard bytes.count <= longestLine else { return nil }
        var rest = bytes
        var indent = rest.prefix { $0 == 0x20 }.count
        rest = rest.dropFirst(indent)
        let isItem = rest.first == UInt8(ascii: "-") && rest.dropFirst().first == 0x20
        if isItem {
            let mark = 1 + rest.dropFirst().prefix { $0 == 0x20 }.count
            rest = rest.dropFirst(mark)
            indent += mark
        }
        let name = rest.prefix { ($0 | 0x20 >= 0x61 && $0 | 0x20 <= 0x7A) || $0 == UInt8(ascii: "_") }
        let behind = rest.dropFirst(name.count)
        guard !name.isEmpty, name.count <= 32, behind.first == UInt8(ascii: ":"),
            behind.dropFirst().first.map({ $0 <= 0x20 }) ?? true
        else { return nil }
        return Line(
            indent: indent,
            isItem: isItem,
            name: String(decoding: name, as: UTF8.self),
            value: scalar(behind.dropFirst())
        )
    }

    /// Returns the value without surrounding blanks, quotes or a comment.
    private static func scalar(_ bytes: ArraySlice<UInt8>) -> String {
        var text = bytes.drop { $0 <= 0x20 }
        if let quote = text.first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'"),
            let close = text.dropFirst().lastIndex(of: quote)
        {
            return String(decoding: text[(text.startIndex + 1)..<close], as: UTF8.self)
        }
        if let comment = zip(text.indices, text.indices.dropFirst()).first(where: {
            text[$0] <= 0x20 && text[$1] == UInt8(ascii: "#")
        }) {
            text = text[..<comment.0]
        }
        while let last = text.last, last <= 0x20 { text.removeLast() }
        return String(decoding: text, as: UTF8.self)
    }
}
