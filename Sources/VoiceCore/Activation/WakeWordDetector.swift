/// Finds words in what the microphone hears, on this machine. Belongs to one thread.
package protocol WakeWordDetector: AnyObject {
    /// Takes cleaned sound, mono, 16 kHz; returns what it found in it, doubtful finds included.
    func process(_ samples: UnsafeBufferPointer<Int16>) throws(WakeWordError) -> [WakeCandidate]
    /// Forgets the past.
    func reset()
    /// What is listened for from now on.
    func listen(for what: LocalListening)
    /// Whether the box itself sounds in what is processed from now on: an engine may ask for more then.
    func note(isPlaying: Bool)
    /// How sure it is of each word right now, 0 to 1; empty where the engine does not tell.
    var scores: [WakeScore] { get }
    /// Why the words that call are not found; nil where they are, or none is wanted.
    var callsUnheard: WakeWordError? { get }
    /// The same of the words that stop.
    var stopWordsUnheard: WakeWordError? { get }
}

extension WakeWordDetector {
    package func listen(for what: LocalListening) {}
    package func note(isPlaying: Bool) {}
    package var scores: [WakeScore] { [] }
    package var callsUnheard: WakeWordError? { nil }
    package var stopWordsUnheard: WakeWordError? { nil }
}

/// A word that may have been said.
package struct WakeCandidate: Equatable, Sendable {
    /// What the engine says of it.
    package enum Finding: Equatable, Sendable {
        /// A score to be compared with the word's threshold.
        case score(Double)
        /// The word was said. Reported again and again while it is heard.
        case repeated
        /// The word was said, by many frames that agree. Reported once.
        case certain
        /// The word was not said, by this score, which nearly reached the engine's own threshold.
        case doubtful(Double)
    }

    package var word: String
    package var finding: Finding
    /// How sure the engine is, by its own measure; nil where it does not tell.
    package var score: Double?

    package init(_ word: String, _ finding: Finding, score: Double? = nil) {
        self.word = word
        self.finding = finding
        switch finding {
        case .score(let score), .doubtful(let score): self.score = score
        case .certain, .repeated: self.score = score
        }
    }
}

/// Why words are not recognised, with the way out.
package struct WakeWordError: Error, Equatable, CustomStringConvertible {
    package var description: String

    package init(_ description: String) {
        self.description = description
    }
}
