/// Sums up what is lost, so that a log has one line for a trouble and not one for its every piece. A value: it gets the time.
struct LossMeter: Sendable {
    /// Tells at most so often; and while a trouble lasts, every so often.
    static let pause = Duration.seconds(10)

    /// Everything ever lost.
    private(set) var total = 0
    /// Lost and not reported yet.
    private(set) var unreported = 0
    private var unreportedSince = Duration.zero
    private var quietUntil: Duration?

    mutating func add(_ amount: Int, at now: Duration) {
        guard amount > 0 else { return }
        if unreported == 0 { unreportedSince = now }
        total += amount
        unreported += amount
    }

    /// What to tell now; nil where there is nothing, or where it can wait.
    ///
    /// - Parameter isOver: whether the trouble has ended, so that the sum is the whole of it.
    mutating func take(at now: Duration, isOver: Bool) -> Int? {
        guard unreported > 0, isOver || now >= unreportedSince + Self.pause else { return nil }
        if let quietUntil, now < quietUntil { return nil }
        defer { unreported = 0 }
        quietUntil = now + Self.pause
        return unreported
    }
}
