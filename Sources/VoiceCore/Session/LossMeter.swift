/// Sums up what is lost, so that a log tells of a trouble once and not of its every piece. A value: the time is told to it.
struct LossMeter: Sendable {
    /// Tells at most so often; and while a trouble lasts, every so often.
    static let pause = Duration.seconds(10)

    /// Everything ever lost.
    private(set) var total = 0
    /// Lost and not told yet.
    private(set) var untold = 0
    private var untoldSince = Duration.zero
    private var quietUntil: Duration?

    mutating func add(_ amount: Int, at now: Duration) {
        guard amount > 0 else { return }
        if untold == 0 { untoldSince = now }
        total += amount
        untold += amount
    }

    /// What to tell now; nil where there is nothing, or where it can wait.
    ///
    /// - Parameter isOver: whether the trouble has ended, so that the sum is the whole of it.
    mutating func take(at now: Duration, isOver: Bool) -> Int? {
        guard untold > 0, isOver || now >= untoldSince + Self.pause else { return nil }
        if let quietUntil, now < quietUntil { return nil }
        defer { untold = 0 }
        quietUntil = now + Self.pause
        return untold
    }
}
