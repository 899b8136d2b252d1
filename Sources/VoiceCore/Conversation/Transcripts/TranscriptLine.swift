/// One thing that was said, whole: the user's turn, or an item of the model's speech as far as it was heard.
package struct TranscriptLine: Equatable, Sendable {
    package enum Speaker: String, Sendable {
        case user
        case voice
    }

    /// Place in the conversation, counted from 1; a line that came late has the number of its place.
    package var number: Int
    package var speaker: Speaker
    package var text: String
    /// Milliseconds heard of speech that was interrupted; `text` ends about there. Nil where nothing was cut.
    package var heard: Int?
    /// Lines of later items were written before it.
    package var isLate: Bool

    package init(number: Int, speaker: Speaker, text: String, heard: Int? = nil, isLate: Bool = false) {
        self.number = number
        self.speaker = speaker
        self.text = text
        self.heard = heard
        self.isLate = isLate
    }
}
