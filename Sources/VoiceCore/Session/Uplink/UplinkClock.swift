internal import VoiceBase

/// The clock of a session that runs by the sound it is sent: tells when silence has to take the place of sound that does
/// not come. Pure; times are monotonic, samples are at 24 kHz.
///
/// What is held back on purpose (a shut gate) is replaced at once, what is missing in the midst of sound (an overrun) before
/// the sound behind it. What may only be late is waited for, `patience` long, and replaced from then on; where it comes
/// after all it is dropped, because silence has its place: added to it, it would stretch what is said.
///
/// Sound from before it was opened, or from before a gate opened, may be sent as well: the session is that much ahead from
/// then on, and its clock goes on at the pace of ours.
package struct UplinkClock: Equatable, Sendable {
    /// What is to be done before the sound that waits is sent.
    package struct Step: Equatable, Sendable {
        /// So much of it is dropped.
        package var dropped = 0
        /// So much silence is sent, behind what was sent before.
        package var silence = 0

        package init(dropped: Int = 0, silence: Int = 0) {
            self.dropped = dropped
            self.silence = silence
        }
    }

    /// How late sound may be.
    package static let patience = Duration.milliseconds(200)
    /// Silence in place of missing sound stays so far behind the present: what the card hands over sooner has a place still.
    private static let lag = Duration.milliseconds(150)
    /// A gap in the sound that is none: the times of periods waver.
    package static let tolerance = Duration.milliseconds(40)
    /// The most silence that is made up for at once: whoever was suspended does not catch up.
    package static let longest = Duration.seconds(2)

    /// Samples of one message.
    private let chunk: Int
    /// What was captured before this was sent, or silence in its place, but for `debt`.
    private var edge: Duration
    /// Of gaps too small to tell from the wavering of times; filled when together they are `patience`.
    private var debt = Duration.zero
    /// What is captured before this has lost its place to silence.
    private var replacedUntil = Duration.zero
    /// Sound is missing, and silence takes its place.
    private var isMissing = false

    /// - Parameters:
    ///   - chunk: samples of one message.
    ///   - now: when the session was opened.
    package init(chunk: Int, at now: Duration) {
        self.chunk = max(1, chunk)
        edge = now
    }

    /// - Parameters:
    ///   - oldest: when the first of the waiting samples was captured.
    ///   - waiting: samples that wait.
    ///   - isHeld: they are held back on purpose.
    package mutating func step(at now: Duration, oldest: Duration, waiting: Int, isHeld: Bool) -> Step {
        // A machine that slept, or a thread that hung: what nobody could send is not made up for.
        if edge < now - Self.longest {
            edge = now - Self.longest
            debt = .zero
        }
        guard !isHeld else { return Step(silence: fill(until: now)) }
        let dropped = min(waiting, max(0, Self.samples(replacedUntil - oldest)))
        if waiting > dropped { isMissing = false }
        guard waiting - dropped < chunk else {
            let start = oldest + Self.time(dropped)
            let gap = max(.zero, start - edge)
            let isGap = gap > Self.tolerance || gap + debt > Self.patience
            return Step(dropped: dropped, silence: isGap ? fill(until: start) : 0)
        }
        if now - edge + debt >= Self.patience { isMissing = true }
        guard isMissing else { return Step(dropped: dropped) }
        let silence = fill(until: now - Self.lag)
        replacedUntil = max(replacedUntil, edge)
        return Step(dropped: dropped, silence: silence)
    }

    /// Sound was sent, or lost on the way: so many samples, up to what was captured then.
    package mutating func sent(_ samples: Int, until captured: Duration) {
        debt += max(.zero, captured - Self.time(samples) - edge)
        edge = max(edge, captured)
    }

    /// Whole messages, so that what is left is made up for with the next.
    private mutating func fill(until end: Duration) -> Int {
        let owed = max(.zero, end - edge) + debt
        let silence = Self.samples(owed) / chunk * chunk
        edge = max(edge, end)
        debt = owed - Self.time(silence)
        return silence
    }

    private static func samples(_ time: Duration) -> Int {
        Int(time.fractionalMilliseconds * Double(AudioFormat.wireRate) / 1000)
    }

    private static func time(_ samples: Int) -> Duration {
        .nanoseconds(Int64(samples) * 125_000 / 3)
    }
}
