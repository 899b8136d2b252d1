internal import VoiceBase

/// Reads a table as sentences, one for each row, each cell with the head of its column: "Milk: Price 1.20, Stock 3."
///
/// Only the first rows of a large table are read; the others are kept for "tell me more".
struct SpokenTable {
    /// Largest table that is read completely.
    static let mostRows = 6
    static let mostColumns = 4
    /// Rows read of a larger one.
    private static let firstRows = 3
    /// Longest text in total, in UTF-8 bytes; further rows are dropped.
    private static let mostBytes = 48 << 10
    private static let longestName = 40

    /// What is read, one sentence per row.
    private(set) var sentences: [String] = []
    /// What is read on "tell me more".
    private(set) var more: [String] = []

    private let names: [String]

    init(_ table: MarkdownTable) {
        names = table.head.map { String(SpokenText.clean($0).prefix(Self.longestName)) }
        let rows = table.rows.map { $0.map { Self.cell($0) } }.filter { $0.contains { !$0.isEmpty } }
        guard !rows.isEmpty else {
            sentences = [names.filter { !$0.isEmpty }.joined(separator: ", ")].filter { !$0.isEmpty }
            return
        }
        read(rows, isWide: names.count > Self.mostColumns)
    }

    private mutating func read(_ rows: [[String]], isWide: Bool) {
        let isLong = rows.count > Self.mostRows || isWide
        // A single further row is read rather than mentioned.
        let first = isLong && rows.count > Self.firstRows + 1 ? Self.firstRows : rows.count
        var bytes = 0
        func append(_ sentence: String, _ list: inout [String]) {
            bytes += sentence.utf8.count
            if !sentence.isEmpty, bytes <= Self.mostBytes { list.append(sentence) }
        }
        for row in rows[..<first] {
            append(sentence(row, columns: 1..<(isWide ? Self.mostColumns : names.count)), &sentences)
        }
        if isWide {
            for row in rows[..<first] { append(sentence(row, columns: Self.mostColumns..<names.count), &more) }
        }
        for row in rows[first...] where bytes <= Self.mostBytes {
            append(sentence(row, columns: 1..<names.count), &more)
        }
    }

    /// The first cell is what the row is about, and has its head only if it is a figure.
    private func sentence(_ row: [String], columns: Range<Int>) -> String {
        let subject = row.first ?? ""
        let isFigure = subject.first { $0.isLetter || $0.isNumber }?.isNumber == true
        let subjects = [subject.isEmpty ? "" : isFigure ? named(subject, names[0]) : subject]
        let facts = columns.filter { $0 < row.count && !row[$0].isEmpty }.map { named(row[$0], names[$0]) }
        let parts = [subjects, facts].map { $0.filter { !$0.isEmpty }.map(Self.withoutStop).joined(separator: ", ") }
            .filter { !$0.isEmpty }
        return parts.isEmpty ? "" : parts.joined(separator: ": ") + "."
    }

    private func named(_ cell: String, _ name: String) -> String {
        [name, cell].filter { !$0.isEmpty }.joined(separator: " ")
    }

    private static func withoutStop(_ text: String) -> String {
        guard let last = text.last, SentenceSplitter.isPause(last) else { return text }
        return String(text.dropLast())
    }

    /// One cell, shaped for speech; a check mark or a cross is a word of its own and stays.
    private static func cell(_ raw: String) -> String {
        let signs = raw.unicodeScalars.filter { !(0xFE00...0xFE0F).contains($0.value) }
        if signs.count == 1, let sign = signs.first, Self.answers.contains(sign) { return String(sign) }
        let cleaned = SpokenText.clean(LinkMarks.resolve(raw))
        return cleaned.isSayable ? cleaned : ""
    }

    private static let answers: Set<Unicode.Scalar> = [
        "\u{2713}", "\u{2714}", "\u{2705}", "\u{2611}", "\u{2717}", "\u{2718}", "\u{274C}", "\u{2715}", "\u{2716}",
    ]
}
