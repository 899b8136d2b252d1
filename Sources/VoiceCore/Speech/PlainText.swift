/// Gathers the steps through a document into one line of plain sentences.
struct PlainText {
    /// Blocks that are complete, each ending like a sentence unless it is the last one.
    private var blocks: [String] = []
    /// The block at hand; line breaks are kept, since tables are known by their lines.
    private var current = ""
    /// Where the open links and images start in `current`, in UTF-8 bytes.
    private var openSpans: [Int] = []
    /// Where the superscript at hand starts.
    private var superscript: Int?
    /// The number of the list's item that begins.
    private var number: String?
    /// The rows of large tables that come last.
    private var more: [String] = []
    private let words: InsertedWords

    init(words: InsertedWords) {
        self.words = words
    }

    mutating func take(_ step: MarkdownDocument.Step) {
        switch step {
        case .text(let text): current += text
        case .code(let text): current += ShieldedMarks.ofCode(text)
        case .lineBreak: current += "\n"
        case .hardBreak: current += LinkMarks.lineEnd + "\n"
        case .codeBlock(let language):
            flush()
            number = nil
            mention(words.mention(ofCodeIn: Self.name(ofCode: language)))
        case .htmlBlock(let html):
            flush()
            current = HTMLText.text(of: html)
            flush()
        case .enter(.link):
            current += LinkMarks.open
            openSpans.append(current.utf8.count)
        case .enter(.image): openSpans.append(current.utf8.count)
        case .leave(.link):
            closeSpan(placeholder: words.link)
            current += LinkMarks.close
        // Lines that begin in bold are entries of a list that was not written as one.
        case .enter(.strong):
            if current.last == "\n" {
                current.removeLast()
                endLine()
            }
        case .leave(.strong): break
        case .leave(.image): closeSpan(placeholder: words.image)
        case .enter(.superscript): superscript = current.utf8.count
        case .leave(.superscript): closeSuperscript()
        case .enter(.item(let number)):
            flush()
            // In "3. 10. 2026" each mark is an item of its own.
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

    /// What is read, and what is kept for those who want more.
    mutating func finished() -> (text: String, more: String) {
        flush()
        if !more.isEmpty { closeLastSentence() }
        return (blocks.joined(separator: " "), more.joined(separator: " "))
    }

    /// 10<sup>6</sup> is a power, m<sup>2</sup> a unit, 1<sup>st</sup> a word, a number behind a word the mark of a footnote.
    private mutating func closeSuperscript() {
        guard let start = superscript else { return }
        superscript = nil
        let exponent = String(decoding: current.utf8.dropFirst(start), as: UTF8.self)
        let before = String(decoding: current.utf8.prefix(start), as: UTF8.self)
        let digits = exponent.drop { "-+\u{2212}".contains($0) }
        let isNumber = !digits.isEmpty && digits.allSatisfy(\.isNumber)
        guard isNumber || (exponent.count == 1 && "nxkmt".contains(exponent)) else { return }
        // Backwards: the first is the one before the exponent.
        let base = Array(before.suffix(8).reversed().prefix { $0.isLetter || $0.isNumber })
        let isWord = base.count > 3 && base.allSatisfy(\.isLetter)
        switch exponent {
        case _ where isWord: current = before
        case "2" where base.first?.isLetter == true: current = before + "\u{B2}"
        case "3" where base.first?.isLetter == true: current = before + "\u{B3}"
        case _ where !base.isEmpty || before.last == ")":
            current = before + (words.power.map { " \($0) " } ?? "^") + exponent
        default: break
        }
    }

    /// Ends the line at hand like a sentence, unless it ends with a pause or is a row of a table.
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
            superscript = nil
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

    /// Ends the last block like a sentence, so that it does not run into what follows.
    private mutating func closeLastSentence() {
        guard let last = blocks.last?.last(where: { !SentenceSplitter.closers.contains($0) }) else { return }
        guard !SentenceSplitter.isPause(last) else { return }
        blocks[blocks.count - 1] += WordCount.isWrittenWithoutSpaces(last) ? "\u{3002}" : "."
    }

    /// The language of a block of code, where it has a name that can be said.
    private static func name(ofCode information: String) -> String? {
        let language = information.prefix { !$0.isWhitespace }
        let isName =
            (1...16).contains(language.count) && language.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
        return isName ? String(language) : nil
    }
}
