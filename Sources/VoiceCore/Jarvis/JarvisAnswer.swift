/// What a question came to. There is always something to say.
package struct JarvisAnswer: Sendable, Equatable {
    /// The answer made for the ear, or the sentence on what went wrong.
    package let spoken: String
    /// The whole answer without markup; nil when there is none.
    package let full: String?
    package let failure: JarvisFailure?
    /// From the question to the answer.
    package var took: Duration = .zero

    package init(reply: ShapedReply) {
        spoken = reply.spoken
        full = reply.full
        failure = nil
    }

    /// The agent wants to know something first.
    package init(prompt: String) {
        spoken = prompt
        full = nil
        failure = nil
    }

    package init(failure: JarvisFailure) {
        spoken = failure.spokenSentence
        full = nil
        self.failure = failure
    }
}
