/// A reply made for the ear.
package struct ShapedReply: Sendable, Equatable {
    /// What is to be spoken: one line without markup, at most about the wanted number of words.
    package let spoken: String
    /// The same without the cut: "tell me more" is answered from here.
    package let full: String
    /// True when `spoken` ends before `full` does; it then ends with an offer.
    package let wasCut: Bool
    /// What stands behind the cut.
    package let rest: String

    /// Of a reply that holds nothing but what is to be played.
    package static let wordless = ShapedReply(spoken: "", full: "", wasCut: false)

    package init(spoken: String, full: String, wasCut: Bool, rest: String = "") {
        self.rest = rest
        self.spoken = spoken
        self.full = full
        self.wasCut = wasCut
    }
}

/// How far an answer was read, for "tell me more".
package struct ReadingPlace: Sendable, Equatable {
    private var rest: String
    private let maximumWords: Int
    /// Ends every piece but the last; may be empty.
    private let offer: String

    /// `rest` is what was not read yet: one line of plain sentences.
    init(rest: String, maximumWords: Int, offer: String) {
        self.rest = rest
        self.maximumWords = maximumWords
        self.offer = offer
    }

    /// The next piece, ending with a sentence and an offer while there is more; nil at the end.
    package mutating func next() -> String? {
        guard !rest.isEmpty else { return nil }
        guard let cut = SpeechTruncator(maximumWords: maximumWords).split(rest) else {
            defer { rest = "" }
            return rest
        }
        rest = cut.rest
        return SpeechShaper.offering(cut.spoken, offer)
    }
}
