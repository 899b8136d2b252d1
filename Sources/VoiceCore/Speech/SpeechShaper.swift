/// Turns what an agent wrote for the eye into what can be spoken.
///
/// Markup goes (CommonMark 0.30, and the tables, task lists and strike-throughs of GitHub); code blocks and tables
/// become a short mention, formulas words, links their text, bare addresses "a link", images their description. What is left is cut
/// at the end of a sentence.
package struct SpeechShaper: Sendable {
    /// Longer replies are read up to here: more than an hour of speech, and a bound on the work.
    package static let maximumBytes = 64 << 10
    package static let offer = "I have more details if you want them."

    private let maximumWords: Int

    package init(maximumWords: Int = 150) {
        self.maximumWords = max(1, maximumWords)
    }

    /// Nil when nothing is left to be said.
    package func shape(_ reply: String) -> ShapedReply? {
        let (text, wasTruncated) = Self.bounded(reply)
        guard
            let document = MarkdownDocument(
                parsing: SpokenMath.replaceFormulas(in: ThoughtFilter.removeThoughts(from: text))
            )
        else { return nil }
        var plain = PlainText()
        document.walk { plain.take($0) }
        let full = plain.finished()
        guard full.contains(where: { $0.isLetter || $0.isNumber }) else { return nil }
        let cut = SpokenCut(maximumWords: maximumWords).split(full)
        guard cut != nil || wasTruncated else { return ShapedReply(spoken: full, full: full, wasCut: false) }
        return ShapedReply(
            spoken: (cut?.spoken ?? full) + " " + Self.offer,
            full: full,
            wasCut: true,
            rest: cut?.rest ?? ""
        )
    }

    /// Where reading on begins; nil when all of it is spoken.
    package func place(in reply: ShapedReply) -> ReadingPlace? {
        reply.rest.isEmpty ? nil : ReadingPlace(rest: reply.rest, maximumWords: maximumWords)
    }

    /// The text up to the bound, ending with a whole line where there is one.
    private static func bounded(_ text: String) -> (text: String, wasTruncated: Bool) {
        guard text.utf8.count > maximumBytes else { return (text, false) }
        let bytes = text.utf8.prefix(maximumBytes)
        let end = bytes.lastIndex(of: UInt8(ascii: "\n")).map { bytes.distance(from: bytes.startIndex, to: $0) }
        return (String(decoding: bytes.prefix(max(end ?? 0, maximumBytes / 2)), as: UTF8.self), true)
    }
}
