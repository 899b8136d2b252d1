/// Turns tables that are drawn with "+---+" or box characters into Markdown's, also in a code block of nothing else.
enum GridTable {
    static func rewritten(_ text: String) -> String {
        guard text.contains("+-") || text.contains("+=") || text.contains("\u{2500}") || text.contains("\u{2550}")
        else { return text }
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        var result: [String] = []
        var at = 0
        while at < lines.count {
            let isFence = lines[at].hasPrefix("```") || lines[at].hasPrefix("~~~")
            let start = isFence ? at + 1 : at
            var end = start
            while end < lines.count, isBorder(lines[end]) || isRow(lines[end]) { end += 1 }
            let table = lines[start..<end]
            let isClosed = !isFence || end < lines.count && lines[end].hasPrefix(lines[at].prefix(3))
            guard isClosed, table.contains(where: isBorder), table.contains(where: isRow), start < end,
                isBorder(lines[start]) || table.dropFirst().first.map(isBorder) ?? false
            else {
                let next = isFence ? at + 1 : max(end, at + 1)
                result += lines[at..<next].map(String.init)
                at = next
                continue
            }
            result += [""] + markdown(table) + [""]
            at = isFence ? end + 1 : end
        }
        return result.joined(separator: "\n")
    }

    private static let corners =
        "+-=|: \u{2500}\u{2501}\u{2502}\u{2503}\u{250C}\u{250F}\u{2510}\u{2513}\u{2514}\u{2517}\u{2518}\u{251B}"
        + "\u{251C}\u{2523}\u{2524}\u{252B}\u{252C}\u{2533}\u{2534}\u{253B}\u{253C}\u{254B}\u{2550}\u{2551}\u{2554}\u{2557}\u{255A}\u{255D}"
        + "\u{2560}\u{2563}\u{2566}\u{2569}\u{256C}\u{2520}\u{2528}\u{252F}\u{2537}\u{253F}\u{2542}\u{256D}\u{256E}\u{256F}\u{2570}"
    private static let bars = "|\u{2502}\u{2503}\u{2551}"

    private static func isBorder(_ line: Substring) -> Bool {
        let bare = trimmed(line)
        guard bare.count >= 3, bare.allSatisfy(corners.contains), let first = bare.first, first != "-", first != "=",
            first != ":"
        else {
            return false
        }
        if first == "|" { return bare.contains("-") && bare.contains("+") }
        return bare.contains { "-=\u{2500}\u{2501}\u{2550}".contains($0) } && first != " "
    }

    private static func isRow(_ line: Substring) -> Bool {
        let bare = trimmed(line)
        return bare.count > 2 && bars.contains(bare.first ?? " ") && bars.contains(bare.last ?? " ") && !isBorder(line)
    }

    private static func trimmed(_ line: Substring) -> Substring {
        let start = line.drop(while: \.isWhitespace)
        return start.lastIndex { !$0.isWhitespace }.map { start[...$0] } ?? ""
    }

    private static func markdown(_ table: ArraySlice<Substring>) -> [String] {
        var rows = table.filter { !isBorder($0) }.map { String(trimmed($0).map { bars.contains($0) ? "|" : $0 }) }
        guard let first = rows.first else { return [] }
        let columns = max(1, first.dropFirst().count { $0 == "|" })
        rows.insert("|" + String(repeating: "---|", count: columns), at: 1)
        return rows
    }
}
