/// The words of a piece of HTML that stands in a reply.
enum HTMLText {
    /// Without tags; nothing of scripts, styles, comments and declarations.
    static func text(of html: String) -> String {
        let start = html.drop(while: \.isWhitespace).prefix(8).lowercased()
        for silent in ["<script", "<style", "<!", "<?"] where start.hasPrefix(silent) { return "" }
        let html = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "-"].reduce(html) {
            $0.replacing("<sup>" + $1, with: "^" + $1)
        }
        var result = ""
        var isInTag = false
        for character in html {
            switch character {
            case "<":
                isInTag = true
            case ">" where isInTag:
                isInTag = false
                result += " "
            default:
                if !isInTag { result.append(character) }
            }
        }
        return withoutEntities(result)
    }

    private static let entities: [(name: String, text: String)] = [
        ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&nbsp;", " "), ("&deg;", "\u{B0}"),
        ("&euro;", "\u{20AC}"), ("&pound;", "\u{A3}"), ("&ndash;", "\u{2013}"), ("&mdash;", "\u{2014}"),
        ("&hellip;", "\u{2026}"), ("&auml;", "\u{E4}"), ("&ouml;", "\u{F6}"), ("&uuml;", "\u{FC}"),
        ("&szlig;", "\u{DF}"), ("&times;", "\u{D7}"), ("&amp;", "&"),
    ]

    /// The common named characters; Markdown has put those outside of HTML in place already.
    private static func withoutEntities(_ text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: "&")) else { return text }
        return entities.reduce(text) { $0.replacing($1.name, with: $1.text) }
    }
}
