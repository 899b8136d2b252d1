import CCmark

/// A parsed CommonMark text that can be walked once from front to back.
struct MarkdownDocument: ~Copyable {
    /// What is met on the way; containers are met twice.
    enum Step {
        case text(String)
        case code(String)
        case codeBlock(language: String)
        case htmlBlock(String)
        case lineBreak
        /// A line that was meant to end.
        case hardBreak
        case enter(Container)
        case leave(Container)
    }

    enum Container {
        case paragraph
        case heading
        case item
        case link
        case image
        case strong
    }

    private let root: OpaquePointer

    /// Nil when memory ran out. Bytes that are not UTF-8 become U+FFFD.
    init?(parsing text: String) {
        var text = text
        let parsed = text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) { characters in
                cmark_parse_document(characters.baseAddress, characters.count, CMARK_OPT_VALIDATE_UTF8)
            }
        }
        guard let parsed else { return nil }
        root = parsed
    }

    deinit { cmark_node_free(root) }

    /// Walks by iteration, so that depth costs no stack.
    func walk(_ visit: (Step) -> Void) {
        guard let iterator = cmark_iter_new(root) else { return }
        defer { cmark_iter_free(iterator) }
        while true {
            let event = cmark_iter_next(iterator)
            guard event != CMARK_EVENT_DONE, let node = cmark_iter_get_node(iterator) else { return }
            if let step = Self.step(node, entering: event == CMARK_EVENT_ENTER) { visit(step) }
        }
    }

    private static func step(_ node: OpaquePointer, entering: Bool) -> Step? {
        switch cmark_node_get_type(node) {
        case CMARK_NODE_TEXT: .text(literal(node))
        case CMARK_NODE_CODE: .code(literal(node))
        case CMARK_NODE_CODE_BLOCK:
            .codeBlock(language: cmark_node_get_fence_info(node).map { String(cString: $0) } ?? "")
        case CMARK_NODE_HTML_BLOCK: .htmlBlock(literal(node))
        case CMARK_NODE_HTML_INLINE: literal(node).lowercased().hasPrefix("<br") ? .hardBreak : nil
        case CMARK_NODE_SOFTBREAK: .lineBreak
        case CMARK_NODE_LINEBREAK: .hardBreak
        case CMARK_NODE_STRONG: entering ? .enter(.strong) : .leave(.strong)
        case CMARK_NODE_PARAGRAPH: entering ? .enter(.paragraph) : .leave(.paragraph)
        case CMARK_NODE_HEADING: entering ? .enter(.heading) : .leave(.heading)
        case CMARK_NODE_ITEM: entering ? .enter(.item) : .leave(.item)
        case CMARK_NODE_LINK: entering ? .enter(.link) : .leave(.link)
        case CMARK_NODE_IMAGE: entering ? .enter(.image) : .leave(.image)
        default: nil
        }
    }

    private static func literal(_ node: OpaquePointer) -> String {
        cmark_node_get_literal(node).map { String(cString: $0) } ?? ""
    }
}
