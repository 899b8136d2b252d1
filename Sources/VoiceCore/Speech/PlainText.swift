/// Gathers the steps through a document into one line of plain sentences.
struct PlainText {
    /// Blocks that are complete, each ending like a sentence unless it is the last one.
    private var blocks: [String] = []
    /// The block at hand; line breaks are kept, since tables are known by their lines.
    private var current = ""
    /// Where the open links and images start in `current`, in UTF-8 bytes.
    private var openSpans: [Int] = []

    mutating func take(_ step: MarkdownDocument.Step) {
        switch step {
        case .text(let text), .code(let text): current += text
        case .lineBreak: current += "\n"
        case .hardBreak: current += LinkMarks.lineEnd + "\n"
        case .codeBlock(let language):
            flush()
            mention(Self.codeMention(language))
        case .htmlBlock(let html):
            flush()
            current = HTMLText.text(of: html)
            flush()
        case .enter(.link):
            current += LinkMarks.open
            openSpans.append(current.utf8.count)
        case .enter(.image): openSpans.append(current.utf8.count)
        case .leave(.link):
            closeSpan(placeholder: "a link")
            current += LinkMarks.close
        // Lines that begin in bold are entries of a list that was not written as one.
        case .enter(.strong):
            if current.last == "\n" {
                current.removeLast()
                endLine()
            }
        case .leave(.strong): break
        case .leave(.image): closeSpan(placeholder: "an image")
        case .leave(.heading), .leave(.item):
            flush()
            closeLastSentence()
        case .enter, .leave(.paragraph): flush()
        }
    }

    mutating func finished() -> String {
        flush()
        return blocks.joined(separator: " ")
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
        }
        guard !current.isEmpty else { return }
        let table = MarkdownTable.split(current)
        add(SpokenText.clean(LinkMarks.resolve(table?.before ?? current)))
        if let rows = table?.rows {
            mention(rows == 1 ? "There is a table with 1 row." : "There is a table with \(rows) rows.")
        }
    }

    private mutating func add(_ text: String) {
        guard !text.isEmpty else { return }
        closeLastSentence()
        blocks.append(text)
    }

    private mutating func mention(_ sentence: String) {
        guard blocks.last != sentence else { return }
        add(sentence)
    }

    /// Ends the last block like a sentence, so that it does not run into what follows.
    private mutating func closeLastSentence() {
        guard let last = blocks.last?.last(where: { !SentenceSplitter.closers.contains($0) }) else { return }
        guard !SentenceSplitter.isPause(last) else { return }
        blocks[blocks.count - 1] += WordCount.isWrittenWithoutSpaces(last) ? "\u{3002}" : "."
    }

    private static func codeMention(_ information: String) -> String {
        let language = information.prefix { !$0.isWhitespace }
        let isName =
            (1...16).contains(language.count) && language.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
        return isName ? "There is a block of \(language) code." : "There is a block of code."
    }
}
