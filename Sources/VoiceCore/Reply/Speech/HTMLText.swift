/// Extracts the words of HTML in a reply.
enum HTMLText {
    enum Piece: Equatable {
        case text(String)
        /// Including its brackets.
        case tag(String)
    }

    /// Returns text and tags in order; nothing for scripts, styles, comments and declarations.
    static func pieces(of html: String) -> [Piece] {
        let start = html.drop(while: \.isWhitespace).prefix(8).lowercased()
        for silent in ["<script", "<style", "<!", "<?"] where start.hasPrefix(silent) { return [] }
        var pieces: [Piece] = []
        var text = ""
        var rest = html[...]
        while let open = rest.firstIndex(of: "<") {
            text += rest[..<open]
            let close = rest[open...].firstIndex(of: ">")
            let end = close.map { rest.index(after: $0) } ?? rest.endIndex
            let tag = String(rest[open..<end])
            if HTMLTag.isTag(tag, after: text.last) {
                if !text.isEmpty { pieces.append(.text(withoutEntities(text))) }
                text = ""
                pieces.append(.tag(tag))
                rest = rest[end...]
            } else {
                text += "<"
                rest = rest[rest.index(after: open)...]
            }
        }
        text += rest
        if !text.isEmpty { pieces.append(.text(withoutEntities(text))) }
        return pieces
    }

    /// Returns only the text. Superscripts and subscripts belong to the word before them, unless digits would run into
    /// digits.
    static func text(of html: String) -> String {
        var result = ""
        var follows: HTMLTag.Script?
        for piece in pieces(of: html) {
            switch piece {
            case .tag(let tag):
                follows = HTMLTag.script(tag)
                if follows == nil { result += " " }
            case .text(let text):
                let isRaised = follows == .enter(raised: true) && text.first.map { $0.isNumber || $0 == "-" } == true
                let runsOn = follows != nil && result.last?.isNumber == true && text.first?.isNumber == true
                result += (isRaised ? "^" : runsOn ? " " : "") + text
                follows = nil
            }
        }
        return result
    }

    private static let entities: [(name: String, text: String)] = [
        ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&nbsp;", " "), ("&deg;", "\u{B0}"),
        ("&euro;", "\u{20AC}"), ("&pound;", "\u{A3}"), ("&ndash;", "\u{2013}"), ("&mdash;", "\u{2014}"),
        ("&hellip;", "\u{2026}"), ("&auml;", "\u{E4}"), ("&ouml;", "\u{F6}"), ("&uuml;", "\u{FC}"),
        ("&szlig;", "\u{DF}"), ("&times;", "\u{D7}"), ("&amp;", "&"),
    ]

    /// Replaces common named entities. Outside HTML the Markdown parser has already replaced them.
    private static func withoutEntities(_ text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: "&")) else { return text }
        return entities.reduce(text) { $0.replacing($1.name, with: $1.text) }
    }
}
