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
    package var word: String
    /// As high as the engine is sure; nil where it judges itself.
    package var score: Double?
    /// The engine has agreed with itself over many frames, and does not tell a find twice.
    package var isSure: Bool

    package init(word: String, score: Double? = nil, isSure: Bool = false) {
        self.word = word
        self.score = score
        self.isSure = isSure
    }
}

/// Why words are not recognised, with the way out.
package struct WakeWordError: Error, Equatable, CustomStringConvertible {
    package var description: String

    package init(_ description: String) {
        self.description = description
    }
}
