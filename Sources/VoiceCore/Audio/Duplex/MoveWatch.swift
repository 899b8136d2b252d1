/// Tells when the box was moved, or what stands around it: the echo then comes by another way than the one that was learned.
///
/// The canceller takes the path for changed while it learns, and once in ten seconds or so of ordinary talk, which costs
/// nothing. After a real change it says so second after second until it has learned the new one: two in a row are news.
///
/// A pure value; allocates nothing. Counts periods.
package struct MoveWatch: Sendable, Equatable {
    /// A sign that comes so soon after another one confirms it. The canceller gives one in a second at most.
    static let again = 120
    /// How long the canceller must have been good before: what it has just learned it still corrects.
    static let settled = 500
    /// The echo counts as being learned until so long after the last sign.
    static let learning = 200
    /// Who carries the box about moves it once.
    static let pause = 1000

    private var good = 0
    private var sinceSign = MoveWatch.again + 1
    private var sinceMove = MoveWatch.pause
    private var left = 0

    package init() {}

    /// Whether the echo of a moved box is being learned.
    package var isLearning: Bool { left > 0 }

    /// Takes a period; returns true when the box was moved.
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

    /// Tells that the loudspeaker's or the microphone's own level was changed: an echo that is louder is not elsewhere.
    package mutating func levelChanged() {
        good = 0
    }
}
