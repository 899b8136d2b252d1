package import VoiceReply

/// The result of a question. There is always something to say, or a prompt.
package struct JarvisAnswer: Sendable, Equatable {
    /// The answer shaped for speech, a sentence about what went wrong, or what precedes a prompt.
    package private(set) var spoken = ""
    /// The whole answer without markup; nil if there is none.
    package private(set) var full: String?
    package private(set) var failure: JarvisFailure?
    /// The question or permission that the agent needs first.
    package private(set) var prompt: AgentPrompt?
    /// The media the answer named for playback.
    package var media: [NamedMedia] = []
    /// The number of further media items that were left out.
    package var leftOut = 0
    /// The media as kept by the player; nil if media cannot be played.
    package var offer: OfferedMedia?
    /// Whether the beginning was spoken while the answer was being written; `spoken` then holds only the rest.
    package var goesOn = false
    /// Time from the question to the answer.
    package var took: Duration = .zero

    package init(reply: ShapedReply, media: [NamedMedia] = []) {
        self.media = media
        spoken = reply.spoken
        full = reply.full
    }

    package init(prompt: AgentPrompt) { self.prompt = prompt }

    package init(failure: JarvisFailure, of agent: AgentName = AgentName()) {
        spoken = agent.told(failure.spokenSentence)
        self.failure = failure
    }

    /// Returns the answer without the sentences that were spoken while it was being written.
    func behind(_ said: [String]) -> JarvisAnswer {
        var rest = self
        if failure == nil, prompt == nil { rest.spoken = SaidWords.rest(of: spoken, afterSaying: said) }
        return rest
    }

    /// Returns the answer preceded by a sentence.
    func after(_ sentence: String) -> JarvisAnswer {
        var answer = self
        answer.spoken = sentence + " " + spoken
        return answer
    }
}
