/// Tells a pause of the connection from a server that is gone.
struct Outage: Sendable, Equatable {
    /// How long a server may be away, as for a restart, before it counts as gone.
    static let patience = Duration.seconds(5)

    private var since: Duration?

    /// The server could not be reached at `now` (time since any fixed moment).
    ///
    /// - Returns: true at the first time since it was reached.
    mutating func begin(at now: Duration) -> Bool {
        guard since == nil else { return false }
        since = now
        return true
    }

    mutating func end() { since = nil }

    func isOver(at now: Duration) -> Bool {
        since.map { now - $0 >= Self.patience } ?? false
    }
}
