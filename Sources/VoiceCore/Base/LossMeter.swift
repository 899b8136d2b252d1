/// Sums up losses so that one disturbance makes one log line, not one per lost piece. A value; the caller passes in the
/// time.
package struct LossMeter: Sendable {
    /// Minimum time between reports, and the interval of reports while a disturbance lasts.
    package static let pause = Duration.seconds(10)

    /// Total lost so far.
    package private(set) var total = 0
    /// Lost and not yet reported.
    package private(set) var unreported = 0
    private var unreportedSince = Duration.zero
    private var quietUntil: Duration?

    package init() {}

    package mutating func add(_ amount: Int, at now: Duration) {
        guard amount > 0 else { return }
        if unreported == 0 { unreportedSince = now }
        total += amount
        unreported += amount
    }

    /// Returns the amount to report now; nil if nothing was lost or the report can wait.
    ///
    /// - Parameter isOver: whether the disturbance has ended, so that the sum is complete.
    package mutating func dequeue(at now: Duration, isOver: Bool) -> Int? {
        guard unreported > 0, isOver || now >= unreportedSince + Self.pause else { return nil }
        if let quietUntil, now < quietUntil { return nil }
        defer { unreported = 0 }
        quietUntil = now + Self.pause
        return unreported
    }
}
