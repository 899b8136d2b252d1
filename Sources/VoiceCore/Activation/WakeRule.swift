/// Decides what a found word means: a call, a stop, or nothing. Pure.
///
/// While the box itself sounds its own words may be among what is heard: more is asked of a word then, and a word whose
/// engine gives no score and tells finds again and again has to be found twice.
package struct WakeRule: Sendable {
    package enum Verdict: Equatable, Sendable {
        case call(String)
        case stop(String)
        /// Nearly sure enough; for the log, so that thresholds can be chosen.
        case nearMiss(String, score: Double)
        /// The word was found, and the second look says that nobody called.
        case refused(String, SecondLook.Reason)
        case nothing
    }

    package let words: WakeWords
    /// Added to thresholds while the box sounds.
    let playingMargin: Double
    let refractory: Duration
    /// How far apart two finds may be that agree.
    static let agreement = Duration.milliseconds(1500)

    /// A call must not make it deaf to "stop".
    private var deafToCallsUntil = Duration.zero
    private var deafToStopsUntil = Duration.zero
    private var first: (word: String, at: Duration)?

    package init(words: WakeWords, playingMargin: Double, refractory: Duration) {
        self.words = words
        self.playingMargin = playingMargin
        self.refractory = refractory
    }

    package mutating func judge(
        _ candidate: WakeCandidate,
        listening: LocalListening,
        isPlaying: Bool,
        at now: Duration
    ) -> Verdict {
        guard listening != .nothing else { return .nothing }
        let known = words[candidate.word]
        // A server has names of its own for its models.
        let isStop = known?.isStop ?? false
        if isStop, listening != .stop { return .nothing }
        guard now >= (isStop ? deafToStopsUntil : deafToCallsUntil) else { return .nothing }
        switch (candidate.finding, known?.threshold) {
        case (.certain, _): break
        case (.doubtful(let score), _): return .nearMiss(candidate.word, score: score)
        case (.score(let score), .some(let threshold)):
            guard score >= threshold + (isPlaying ? playingMargin : 0) else {
                return .nearMiss(candidate.word, score: score)
            }
        case (.score, .none), (.repeated, _):
            guard isPlaying else { break }
            defer { first = (candidate.word, now) }
            guard let first, first.word == candidate.word, now - first.at <= Self.agreement else { return .nothing }
        }
        if isStop { deafToStopsUntil = now + refractory } else { deafToCallsUntil = now + refractory }
        first = nil
        return isStop ? .stop(candidate.word) : .call(candidate.word)
    }
}

extension Double {
    /// For a log line: powers of ten whole, probabilities with two decimals.
    package var asScore: String {
        guard abs(self) < 1 else { return "\(Int(rounded()))" }
        return "\((self * 100).rounded() / 100)"
    }
}
