internal import VoiceBase

/// Turns what an agent wrote for the eye into text that can be spoken.
///
/// Removes markup (CommonMark 0.30, and GitHub's tables, task lists and strikethrough). Code blocks become
/// nothing, tables sentences, links their text, bare addresses their host, images their description, mathematics its signs. No words are
/// added but the offer to go on (`Offer`) and what a reply without words is (`WordlessReply`); numbers and signs stay as they are. The
/// result is cut at the end of a sentence.
package struct SpeechShaper: Sendable {
    /// Longer replies are read up to here at most: more than an hour of speech, and a bound on the work.
    package static let maximumBytes = 64 << 10
    /// In English; for other languages see `Offer`.
    package static let offer = "I have more details if you want them."

    private let maximumWords: Int

    package init(maximumWords: Int = 150) {
        self.maximumWords = max(1, maximumWords)
    }

    /// Returns nil if nothing remains to be said.
    package func shape(_ reply: String) -> ShapedReply? {
        guard let (main, more, wasTruncated) = Self.plain(reply) else { return nil }
        let full = more.isEmpty ? main : main + " " + more
        let cut = SpeechTruncator(maximumWords: maximumWords).split(main)
        guard cut != nil || !more.isEmpty || wasTruncated else {
            return ShapedReply(spoken: full, full: full, wasCut: false)
        }
        return ShapedReply(
            spoken: Self.offering(cut?.spoken ?? main, Offer.after(full)),
            full: full,
            wasCut: true,
            rest: [cut?.rest ?? "", more].filter { !$0.isEmpty }.joined(separator: " ")
        )
    }

    /// The text to read and the text kept for "tell me more", without the cut; nil if there is nothing to say.
    /// - Parameter isComplete: otherwise more may come, so that a reply without words is not described.
    static func plain(_ reply: String, isComplete: Bool = true) -> (main: String, more: String, wasTruncated: Bool)? {
        let (text, wasTruncated) = bounded(reply)
        let written = ShieldedMarks.withoutPrivateUse(WrittenReply(text).text)
        let answer = WrappedAnswer.unwrapped(written)
        let unwrapped = GridTable.rewritten(answer.text)
        let readable = ShieldedMarks.operators(in: ShieldedMarks.labels(in: SpokenMath.rewritten(unwrapped)))
        guard let document = MarkdownDocument(parsing: readable) else { return nil }
        var plain = PlainText()
        document.walk { plain.consume($0) }
        let (main, more) = plain.finished()
        let hosts = SpokenText.hosts(in: readable)
        let isLink = main.isSayable && !hosts.isEmpty && Self.holdsOnly(Set(hosts), main)
        guard isComplete else { return main.isSayable && !isLink ? (main, more, wasTruncated) : nil }
        if isLink { return (WordlessReply.link(to: hosts), more, wasTruncated) }
        guard main.isSayable else {
            return WordlessReply.described(unwrapped, hasCode: plain.hasCode, hasData: answer.hasData).map {
                ($0, more, wasTruncated)
            }
        }
        return (main, more, wasTruncated)
    }

    private static func holdsOnly(_ hosts: Set<String>, _ text: String) -> Bool {
        text.split(separator: " ").allSatisfy { word in
            let start = word.drop { !$0.isLetter && !$0.isNumber }
            return !word.isSayable
                || hosts.contains(
                    String(start[...(start.lastIndex { $0.isLetter || $0.isNumber } ?? start.startIndex)])
                )
        }
    }

    /// Returns a text for the ear, however long; the text itself if nothing of it can be said.
    package static func words(of text: String) -> String {
        plain(text).map { $0.more.isEmpty ? $0.main : $0.main + " " + $0.more } ?? text
    }

    static func offering(_ text: String, _ offer: String) -> String { offer.isEmpty ? text : text + " " + offer }

    /// Returns where reading continues; nil if all of it is spoken.
    package func place(in reply: ShapedReply) -> ReadingPlace? {
        guard !reply.rest.isEmpty else { return nil }
        return ReadingPlace(rest: reply.rest, maximumWords: maximumWords, offer: Offer.after(reply.full))
    }

    /// Returns a text within the bound, cut at its last line end, but not below half of the bound.
    package static func bounded(_ text: String) -> (text: String, wasTruncated: Bool) {
        guard text.utf8.count > maximumBytes else { return (text, false) }
        let bytes = text.utf8.prefix(maximumBytes)
        let end = bytes.lastIndex(of: UInt8(ascii: "\n")).map { bytes.distance(from: bytes.startIndex, to: $0) }
        return (String(decoding: bytes.prefix(max(end ?? 0, maximumBytes / 2)), as: UTF8.self), true)
    }
}
