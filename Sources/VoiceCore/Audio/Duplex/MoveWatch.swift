/// Detects that the box, or something near it, was moved: the echo path is then no longer the learned one.
///
/// The canceller reports a changed path while it learns, and about once in three minutes of talk, which is harmless. After a real
/// change it reports one every second of sound until it has learned the new path, and at least two: two within three seconds are
/// news. In calculated conversations with people, 18 of 18 moves are found, the slowest 2.9 s after the move, and in 96 without
/// a move none.
///
/// A pure value; allocates nothing. Counts periods.
package struct MoveWatch: Sendable, Equatable {
    /// A sign confirms another one that came at most this long before. The canceller gives at most one a second.
    static let again = 300
    /// How long the canceller must have been good before: it still corrects what it has just learned.
    static let settled = 500
    /// How long after the last sign the echo counts as being learned.
    static let learning = 200
    /// Least distance between two moves: carrying the box about counts as one.
    static let pause = 1000

    private var good = 0
    private var sinceSign = MoveWatch.again + 1
    private var sinceMove = MoveWatch.pause
    private var left = 0

    /// Whether the echo of a moved box is being learned.
    package var isLearning: Bool { left > 0 }

    /// Takes a period; returns true if the box was moved.
    package mutating func step(hasPathChanged: Bool, isGood: Bool) -> Bool {
        good = isGood ? min(good + 1, Self.settled) : 0
        sinceSign = min(sinceSign + 1, Self.again + 1)
        sinceMove = min(sinceMove + 1, Self.pause)
        left = max(0, left - 1)
        guard hasPathChanged else { return false }
        let isConfirmed = sinceSign <= Self.again
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
