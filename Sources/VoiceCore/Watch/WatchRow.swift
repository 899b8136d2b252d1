internal import VoiceBase

/// A colour of the terminal, from its table of 256.
enum WatchColour: Int {
    case grey = 245
    case blue = 75
    case green = 77
    case orange = 208
    case purple = 141
    case red = 203
}

/// A row of the picture. Text in it may come from anywhere.
struct WatchRow: ExpressibleByStringLiteral {
    private var spans: [(text: String, colour: WatchColour?)] = []

    init() {}
    init(stringLiteral text: String) { self += (text, nil) }
    init(_ text: String, _ colour: WatchColour? = nil) { self += (text, colour) }

    static func += (row: inout Self, span: (text: String, colour: WatchColour?)) { row.spans.append(span) }

    static func + (one: Self, other: Self) -> Self {
        var row = one
        row.spans += other.spans
        return row
    }

    /// The row in the colour of what is no longer known.
    var greyed: WatchRow {
        var row = self
        row.spans = spans.map { ($0.text, .grey) }
        return row
    }

    /// The row in exactly this number of columns. The only escapes in it are those of the colours.
    func text(columns: Int, isColoured: Bool) -> String {
        var left = columns
        var row = ""
        for span in spans where left > 0 {
            let text = span.text.escapingHidden().cut(toColumns: left)
            left -= text.columns
            row += span.colour.flatMap { isColoured ? "\u{1B}[38;5;\($0.rawValue)m\(text)\u{1B}[0m" : nil } ?? text
        }
        return row + String(repeating: " ", count: left)
    }
}

extension String {
    /// Number of columns that a terminal needs for the text.
    var columns: Int { unicodeScalars.reduce(0) { $0 + $1.columns } }

    /// The text, or its beginning and an ellipsis.
    func cut(toColumns limit: Int) -> String {
        guard columns > limit else { return self }
        var left = limit - 1
        let kept = prefix { letter in
            left -= String(letter).columns
            return left >= 0
        }
        return limit > 0 ? kept + "…" : ""
    }

    /// The text in rows, broken between words.
    func wrapped(toColumns limit: Int) -> [String] {
        var rows: [String] = []
        for word in escapingHidden().split(separator: " ") {
            if let last = rows.last, last.columns + 1 + String(word).columns <= limit {
                rows[rows.count - 1] += " " + word
            } else {
                rows.append(String(word))
            }
        }
        return rows
    }
}

extension Unicode.Scalar {
    fileprivate var columns: Int {
        if isASCII { return 1 }
        return switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark: 0
        case _ where properties.isEmojiPresentation: 2
        default:
            switch value {
            case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF,
                0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x20000...0x3FFFD:
                2
            default: 1
            }
        }
    }
}
