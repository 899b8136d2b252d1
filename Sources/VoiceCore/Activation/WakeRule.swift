/// Decides what a recognised word means: a call, a stop, or nothing. Pure.
///
/// While the box plays sound, its own words may be picked up. Thresholds are then higher, and an engine that reports
/// finds repeatedly and without a score must find a word twice. A stop word may score less then.
package struct WakeRule: Sendable {
    package enum Verdict: Equatable, Sendable {
        case call(String)
        case stop(String)
        /// Almost certain enough; logged to help choose thresholds.
        case nearMiss(String, score: Double)
        /// The word was found, and does not count.
        case refused(String, WakeRefusal)
        /// The user speaks on after a call.
        case speaksOn
        case nothing
    }

    package let words: WakeWords
    /// Added to the thresholds of wake words while the box plays sound.
    static let playingMargin = 3.0
    /// Time after a recognised word in which it is not recognised again.
    static let refractory = Duration.seconds(2)
    /// Subtracted from the thresholds of stop words while the box plays sound, as the canceller takes some of the word away
    /// with the echo. `StopWordFilter` makes up for it.
    static let stopMargin = 10.0
    /// Longest interval between two finds that confirm each other.
    static let agreement = Duration.milliseconds(1500)

    /// Separate, because a call must not suppress "stop".
    private var deafToCallsUntil = Duration.zero
    private var deafToStopsUntil = Duration.zero
    private var first: (word: String, at: Duration)?

    package init(words: WakeWords) {
        self.words = words
    }

    /// The score that a word needs now, in the unit of its threshold.
    func threshold(of word: WakeWords.Word, isPlaying: Bool) -> Double {
        word.threshold + (isPlaying ? (word.isStop ? -Self.stopMargin : Self.playingMargin) : 0)
    }

    /// The verdict on a word that does not count. A score that is reported only because of `stopMargin` is not a near
    /// miss of the configured threshold.
    func miss(_ word: String, _ score: Double) -> Verdict {
        guard let known = words[word], known.isStop, score < known.threshold - SphinxSpotter.doubt else {
            return .nearMiss(word, score: score)
        }
        return .nothing
    }

    package mutating func judge(
        _ candidate: WakeCandidate,
        listening: LocalListening,
        isPlaying: Bool,
        at now: Duration
    ) -> Verdict {
        guard listening != .nothing else { return .nothing }
        let known = words[candidate.word]
        // An unknown name counts as a call: a server has its own names for its models.
        let isStop = known?.isStop ?? false
        if isStop, listening != .stop { return .nothing }
        guard now >= (isStop ? deafToStopsUntil : deafToCallsUntil) else { return .nothing }
        switch (candidate.finding, known.map { threshold(of: $0, isPlaying: isPlaying) }) {
        case (.certain, _): break
        case (.doubtful(let score), _): return .nearMiss(candidate.word, score: score)
        case (.score(let score), .some(let threshold)):
            guard score >= threshold else { return miss(candidate.word, score) }
        case (.score, .none), (.repeated, _):
            guard isPlaying else { break }
            defer { first = (candidate.word, now) }
            guard let first, first.word == candidate.word, now - first.at <= Self.agreement else { return .nothing }
        }
        if isStop { deafToStopsUntil = now + Self.refractory } else { deafToCallsUntil = now + Self.refractory }
        first = nil
        return isStop ? .stop(candidate.word) : .call(candidate.word)
    }
}

extension Double {
    /// Formats a score for a log line: powers of ten as integers, probabilities with two decimals.
    package var asScore: String {
        guard abs(self) < 1 else { return "\(Int(rounded()))" }
        return "\((self * 100).rounded() / 100)"
    }
}
