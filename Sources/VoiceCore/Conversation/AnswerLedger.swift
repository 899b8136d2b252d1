internal import VoiceBase

/// How far an answer has got, from the agent to the ear: its sentences in order, and a mark. It moves back only where the user
/// has cut a sentence that is said again.
///
///     | said ............ | begun | to say ......... | still being written
///       received whole      part    the service has it, or the next one gets it
///
/// Sentences are counted from 0 within one delivery. What a lost session leaves is a new ledger, with the sentences from the
/// mark on: the one whose sound was received in part is said again.
struct AnswerLedger: Equatable, Sendable {
    private(set) var sentences: [String]
    /// Number of sentences whose sound was received to the end.
    private(set) var said = 0
    /// Sound of the sentence at the mark was received.
    private(set) var hasBegun = false

    init(_ sentences: [String] = []) { self.sentences = sentences }

    /// The sentences to say, from the mark on.
    var unsaid: [String] { Array(sentences[said...]) }

    /// Whether any of it was said, or begun.
    var isBegun: Bool { said > 0 || hasBegun }

    var isSaid: Bool { said == sentences.count }

    mutating func add(_ more: [String]) { sentences += more }

    /// Sound of a sentence arrives: those before it were received.
    mutating func began(_ number: Int) {
        if sentences.indices.contains(number) { (said, hasBegun) = (number, true) }
    }

    /// All sound of a sentence was received: it will be heard, whatever becomes of the session.
    mutating func ended(_ number: Int) {
        if sentences.indices.contains(number) { (said, hasBegun) = (number + 1, false) }
    }

    /// A model has said the first so many sentences, as far as its words tell.
    mutating func said(first count: Int) {
        if count > said { (said, hasBegun) = (min(count, sentences.count), false) }
    }
}
