/// A reply shaped for speech.
package struct ShapedReply: Sendable, Equatable {
    /// The text to speak: one line without markup, about the wanted number of words at most.
    package let spoken: String
    /// The reply without the cut, including the part that "tell me more" reads.
    package let full: String
    /// Whether `spoken` ends before `full` does. It then ends with an offer, if the language of the reply is known.
    package let wasCut: Bool
    /// The text after the cut.
    package var rest: String = ""

    /// For a reply that contains only media to play.
    package static let wordless = ShapedReply(spoken: "", full: "", wasCut: false)
}

/// How far a reply was read, for "tell me more".
package struct ReadingPlace: Sendable, Equatable {
    private var rest: String
    private let maximumWords: Int
    /// Added after every piece but the last; may be empty.
    private let offer: String

    /// - Parameter rest: the text not yet read: one line of plain sentences.
    init(rest: String, maximumWords: Int, offer: String) {
        self.rest = rest
        self.maximumWords = maximumWords
        self.offer = offer
    }

    /// Returns the next piece, which ends with a sentence, and with an offer while more is left; nil at the end.
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
