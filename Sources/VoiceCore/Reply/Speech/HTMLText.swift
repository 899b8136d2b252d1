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

    /// Replaces character references, such as "&eacute;" and "&#39;". Outside HTML the Markdown parser has already replaced
    /// them. Each is parsed alone, so that "&amp;lt;" does not become another one and no text becomes markup.
    private static func withoutEntities(_ text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: "&")) else { return text }
        var (result, rest) = ("", text[...])
        while let start = rest.firstIndex(of: "&") {
            result += rest[..<start]
            // The longest name of HTML has 31 letters.
            let name = rest[start...].dropFirst().prefix(32)
                .prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "#") }
            rest = rest[name.endIndex...]
            guard rest.first == ";", let document = MarkdownDocument(parsing: "&\(name);") else {
                result += "&" + name
                continue
            }
            // An unknown name stays as it is.
            document.walk { step in if case .text(let characters) = step { result += characters } }
            rest = rest.dropFirst()
        }
        return result + rest
    }
}
