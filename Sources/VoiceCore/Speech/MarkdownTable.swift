/// Recognises the tables of GitHub Flavored Markdown (section 4.10), which plain CommonMark takes for a paragraph.
enum MarkdownTable {
    /// The text before the table and the number of its rows without the head; nil when there is no table.
    static func split(_ paragraph: String) -> (before: String, rows: Int)? {
        guard paragraph.utf8.contains(UInt8(ascii: "|")) else { return nil }
        let lines = paragraph.split(separator: "\n", omittingEmptySubsequences: false)
        guard let delimiter = lines.indices.dropFirst().first(where: { isDelimiter(lines[$0]) }),
            lines[delimiter - 1].utf8.contains(UInt8(ascii: "|"))
        else { return nil }
        return (lines[..<(delimiter - 1)].joined(separator: "\n"), lines.count - delimiter - 1)
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
