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
