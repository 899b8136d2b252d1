/// A table of GitHub Flavored Markdown (section 4.10), which plain CommonMark takes for a paragraph.
struct MarkdownTable: Equatable {
    /// The cells of the first line, one for each column.
    let head: [String]
    /// The cells of the rows as written; a row may be shorter than the head.
    let rows: [[String]]

    /// Further columns are dropped.
    private static let mostColumns = 32

    /// Splits a paragraph into the text before the table, the table, and the text after it; nil if there is no table.
    static func split(_ paragraph: String) -> (before: String, table: MarkdownTable, after: String)? {
        guard paragraph.utf8.contains(UInt8(ascii: "|")) else { return nil }
        let lines = paragraph.split(separator: "\n", omittingEmptySubsequences: false)
        guard let delimiter = lines.indices.dropFirst().first(where: { isDelimiter(lines[$0]) }),
            lines[delimiter - 1].utf8.contains(UInt8(ascii: "|"))
        else { return nil }
        let head = cells(lines[delimiter - 1])
        // A line without a bar is not a row: the text continues without an empty line.
        let end =
            lines[(delimiter + 1)...].firstIndex { head.count > 1 && !$0.utf8.contains(UInt8(ascii: "|")) }
            ?? lines.count
        let rows = lines[(delimiter + 1)..<end].map { Array(cells($0).prefix(head.count)) }
        return (
            lines[..<(delimiter - 1)].joined(separator: "\n"), MarkdownTable(head: head, rows: rows),
            lines[end...].joined(separator: "\n")
        )
    }

    private static func cells(_ line: Substring) -> [String] {
        var line = trimmed(line)
        if line.first == "|" { line = line.dropFirst() }
        if line.last == "|" { line = line.dropLast() }
        return line.split(separator: "|", maxSplits: mostColumns, omittingEmptySubsequences: false).prefix(mostColumns)
            .map { String(trimmed($0)) }
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text.drop(while: \.isWhitespace)
        // A hard line break leaves a mark.
        while let last = text.last, last.isWhitespace || last == Character(LinkMarks.lineEnd) { text.removeLast() }
        return text
    }

    private static func isDelimiter(_ line: Substring) -> Bool {
        var dashes = 0
        var bars = 0
        for byte in line.utf8 {
            switch byte {
            case UInt8(ascii: "-"): dashes += 1
            case UInt8(ascii: "|"): bars += 1
            case UInt8(ascii: ":"), UInt8(ascii: " "), UInt8(ascii: "\t"): break
            default: return false
            }
        }
        return dashes > 0 && bars > 0
    }
}
