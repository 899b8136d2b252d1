/// Finds words in what the microphone hears, on this machine. Belongs to one thread.
package protocol WakeWordDetector: AnyObject {
    /// Takes cleaned sound, mono, 16 kHz; returns what it found in it, doubtful finds included.
    func process(_ samples: UnsafeBufferPointer<Int16>) throws(WakeWordError) -> [WakeCandidate]
    /// Forgets the past.
    func reset()
    /// What is listened for from now on.
    func listen(for what: LocalListening)
    /// Why stop words are not found; nil where they are, or none is wanted.
    var stopWordsUnheard: WakeWordError? { get }
}

extension WakeWordDetector {
    package func listen(for what: LocalListening) {}
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

    package init(_ word: String, _ finding: Finding) {
        self.word = word
        self.finding = finding
    }
}

/// Why words are not recognised, with the way out.
package struct WakeWordError: Error, Equatable, CustomStringConvertible {
    package var description: String

    package init(_ description: String) {
        self.description = description
    }
}
