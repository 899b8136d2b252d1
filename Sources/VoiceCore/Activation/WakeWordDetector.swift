package import VoiceBase

/// Recognises words in the microphone signal, on this machine. Belongs to one thread.
package protocol WakeWordDetector: AnyObject {
    /// Processes cleaned audio, mono, 16 kHz; returns the words found in it, including doubtful finds.
    func process(_ samples: UnsafeBufferPointer<Int16>) throws(WakeWordError) -> [WakeCandidate]
    /// Forgets the audio processed so far.
    func reset()
    /// Sets the words to listen for from now on.
    func listen(for what: LocalListening)
    /// Sets the circumstances of the next audio.
    ///
    /// - Parameters:
    ///   - hasPlayed: whether the box plays sound, or did a moment ago. A stop word then counts as said over that sound, and
    ///     an engine may accept it with less certainty.
    ///   - isTalkerHeard: whether a talker is heard beside that sound, or the box is silent.
    func note(hasPlayed: Bool, isTalkerHeard: Bool)
    /// Current confidence for each word, 0 to 1; empty if the engine reports none.
    var scores: [WakeScore] { get }
    /// Why no wake word is recognised; nil if at least one is, or if none is configured.
    var callsUnheard: WakeWordError? { get }
    /// Words that are not recognised, or not as configured.
    var gaps: [WordGap] { get }
}

extension WakeWordDetector {
    package func listen(for what: LocalListening) {}
    package func note(hasPlayed: Bool, isTalkerHeard: Bool) {}
    package var scores: [WakeScore] { [] }
    package var callsUnheard: WakeWordError? { nil }
    package var gaps: [WordGap] { [] }
}

/// Words that are not recognised, and why.
package struct WordGap: Equatable, Sendable {
    package var words: [String]
    package var areStops: Bool
    package var why: WakeWordError

    package init(words: [String], areStops: Bool, why: WakeWordError) {
        self.words = words
        self.areStops = areStops
        self.why = why
    }

    package func isOf(_ word: WakeWords.Word) -> Bool { words.contains(word.text) }

    /// One line for people.
    package var description: String {
        let list = words.map { "\"\($0)\"" }.joined(separator: ", ")
        return "\(list): not recognised: \(why)"
    }
}

/// A word that may have been said.
package struct WakeCandidate: Equatable, Sendable {
    /// The engine's finding.
    package enum Finding: Equatable, Sendable {
        /// A score to compare with the word's threshold.
        case score(Double)
        /// The word was said. Reported repeatedly while it is heard.
        case repeated
        /// The word was said, according to many frames. Reported once.
        case certain
        /// The word was not said: its score came close to the engine's own threshold.
        case doubtful(Double)
    }

    package var word: String
    package var finding: Finding
    /// Confidence in the engine's own unit; nil if it reports none.
    package var score: Double?
    /// The score that is required, if the engine decides.
    package var threshold: Double?
    /// The lowest sensitivity at which the score would count; nil if none would, or for an engine without them.
    package var sensitivity: WakeSensitivity?
    /// Whether the word counts as a call only after a pause, see `CallRule`.
    package var wantsPause = false

    package init(_ word: String, _ finding: Finding, score: Double? = nil) {
        self.word = word
        self.finding = finding
        switch finding {
        case .score(let score), .doubtful(let score): self.score = score
        case .certain, .repeated: self.score = score
        }
    }
}

/// Why words are not recognised, with the fix.
package struct WakeWordError: Error, Equatable, CustomStringConvertible {
    /// The cause, if the advice depends on it.
    package enum Cause: Sendable {
        /// TensorFlow Lite's library, which affects every model.
        case library
        /// The network, or the package index behind it.
        case index
        /// The machine was too busy, or short of memory: another attempt may succeed.
        case transient
        /// A model took too long in its trial: the machine was too busy, or the file is unusable.
        case timedOut
        case other

        /// Whether another attempt may succeed.
        package var isTransient: Bool { self == .transient || self == .timedOut }
    }

    package var description: String
    package var cause: Cause

    package init(_ description: String, cause: Cause = .other) {
        self.description = description
        self.cause = cause
    }

    /// Adds the file name, unless the library itself failed.
    func of(_ path: String) -> WakeWordError {
        cause == .library ? self : WakeWordError("\(path): \(description)", cause: cause)
    }

    package var exitCode: ExitCode {
        switch cause {
        case .library, .index: .unavailable
        case .transient, .timedOut, .other: .system
        }
    }
}
