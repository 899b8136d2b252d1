package import VoiceReply

/// What a question came to. There is always something to say.
package struct JarvisAnswer: Sendable, Equatable {
    /// The answer made for the ear, or the sentence on what went wrong.
    package private(set) var spoken: String
    /// The whole answer without markup; nil when there is none.
    package let full: String?
    package let failure: JarvisFailure?
    /// What the agent asks the user, by the number under which it waits; nil where it asks nothing.
    package let prompt: Int?
    /// What the answer named to be played.
    package var media: [NamedMedia] = []
    /// How many others it named.
    package var leftOut = 0
    /// The same as it is told to the speaking model, under handles; nil where nobody plays media.
    package var handles: String?
    /// From the question to the answer.
    package var took: Duration = .zero

    package init(reply: ShapedReply, media: [NamedMedia] = []) {
        self.media = media
        spoken = reply.spoken
        full = reply.full
        failure = nil
        prompt = nil
    }

    /// The agent wants to know something first.
    package init(prompt: String, number: Int) {
        spoken = prompt
        full = nil
        failure = nil
        self.prompt = number
    }

    package init(failure: JarvisFailure) {
        spoken = failure.spokenSentence
        full = nil
        self.failure = failure
        prompt = nil
    }

    private init(_ answer: JarvisAnswer, after sentence: String) {
        spoken = sentence + " " + answer.spoken
        full = answer.full
        failure = answer.failure
        prompt = answer.prompt
        media = answer.media
        leftOut = answer.leftOut
        handles = answer.handles
        took = answer.took
    }

    /// The answer with a sentence before it.
    func after(_ sentence: String) -> JarvisAnswer { JarvisAnswer(self, after: sentence) }
}
