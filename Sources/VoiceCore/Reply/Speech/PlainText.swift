internal import VoiceBase

/// Collects the steps through a document as one line of plain sentences.
struct PlainText {
    /// Complete blocks, each but the last with the end of a sentence.
    private var blocks: [String] = []
    /// The current block. It keeps line breaks, by which tables are recognised.
    private var current = ""
    /// The beginnings of open links and images in `current`, in UTF-8 bytes.
    private var openSpans: [Int] = []
    /// The beginnings of open superscripts and subscripts, the innermost last.
    private var scripts: [(start: Int, isRaised: Bool)] = []
    private static let deepestScript = 8
    /// The end of the latest superscript or subscript: what follows directly is another number or word.
    private var scriptEnd: Int?
    /// The number of the list item that begins.
    private var number: String?
    /// Whether a code block was left out.
    private(set) var hasCode = false
    /// The remaining rows of large tables.
    private var more: [String] = []

    mutating func consume(_ step: MarkdownDocument.Step) {
        switch step {
        case .text(let text):
            let isScript = scriptEnd == current.utf8.count && current.last?.isNumber == true
            if isScript, text.first?.isNumber == true { current += " " }
            scriptEnd = nil
            current += text
        case .code(let text): current += ShieldedMarks.ofCode(text)
        case .lineBreak: current += "\n"
        case .hardBreak: current += LinkMarks.lineEnd + "\n"
        case .codeBlock:
            hasCode = true
            flush()
            number = nil
        case .htmlBlock(let html):
            flush()
            for piece in HTMLText.pieces(of: html) {
                switch piece {
                case .text(let text): consume(.text(text))
                case .tag(let tag):
                    if HTMLTag.isBlock(tag) { flush() } else if !takeScript(tag) { current += " " }
                }
            }
            flush()
        case .enter(.link):
            current += LinkMarks.open
            openSpans.append(current.utf8.count)
        case .enter(.image):
            openSpans.append(current.utf8.count)
        case .leave(.link):
            closeSpan()
            current += LinkMarks.close
        // Lines that begin in bold are list entries not written as a list.
        case .enter(.strong):
            if current.last == "\n" {
                current.removeLast()
                endLine()
            }
        case .leave(.strong): break
        case .leave(.image): closeSpan()
        case .tag(let tag):
            if !HTMLTag.isTag(tag, after: current.last) {
                current += tag
            } else if tag.lowercased().hasPrefix("<br") {
                consume(.hardBreak)
            } else {
                _ = takeScript(tag)
            }
        case .enter(.item(let number)):
            flush()
            // In "3. 10. 2026" each number with its full stop is an item.
            self.number = [self.number, number].compactMap { $0 }.joined(separator: " ")
            if self.number == "" { self.number = nil }
        case .leave(.heading), .leave(.item):
            flush()
            if let number { add(number) }
            number = nil
            closeLastSentence()
        case .enter, .leave(.paragraph): flush()
        }
    }

    /// Returns the text to read, and the text kept for "tell me more".
    mutating func finished() -> (text: String, more: String) {
        flush()
        if !more.isEmpty { closeLastSentence() }
        return (blocks.joined(separator: " "), more.joined(separator: " "))
    }

    /// Returns whether the tag is a superscript or a subscript.
    private mutating func takeScript(_ tag: String) -> Bool {
        switch HTMLTag.script(tag) {
        case .enter(let isRaised):
            // The superscript ends here; two numbers in a row are not one.
            if !isRaised, scriptEnd == current.utf8.count { current += " " }
            if scripts.count < Self.deepestScript { scripts.append((current.utf8.count, isRaised)) }
        case .leave(let isRaised):
            if scripts.last?.isRaised == isRaised { closeScript() }
        case nil: return false
        }
        return true
    }

    private mutating func closeScript() {
        guard let (start, isRaised) = scripts.popLast() else { return }
        let text = String(decoding: current.utf8.dropFirst(start), as: UTF8.self).singleSpaced
        current = String(decoding: current.utf8.prefix(start), as: UTF8.self)
        current +=
            isRaised ? raised(text) : (current.last?.isNumber == true && text.first?.isNumber == true ? " " : "") + text
        scriptEnd = current.utf8.count
    }

    /// "10^6", "m\u{B2}", "1st"; a number after a word is the mark of a footnote.
    private func raised(_ text: String) -> String {
        let base = current.suffix(8).reversed().prefix { $0.isLetter || $0.isNumber }
        if base.count > 3, base.allSatisfy(\.isLetter), text.allSatisfy({ !$0.isLetter }) { return "" }
        switch text {
        case "2": return "\u{B2}"
        case "3": return "\u{B3}"
        case _ where text.count > 1 && text.allSatisfy(\.isLetter): return text
        default: return "^" + text
        }
    }

    /// Ends the current line like a sentence, unless it ends with a pause or is a row of a table.
    private mutating func endLine() {
        let last = current.last { !$0.isWhitespace && !SentenceSplitter.closers.contains($0) }
        if let last, last.isLetter || last.isNumber || last == "%" { current += "." }
        current += "\n"
    }

    private mutating func closeSpan() {
        guard let start = openSpans.popLast() else { return }
        let text = current.utf8.dropFirst(start)
        if text.first == UInt8(ascii: "^") {
            // A footnote mark whose text is an address.
            current = String(decoding: current.utf8.prefix(start), as: UTF8.self)
        }
    }

    private mutating func flush() {
        defer {
            current = ""
            openSpans = []
            scripts = []
            scriptEnd = nil
        }
        guard !current.isEmpty else { return }
        guard let (before, table, after) = MarkdownTable.split(current) else { return addNumbered(clean(current)) }
        addNumbered(clean(before))
        let spoken = SpokenTable(table)
        for sentence in spoken.sentences { add(sentence) }
        more += spoken.more
        add(clean(after))
    }

    private func clean(_ text: String) -> String { SpokenText.clean(LinkMarks.resolve(text)) }

    private mutating func addNumbered(_ text: String) {
        guard !text.isEmpty else { return }
        add(number.map { "\($0) \(text)" } ?? text)
        number = nil
    }

    private mutating func add(_ text: String) {
        guard !text.isEmpty else { return }
        closeLastSentence()
        blocks.append(text)
    }

    /// Ends the last block like a sentence, so that it does not run into the next one.
    private mutating func closeLastSentence() {
        guard let last = blocks.last?.last(where: { !SentenceSplitter.closers.contains($0) }) else { return }
        guard !SentenceSplitter.isPause(last) else { return }
        blocks[blocks.count - 1] += WordCount.isWrittenWithoutSpaces(last) ? "\u{3002}" : "."
    }
}
