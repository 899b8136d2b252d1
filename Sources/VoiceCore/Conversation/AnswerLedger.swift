internal import VoiceBase

/// How far an answer has got, from the agent to the ear: its sentences in order, and a mark. The mark moves back only
/// if the user cut off a sentence that is to be said again.
///
///     | said ............ | begun | to say ......... | still being written
///       received whole      part    the service has it, or the next one gets it
///
/// Sentences are counted from 0 within one delivery. After a lost session a new ledger begins with the sentences from
/// the mark on: a sentence whose sound was received in part is said again.
struct AnswerLedger<Sentence: Equatable & Sendable>: Equatable, Sendable {
    private(set) var sentences: [Sentence]
    /// Number of sentences whose sound was received to the end.
    private(set) var said = 0
    /// Whether some sound of the sentence at the mark was received.
    private(set) var hasBegun = false

    init(_ sentences: [Sentence] = []) { self.sentences = sentences }

    /// The sentences to say, from the mark on.
    var unsaid: [Sentence] { Array(sentences[said...]) }

    /// Number of sentences that were said, or begun.
    var begun: Int { said + (hasBegun ? 1 : 0) }

    var isSaid: Bool { said == sentences.count }

    mutating func add(_ more: [Sentence]) { sentences += more }

    /// Sound of a sentence arrives: those before it were received.
    mutating func began(_ number: Int) {
        if sentences.indices.contains(number) { (said, hasBegun) = (number, true) }
    }

    /// All sound of a sentence was received: it will be heard, whatever becomes of the session.
    mutating func ended(_ number: Int) {
        if sentences.indices.contains(number) { (said, hasBegun) = (number + 1, false) }
    }

    /// The first `count` sentences were said, as far as is known.
    mutating func said(first count: Int) {
        if count > said { (said, hasBegun) = (min(count, sentences.count), false) }
    }
    /// The user has not heard this sentence to its end: it is said again, with all that follow.
    mutating func cut(at number: Int) { (said, hasBegun) = (min(max(0, number), sentences.count), false) }
}
