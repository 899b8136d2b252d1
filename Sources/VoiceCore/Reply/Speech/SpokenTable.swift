internal import VoiceBase

/// Reads a table as sentences, one for each row: "Monday, half past nine: stand-up with team a."
///
/// The meaning of a figure is only in the head of its column, so the head is read with it: "Milk: price 1.20, stock 3."
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
    private let isNamed: [Bool]
    private let words: InsertedWords

    init(_ table: MarkdownTable, _ words: InsertedWords) {
        self.words = words
        names = table.head.map { String(SpokenText.clean($0, words).prefix(Self.longestName)) }
        let rows = table.rows.map { $0.map { Cell($0, words) } }.filter { $0.contains { !$0.isEmpty } }
        let isWide = names.count > Self.mostColumns
        isNamed = Self.namedColumns(rows, count: names.count, isWide: isWide)
        guard !rows.isEmpty else {
            sentences = [names.filter { !$0.isEmpty }.joined(separator: ", ")].filter { !$0.isEmpty }
            return
        }
        read(rows, isWide: isWide)
    }

    private mutating func read(_ rows: [[Cell]], isWide: Bool) {
        let isLong = rows.count > Self.mostRows || isWide
        // A single further row is read rather than mentioned.
        let first = isLong && rows.count > Self.firstRows + 1 ? Self.firstRows : rows.count
        var bytes = 0
        func take(_ sentence: String, _ list: inout [String]) {
            bytes += sentence.utf8.count
            if !sentence.isEmpty, bytes <= Self.mostBytes { list.append(sentence) }
        }
        for row in rows[..<first] {
            take(sentence(row, columns: 1..<(isWide ? Self.mostColumns : names.count)), &sentences)
        }
        if first < rows.count, !words.moreRows.isEmpty {
            sentences.append(words.mention(ofMoreRows: rows.count - first))
        }
        if isWide {
            for row in rows[..<first] { take(sentence(row, columns: Self.mostColumns..<names.count), &more) }
        }
        for row in rows[first...] where bytes <= Self.mostBytes { take(sentence(row, columns: 1..<names.count), &more) }
    }

    /// The subject of the row comes first, and what is said about it after the colon.
    private func sentence(_ row: [Cell], columns: Range<Int>) -> String {
        var subjects = [row.first?.text ?? ""]
        var facts: [String] = []
        for index in columns where index < row.count && !row[index].isEmpty {
            if isNamed[index] || row[index].isMark {
                facts.append(named(row[index], names[index]))
            } else if facts.isEmpty {
                subjects.append(row[index].text)
            } else {
                facts.append(row[index].text)
            }
        }
        subjects.removeAll { $0.isEmpty }
        if facts.isEmpty, subjects.count > 1 { facts = [subjects.removeLast()] }
        facts.removeAll { $0.isEmpty }
        let parts = [subjects, facts].map { $0.map(Self.withoutStop).joined(separator: ", ") }.filter { !$0.isEmpty }
        guard !parts.isEmpty else { return "" }
        return parts.joined(separator: ": ") + "."
    }

    private func named(_ cell: Cell, _ name: String) -> String {
        [name, cell.text].filter { !$0.isEmpty }.joined(separator: " ")
    }

    private static func withoutStop(_ text: String) -> String {
        guard let last = text.last, SentenceSplitter.isPause(last) else { return text }
        return String(text.dropLast())
    }

    /// Columns whose head is read with every cell: figures, and times and dates if several columns have them. In a wide
    /// table, all but the first column.
    private static func namedColumns(_ rows: [[Cell]], count: Int, isWide: Bool) -> [Bool] {
        let kinds = (0..<count).map { column in
            let cells = rows.compactMap { $0.indices.contains(column) ? $0[column] : nil }.filter { !$0.isEmpty }
            func isMost(_ kind: Cell.Kind) -> Bool { cells.filter { $0.kind == kind }.count * 2 > cells.count }
            return isMost(.figure) ? Cell.Kind.figure : isMost(.moment) ? .moment : .text
        }
        let moments = kinds.filter { $0 == .moment }.count
        return kinds.enumerated().map { column, kind in
            column > 0 && (isWide || kind == .figure || (kind == .moment && moments > 1))
        }
    }

    /// One cell, shaped for speech.
    private struct Cell {
        enum Kind { case text, figure, moment }

        let text: String
        let kind: Kind
        /// A check mark or a cross.
        let isMark: Bool

        var isEmpty: Bool { text.isEmpty && !isMark }

        init(_ raw: String, _ words: InsertedWords) {
            let signs = raw.unicodeScalars.filter { !(0xFE00...0xFE0F).contains($0.value) }
            if let sign = signs.first?.value, signs.count == 1, let answer = Self.answer(sign, words) {
                (text, kind, isMark) = (answer, .text, true)
                return
            }
            let cleaned = SpokenText.clean(LinkMarks.resolve(raw), words)
            text = cleaned.isSayable ? cleaned : ""
            kind = Self.kind(text)
            isMark = false
        }

        private static func answer(_ sign: UInt32, _ words: InsertedWords) -> String? {
            switch sign {
            case 0x2713, 0x2714, 0x2705, 0x2611: words.yes ?? ""
            case 0x2717, 0x2718, 0x274C, 0x2715, 0x2716: words.no
            default: nil
            }
        }

        /// "27 \u{B0}C" and "3 eggs" are figures, "14:02" and "2026-11-24" moments, "S1" and "2 large bedrooms" text.
        private static func kind(_ text: String) -> Kind {
            guard text.first(where: { $0.isLetter || $0.isNumber })?.isNumber == true else { return .text }
            let letters = text.filter(\.isLetter).count
            let digits = text.filter(\.isNumber).count
            guard letters <= max(4, digits) else { return .text }
            let marks = text.filter { ":-.".contains($0) }
            let isClock = marks.hasPrefix(":") && digits <= 8
            let isDate = digits >= 3 && (marks == "--" || marks == "..")
            return isClock || isDate ? .moment : .figure
        }
    }
}
