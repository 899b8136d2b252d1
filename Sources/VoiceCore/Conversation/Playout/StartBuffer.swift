/// How long speech is gathered before playout begins: as long as the jitter of the last answers would have needed.
///
/// The *lateness* of a delta is by how much it came after all that had come before it would have been played, had playout
/// begun with the first delta. A service that sends faster than speech is played has none: its answers begin immediately. Pure;
/// times are monotonic.
package struct StartBuffer: Equatable, Sendable {
    /// Answers remembered.
    private static let most = 16
    /// Added to the largest lateness of those: the audio thread takes whole periods, and wakes late at times.
    private static let margin = Duration.milliseconds(20)
    /// No answer waits longer; on a worse link, gaps are heard.
    private static let longest = Duration.milliseconds(300)
    /// What is later than that is a pause of the service, which nothing can bridge.
    private static let pause = Duration.milliseconds(500)

    private struct Answer: Equatable {
        var responseID: String
        var began: Duration
        var received: Duration
        /// The largest lateness of its deltas; negative if all were early, nil until the second.
        var lateness: Duration?
    }

    /// The speech gathered while no link is known; zero for none, ever.
    package let initial: Duration
    private var latenesses: [Duration] = []
    private var answer: Answer?

    package init(initial: Duration) { self.initial = initial }

    /// Whether playout may begin with `gathered` speech, the oldest received `held` ago. On a known link, time alone counts.
    package func isFilled(gathered: Duration, held: Duration) -> Bool {
        guard initial > .zero, let worst = latenesses.max() else {
            return gathered >= initial || held >= initial * 4
        }
        return held >= min(worst + Self.margin, Self.longest)
    }

    /// Notes a delta of `length`.
    package mutating func received(_ length: Duration, of responseID: String, at now: Duration) {
        if var known = answer, known.responseID == responseID, now - known.began - known.received <= Self.pause {
            let lateness = now - known.began - known.received
            known.lateness = max(lateness, known.lateness ?? lateness)
            known.received += length
            answer = known
        } else {
            answerEnded()
            answer = Answer(responseID: responseID, began: now, received: length)
        }
    }

    /// The answer has ended, or was cut: what comes is another.
    package mutating func answerEnded() {
        defer { answer = nil }
        guard let lateness = answer?.lateness else { return }
        latenesses.append(lateness)
        if latenesses.count > Self.most { latenesses.removeFirst() }
    }
}
