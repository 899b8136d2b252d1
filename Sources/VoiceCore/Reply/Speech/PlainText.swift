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
    /// The end of the latest superscript or subscript. Digits directly after it form another number; if it stands
    /// apart, so do letters form another word.
    private var scriptEnd: Int?
    private var isScriptApart = false
    /// The number of the list item that begins.
    private var number: String?
    /// The remaining rows of large tables.
    private var more: [String] = []
    private let words: InsertedWords

    init(words: InsertedWords) {
        self.words = words
    }

    mutating func take(_ step: MarkdownDocument.Step) {
        switch step {
        case .text(let text):
            if scriptEnd == current.utf8.count, text.first.map(runsIntoScript) == true { current += " " }
            scriptEnd = nil
            current += text
        case .code(let text): current += ShieldedMarks.ofCode(text)
        case .lineBreak: current += "\n"
        case .hardBreak: current += LinkMarks.lineEnd + "\n"
        case .codeBlock(let language):
            flush()
            number = nil
            mention(words.mention(ofCodeIn: Self.name(ofCode: language)))
        case .htmlBlock(let html):
            flush()
            for piece in HTMLText.pieces(of: html) {
                switch piece {
                case .text(let text): take(.text(text))
                case .tag(let tag):
                    if HTMLTag.isBlock(tag) { flush() } else if !takeScript(tag) { current += " " }
                }
            }
            flush()
        case .enter(.link):
            current += LinkMarks.open
            openSpans.append(current.utf8.count)
        case .enter(.image): openSpans.append(current.utf8.count)
        case .leave(.link):
            closeSpan(placeholder: words.link)
            current += LinkMarks.close
        // Lines that begin in bold are list entries not written as a list.
        case .enter(.strong):
            if current.last == "\n" {
                current.removeLast()
                endLine()
            }
        case .leave(.strong): break
        case .leave(.image): closeSpan(placeholder: words.image)
        case .tag(let tag):
            if !HTMLTag.isTag(tag, after: current.last) {
                current += tag
            } else if tag.lowercased().hasPrefix("<br") {
                take(.hardBreak)
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
            if scriptEnd == current.utf8.count { current += " " }
            if scripts.count < Self.deepestScript { scripts.append((current.utf8.count, isRaised)) }
        case .leave(let isRaised):
            if scripts.last?.isRaised == isRaised { closeScript() }
        case nil: return false
        }
        return true
    }

    private mutating func closeScript() {
        guard let (start, isRaised) = scripts.popLast() else { return }
        let text = String(decoding: current.utf8.dropFirst(start), as: UTF8.self)
        // A nested script has its base inside the outer one.
        let outer = scripts.last?.start ?? 0
        var before = String(decoding: current.utf8.prefix(start).dropFirst(outer), as: UTF8.self)
        let length = before.utf8.count
        let reader = SpokenScript(words: words)
        if isRaised { reader.raise(text, after: &before) } else { reader.lower(text, after: &before) }
        current = String(decoding: current.utf8.prefix(outer), as: UTF8.self) + before
        scriptEnd = current.utf8.count
        isScriptApart = before.utf8.dropFirst(length).contains(UInt8(ascii: " "))
    }

    private func runsIntoScript(_ next: Character) -> Bool {
        guard next.isLetter || next.isNumber else { return false }
        return isScriptApart || next.isNumber && current.last?.isNumber == true
    }

    /// Ends the current line like a sentence, unless it ends with a pause or is a row of a table.
    private mutating func endLine() {
        let last = current.last { !$0.isWhitespace && !SentenceSplitter.closers.contains($0) }
        if let last, last.isLetter || last.isNumber || last == "%" { current += "." }
        current += "\n"
    }

    private mutating func closeSpan(placeholder: String) {
        guard let start = openSpans.popLast() else { return }
        let text = current.utf8.dropFirst(start)
        if text.first == UInt8(ascii: "^") {
            // A footnote mark whose text is an address.
            current = String(decoding: current.utf8.prefix(start), as: UTF8.self)
        } else if text.allSatisfy({ $0 <= 0x20 }) {
            current += placeholder
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
        let spoken = SpokenTable(table, words)
        for sentence in spoken.sentences { add(sentence) }
        more += spoken.more
        add(clean(after))
    }

    private func clean(_ text: String) -> String { SpokenText.clean(LinkMarks.resolve(text), words) }

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

    private mutating func mention(_ sentence: String) {
        guard !sentence.isEmpty, blocks.last != sentence else { return }
        add(sentence)
    }

    /// Ends the last block like a sentence, so that it does not run into the next one.
    private mutating func closeLastSentence() {
        guard let last = blocks.last?.last(where: { !SentenceSplitter.closers.contains($0) }) else { return }
        guard !SentenceSplitter.isPause(last) else { return }
        blocks[blocks.count - 1] += WordCount.isWrittenWithoutSpaces(last) ? "\u{3002}" : "."
    }

    /// Returns the language of a code block if it has a name that can be spoken.
    private static func name(ofCode information: String) -> String? {
        let language = information.prefix { !$0.isWhitespace }
        let isName =
            (1...16).contains(language.count) && language.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
        return isName ? String(language) : nil
    }
}
