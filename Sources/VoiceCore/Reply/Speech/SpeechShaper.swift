/// Turns what an agent wrote for the eye into what can be spoken.
///
/// Markup goes (CommonMark 0.30, and the tables, task lists and strike-throughs of GitHub); code blocks become a short mention,
/// tables sentences, formulas "a formula", links their text, bare addresses "a link", images their description. What we put in ourselves
/// is in the language of the reply, or left out. What is left is cut at the end of a sentence.
package struct SpeechShaper: Sendable {
    /// Longer replies are read up to here: more than an hour of speech, and a bound on the work.
    package static let maximumBytes = 64 << 10
    /// In English; other languages have their own in `InsertedWords`.
    package static let offer = "I have more details if you want them."

    private let maximumWords: Int

    package init(maximumWords: Int = 150) {
        self.maximumWords = max(1, maximumWords)
    }

    /// Nil when nothing is left to be said.
    package func shape(_ reply: String) -> ShapedReply? {
        let (text, wasTruncated) = Self.bounded(reply)
        let written = ThoughtFilter.removeThoughts(from: ShieldedMarks.withoutPrivateUse(text))
        let words = InsertedWords.of(ReplyLanguage.guess(written))
        let formulas = SpokenMath.replaceFormulas(in: written, words)
        let readable = ShieldedMarks.operators(in: ShieldedMarks.labels(in: formulas))
        guard let document = MarkdownDocument(parsing: readable) else { return nil }
        var plain = PlainText(words: words)
        document.walk { plain.take($0) }
        let (main, more) = plain.finished()
        guard main.contains(where: { $0.isLetter || $0.isNumber }) else { return nil }
        let full = more.isEmpty ? main : main + " " + more
        let cut = SpeechTruncator(maximumWords: maximumWords).split(main)
        guard cut != nil || !more.isEmpty || wasTruncated else {
            return ShapedReply(spoken: full, full: full, wasCut: false)
        }
        return ShapedReply(
            spoken: Self.offering(cut?.spoken ?? main, words.offer),
            full: full,
            wasCut: true,
            rest: [cut?.rest ?? "", more].filter { !$0.isEmpty }.joined(separator: " ")
        )
    }

    static func offering(_ text: String, _ offer: String) -> String { offer.isEmpty ? text : text + " " + offer }

    /// Where reading on begins; nil when all of it is spoken.
    package func place(in reply: ShapedReply) -> ReadingPlace? {
        guard !reply.rest.isEmpty else { return nil }
        let words = InsertedWords.of(ReplyLanguage.guess(reply.full))
        return ReadingPlace(rest: reply.rest, maximumWords: maximumWords, offer: words.offer)
    }

    /// The text up to the bound, ending with a whole line where there is one.
    static func bounded(_ text: String) -> (text: String, wasTruncated: Bool) {
        guard text.utf8.count > maximumBytes else { return (text, false) }
        let bytes = text.utf8.prefix(maximumBytes)
        let end = bytes.lastIndex(of: UInt8(ascii: "\n")).map { bytes.distance(from: bytes.startIndex, to: $0) }
        return (String(decoding: bytes.prefix(max(end ?? 0, maximumBytes / 2)), as: UTF8.self), true)
    }
}
