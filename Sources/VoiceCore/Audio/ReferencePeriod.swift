/// What `ReferenceLine.next` says of the period it serves.
package struct ReferencePeriod: Sendable, Equatable {
    /// Why the reference did not go on where the last period ended.
    package enum Cause: Sendable, Equatable {
        /// It did.
        case none
        /// The first period.
        case start
        /// An xrun or a restart; the card's delays tell the new place, and frames of either side may be lost.
        case discontinuity
        /// The card's delays moved and stayed so, or the frames to serve were not there.
        case delays
        /// The search for the delay found the echo somewhere else.
        case estimate
        /// The lead had to become shorter, because newer frames are not written yet.
        case shortage
    }

    /// By how many milliseconds the reference leads its echo, as the canceller wants to be told, rounded down.
    package var leadMilliseconds = 0
    package var cause = Cause.none
    /// By how many frames the reference moved on (back if negative) against the microphone just before this period.
    ///
    /// Where the alignment was wrong and now is right (`estimate`), the echo that a canceller has learned at lag k is at
    /// lag k + `jump` from now on. Where the echo itself moved and the reference followed (`discontinuity`, `delays`), it
    /// is where it was.
    package var jump = 0
    /// Whether the place is known from the echo itself, not from the card's delays alone.
    package var isConfirmed = false
    /// From writing a frame now to its echo at the microphone, in frames.
    package var echoDelay = 0

    package init() {}

    /// Whether the echo was found more than 4 ms away from where it was taken to be.
    package var isJump: Bool { cause == .estimate && Double(jump.magnitude) > DelayTracker.jump }
}
