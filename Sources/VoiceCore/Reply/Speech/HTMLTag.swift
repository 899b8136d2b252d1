/// Decides whether text in angle brackets is a tag: "a<b and c>d" is a comparison, "Array<Int>" a type.
enum HTMLTag {
    enum Script: Equatable {
        case enter(raised: Bool)
        case leave(raised: Bool)
    }

    private static let names: Set<Substring> = [
        "a", "abbr", "address", "article", "aside", "audio", "b", "bdi", "bdo", "big", "blockquote", "body", "br",
        "button", "caption", "center", "cite", "code", "col", "colgroup", "data", "dd", "del", "details", "dfn",
        "dialog", "div", "dl", "dt", "em", "embed", "fieldset", "figcaption", "figure", "font", "footer", "form", "h1",
        "h2", "h3", "h4", "h5", "h6", "head", "header", "hr", "html", "i", "iframe", "img", "input", "ins", "kbd",
        "label", "legend", "li", "link", "main", "map", "mark", "menu", "meta", "meter", "nav", "object", "ol",
        "option", "p", "picture", "pre", "progress", "q", "ruby", "rp", "rt", "s", "samp", "script", "section",
        "select", "small", "source", "span", "strike", "strong", "style", "sub", "summary", "sup", "svg", "table",
        "tbody", "td", "template", "textarea", "tfoot", "th", "thead", "time", "title", "tr", "track", "tt", "u", "ul",
        "var", "video", "wbr",
    ]
    /// Elements whose text does not run on into that of the next one.
    private static let blocks: Set<Substring> = [
        "article", "blockquote", "caption", "dd", "div", "dt", "figcaption", "footer", "h1", "h2", "h3", "h4", "h5",
        "h6",
        "header", "legend", "li", "main", "nav", "option", "p", "section", "summary", "table", "td", "th", "title",
        "tr",
    ]
    /// Attributes without a value.
    private static let switches: Set<Substring> = [
        "async", "autoplay", "checked", "controls", "default", "defer", "disabled", "download", "hidden", "inert",
        "ismap", "loop", "multiple", "muted", "nowrap", "open", "playsinline", "readonly", "required", "reversed",
        "selected",
    ]

    /// - Parameter tag: with its brackets.
    static func isBlock(_ tag: String) -> Bool {
        let name = tag.dropFirst().drop { $0 == "/" }.prefix { $0.isLetter || $0.isNumber }
        return blocks.contains(name.lowercased()[...])
    }

    static func isElement(_ name: String) -> Bool { names.contains(name[...]) }

    /// - Parameters:
    ///   - text: from "<" to ">", or to the end of the text if there is no ">".
    ///   - before: the character before it.
    static func isTag(_ text: String, after before: Character?) -> Bool {
        let inside = text.dropFirst()
        guard let first = inside.first else { return false }
        if first == "!" || first == "?" { return true }
        let body = inside.prefix { $0 != ">" }
        let name = (first == "/" ? body.dropFirst() : body).prefix {
            !$0.isWhitespace && $0 != "/" && $0 != "<"
        }.lowercased()[...]
        guard let letter = name.first, letter.isASCII, letter.isLetter else { return false }
        let isKnown = names.contains(name)
        // Directly after a word, a name unknown to HTML is part of the word.
        let isGlued = before.map { $0.isLetter || $0.isNumber } ?? false
        if first == "/" { return isKnown || !isGlued || text.hasSuffix(">") }
        guard isKnown || !isGlued else { return false }
        let attributes = body.dropFirst(name.count)
        // Elements of other vocabularies also have attributes with values.
        return attributes.contains("=")
            || attributes.split(whereSeparator: { $0.isWhitespace || $0 == "/" })
                .allSatisfy { switches.contains($0.lowercased()[...]) }
    }

    /// Returns nil for a tag that is neither superscript nor subscript.
    static func script(_ tag: String) -> Script? {
        let body = tag.dropFirst().prefix { $0 != ">" }.lowercased()
        switch body.split(whereSeparator: \.isWhitespace).first ?? "" {
        case "sup": return .enter(raised: true)
        case "sub": return .enter(raised: false)
        case "/sup": return .leave(raised: true)
        case "/sub": return .leave(raised: false)
        default: return nil
        }
    }
}
