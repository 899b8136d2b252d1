import CCmark

/// A parsed CommonMark text that can be walked from beginning to end.
struct MarkdownDocument: ~Copyable {
    /// One step of the walk. Containers are entered and left.
    enum Step {
        case text(String)
        case code(String)
        case codeBlock(language: String)
        case htmlBlock(String)
        /// An inline tag, or what Markdown takes for one.
        case tag(String)
        case lineBreak
        case hardBreak
        case enter(Container)
        case leave(Container)
    }

    enum Container {
        case paragraph
        case heading
        /// The number, such as "7.", if it may be content: in a list of one item, in one that does not begin with 1 or
        /// was numbered by hand (1., 8. and 14. May), and before another number (1. 7. 2026).
        case item(number: String?)
        case link
        case image
        case strong
    }

    private let root: OpaquePointer
    private let lines: [Substring.UTF8View]

    /// Returns nil if memory is exhausted. Bytes that are not UTF-8 become U+FFFD.
    init?(parsing text: String) {
        var text = text
        let parsed = text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) { characters in
                cmark_parse_document(characters.baseAddress, characters.count, CMARK_OPT_VALIDATE_UTF8)
            }
        }
        guard let parsed else { return nil }
        root = parsed
        lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(\.utf8)
    }

    deinit { cmark_node_free(root) }

    /// Visits every step. Iterative, so that nesting costs no stack.
    func walk(_ visit: (Step) -> Void) {
        guard let iterator = cmark_iter_new(root) else { return }
        defer { cmark_iter_free(iterator) }
        var numbers: [OpaquePointer: Numbers] = [:]
        while true {
            let event = cmark_iter_next(iterator)
            guard event != CMARK_EVENT_DONE, let node = cmark_iter_get_node(iterator) else { return }
            if event == CMARK_EVENT_ENTER, cmark_node_get_type(node) == CMARK_NODE_ITEM {
                visit(.enter(.item(number: number(of: node, &numbers))))
            } else if let step = Self.step(node, entering: event == CMARK_EVENT_ENTER) {
                visit(step)
            }
        }
    }

    private static func step(_ node: OpaquePointer, entering: Bool) -> Step? {
        switch cmark_node_get_type(node) {
        case CMARK_NODE_TEXT: .text(literal(node))
        case CMARK_NODE_CODE: .code(literal(node))
        case CMARK_NODE_CODE_BLOCK:
            .codeBlock(language: cmark_node_get_fence_info(node).map { String(cString: $0) } ?? "")
        case CMARK_NODE_HTML_BLOCK: .htmlBlock(literal(node))
        case CMARK_NODE_HTML_INLINE: .tag(literal(node))
        case CMARK_NODE_SOFTBREAK: .lineBreak
        case CMARK_NODE_LINEBREAK: .hardBreak
        case CMARK_NODE_STRONG: entering ? .enter(.strong) : .leave(.strong)
        case CMARK_NODE_PARAGRAPH: entering ? .enter(.paragraph) : .leave(.paragraph)
        case CMARK_NODE_HEADING: entering ? .enter(.heading) : .leave(.heading)
        case CMARK_NODE_ITEM: .leave(.item(number: nil))
        case CMARK_NODE_LINK: entering ? .enter(.link) : .leave(.link)
        case CMARK_NODE_IMAGE: entering ? .enter(.image) : .leave(.image)
        default: nil
        }
    }

    private struct Numbers {
        /// The number of the next item, as the parser counts.
        var next: Int
        /// Whether any item of the list was numbered by hand.
        let areByHand: Bool
    }

    /// - Parameter numbers: of every open list.
    private func number(of item: OpaquePointer, _ numbers: inout [OpaquePointer: Numbers]) -> String? {
        guard let list = cmark_node_parent(item), Self.isOrdered(list) else { return nil }
        let start = Int(cmark_node_get_list_start(list))
        let known = numbers[list] ?? Numbers(next: start, areByHand: isNumberedByHand(list, from: start))
        let counted = known.next
        numbers[list] = Numbers(next: counted + 1, areByHand: known.areByHand)
        let isAlone = cmark_node_previous(item) == nil && cmark_node_next(item) == nil
        let isBeforeAnother = cmark_node_first_child(item).map(Self.isOrdered) ?? false
        guard isAlone || start != 1 || known.areByHand || isBeforeAnother else { return nil }
        let number = known.areByHand ? writtenNumber(of: item) ?? counted : counted
        return "\(number)" + (cmark_node_get_list_delim(list) == CMARK_PAREN_DELIM ? ")" : ".")
    }

    /// Whether the list has numbers other than the parser's count. The count is what an author means who writes 1. at
    /// every item.
    private func isNumberedByHand(_ list: OpaquePointer, from start: Int) -> Bool {
        var counted = start
        var next = cmark_node_first_child(list)
        while let item = next {
            if let written = writtenNumber(of: item), written != counted, written != start { return true }
            counted += 1
            next = cmark_node_next(item)
        }
        return false
    }

    private static func isOrdered(_ node: OpaquePointer) -> Bool {
        cmark_node_get_type(node) == CMARK_NODE_LIST && cmark_node_get_list_type(node) == CMARK_ORDERED_LIST
    }

    /// The digits of the item's marker; nine at most (CommonMark 0.30, section 5.2).
    private func writtenNumber(of item: OpaquePointer) -> Int? {
        let (line, column) = (Int(cmark_node_get_start_line(item)) - 1, Int(cmark_node_get_start_column(item)) - 1)
        guard lines.indices.contains(line), column >= 0 else { return nil }
        let digits = lines[line].dropFirst(column).prefix { (0x30...0x39).contains($0) }
        return digits.count <= 9 ? Int(String(decoding: digits, as: UTF8.self)) : nil
    }

    private static func literal(_ node: OpaquePointer) -> String {
        cmark_node_get_literal(node).map { String(cString: $0) } ?? ""
    }
}
