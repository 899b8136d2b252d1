/// Description of a period served by `ReferenceLine.next`.
package struct ReferencePeriod: Sendable, Equatable {
    /// Why the reference did not continue from the end of the last period.
    package enum Cause: Sendable, Equatable {
        /// It did continue.
        case none
        /// The first period.
        case start
        /// An xrun or a restart. The position now comes from the card's delays; frames of either side may be lost.
        case discontinuity
        /// The card's delays moved and stayed there, or the frames to serve did not exist.
        case delays
        /// The delay search found the echo for the first time in this alignment, not at the position given by the delays.
        case found
        /// The delay search found that a known echo has moved.
        case moved
        /// The lead had to shrink, because newer frames are not written yet.
        case shortage
    }

    /// Lead of the reference over its echo in milliseconds, rounded down as the canceller requires.
    package var leadMilliseconds = 0
    package var cause = Cause.none
    /// Frames by which the reference moved forward (back if negative) against the microphone just before this period. If not
    /// 0, the period does not continue the last one.
    package var jump = 0
    /// What the canceller has learned at lag k of the reference now belongs to lag k + `echoShift`, in frames.
    ///
    /// When the echo is found for the first time, this equals `jump`: the reference was misplaced and is now in place. Later
    /// on, the echo moved or frames were lost and the reference followed: except for a change of the lead, the echo is where
    /// it was.
    package var echoShift = 0
    /// Whether the position is known from the echo itself, not from the card's delays alone.
    package var isConfirmed = false
    /// Frames from writing a frame now to its echo at the microphone.
    package var echoDelay = 0

    /// Whether the echo was found more than 4 ms away from its assumed position.
    package var isJump: Bool {
        (cause == .found || cause == .moved) && Double(jump.magnitude) > DelayTracker.jump
    }
}
