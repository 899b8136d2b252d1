/// Tells a dead peer from one that has nothing to say. A value: it is told what came and the time, and decides.
///
/// Any byte is a sign of life, and the deadline counts from the last one: a ping proves nothing by being sent, for it
/// waits behind everything that the dead connection has not taken.
struct PeerWatch: Sendable {
    enum Verdict: Equatable, Sendable {
        case alive
        /// Ask for a sign of life (RFC 6455 section 5.5.2).
        case ping
        case dead
    }

    /// Silence after which the peer is dead.
    let limit: Duration
    private(set) var lastReceived: ContinuousClock.Instant
    private var lastPing: ContinuousClock.Instant

    init(limit: Duration, at now: ContinuousClock.Instant) {
        self.limit = limit
        lastReceived = now
        lastPing = now
    }

    mutating func received(at now: ContinuousClock.Instant) { lastReceived = now }

    /// What to do now; a ping is asked for once in a third of the limit.
    mutating func check(at now: ContinuousClock.Instant) -> Verdict {
        if now >= lastReceived + limit { return .dead }
        guard now >= nextPing else { return .alive }
        lastPing = now
        return .ping
    }

    /// When to check again at the latest.
    var next: ContinuousClock.Instant { min(nextPing, lastReceived + limit) }

    private var nextPing: ContinuousClock.Instant { max(lastReceived, lastPing) + limit / 3 }
}
