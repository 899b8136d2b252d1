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
        /// The search for the delay found the echo for the first time in this alignment, not where the delays put it.
        case found
        /// The search found that an echo it had found before has moved.
        case moved
        /// The lead had to become shorter, because newer frames are not written yet.
        case shortage
    }

    /// By how many milliseconds the reference leads its echo, as the canceller wants to be told, rounded down.
    package var leadMilliseconds = 0
    package var cause = Cause.none
    /// By how many frames the reference moved on (back if negative) against the microphone just before this period: what
    /// comes now does not go on from the last period.
    package var jump = 0
    /// What the canceller has learned at lag k of the reference belongs to lag k + `echoShift` from now on, in frames.
    ///
    /// The first time that the echo is found, that is `jump`: the reference was out of place and now is in place. Later the
    /// echo moved or frames were lost, and the reference followed: but for a change of the lead, the echo is where it was.
    package var echoShift = 0
    /// Whether the place is known from the echo itself, not from the card's delays alone.
    package var isConfirmed = false
    /// From writing a frame now to its echo at the microphone, in frames.
    package var echoDelay = 0

    package init() {}

    /// Whether the echo was found more than 4 ms away from where it was taken to be.
    package var isJump: Bool {
        (cause == .found || cause == .moved) && Double(jump.magnitude) > DelayTracker.jump
    }
}
