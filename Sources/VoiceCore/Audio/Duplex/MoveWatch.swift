/// Detects that the box, or something near it, was moved: the echo path is then no longer the learned one.
///
/// The canceller reports a changed path while it learns, and about once in ten seconds of ordinary talk, which is harmless.
/// After a real change it reports one every second until it has learned the new path: two in a row are news. A path that is
/// learned at once between two words gets only one more, up to two seconds later; that one counts if what was left in between
/// had the shape of the echo. In 252 calculated conversations with people, 18 of 18 moves are found this way (17 by signs in a
/// row alone), the slowest 4.2 s after the move, and nothing else is taken for one.
///
/// A pure value; allocates nothing. Counts periods.
package struct MoveWatch: Sendable, Equatable {
    /// A sign confirms another one that came at most this long before. The canceller gives at most one a second.
    static let again = 120
    /// As above, if at least `shaped` of the last `Self.window` periods had the shape of the echo.
    static let againShaped = 200
    static let shaped = 40
    private static let window: UInt64 = 60
    /// How long the canceller must have been good before: it still corrects what it has just learned.
    static let settled = 500
    /// How long after the last sign the echo counts as being learned.
    static let learning = 200
    /// Least distance between two moves: carrying the box about counts as one.
    static let pause = 1000

    private var good = 0
    private var sinceSign = MoveWatch.againShaped + 1
    /// Bit n is set if what was left n periods ago had the shape of the echo.
    private var shapes: UInt64 = 0
    private var sinceMove = MoveWatch.pause
    private var left = 0

    package init() {}

    /// Whether the echo of a moved box is being learned.
    package var isLearning: Bool { left > 0 }

    /// Takes a period; returns true if the box was moved.
    package mutating func step(hasPathChanged: Bool, isShapedLikeEcho: Bool, isGood: Bool) -> Bool {
        good = isGood ? min(good + 1, Self.settled) : 0
        shapes = shapes << 1 | (isShapedLikeEcho ? 1 : 0)
        sinceSign = min(sinceSign + 1, Self.againShaped + 1)
        sinceMove = min(sinceMove + 1, Self.pause)
        left = max(0, left - 1)
        guard hasPathChanged else { return false }
        let isShaped = (shapes & ((1 << Self.window) - 1)).nonzeroBitCount >= Self.shaped
        let isConfirmed = sinceSign <= (isShaped ? Self.againShaped : Self.again)
        sinceSign = 0
        if left > 0 { left = Self.learning }
        guard isConfirmed, good == Self.settled, sinceMove == Self.pause else { return false }
        sinceMove = 0
        left = Self.learning
        return true
    }

    /// Notes a change of the loudspeaker's or the microphone's own level: a louder echo has not moved.
    package mutating func levelChanged() {
        good = 0
    }
}
