/// Decides which step of opening a connection is overdue. A value; the caller passes in steps and times.
struct ConnectionDeadlines: Sendable {
    private let host: String
    private let limits: ConnectionLimits
    private let began: ContinuousClock.Instant
    private var stepBegan: ContinuousClock.Instant
    private(set) var step = ConnectionTimeout.Step.resolving

    init(host: String, limits: ConnectionLimits, at now: ContinuousClock.Instant) {
        self.host = host
        self.limits = limits
        began = now
        stepBegan = now
    }

    /// Records that the connection has reached a step; steps already passed are not entered again.
    mutating func reached(_ step: ConnectionTimeout.Step, at now: ContinuousClock.Instant) {
        guard step > self.step else { return }
        self.step = step
        stepBegan = now
    }

    /// When to check next; nil if no further deadline applies.
    var next: ContinuousClock.Instant? {
        guard let limit = limits.limit(of: step) else { return nil }
        let end = stepBegan + limit
        return step < .listening ? min(end, began + limits.whole) : end
    }

    /// The step that took too long, if any.
    func expired(at now: ContinuousClock.Instant) -> ConnectionTimeout? {
        guard let limit = limits.limit(of: step) else { return nil }
        if now >= stepBegan + limit { return ConnectionTimeout(host: host, step: step, limit: limit) }
        guard step < .listening, now >= began + limits.whole else { return nil }
        return ConnectionTimeout(host: host, step: step, limit: limits.whole, isWhole: true)
    }
}

/// Time limits for the steps of opening a connection.
package struct ConnectionLimits: Equatable, Sendable {
    /// From the start to the open WebSocket.
    package var whole: Duration
    /// For each of: DNS, TLS, the first byte of the HTTP reply, the rest of it.
    package var step: Duration
    /// TCP alone.
    package var tcp: Duration
    /// From the open WebSocket to the first message; nil if the server need not send one.
    package var firstMessage: Duration?

    /// Derives fixed proportions: half of the whole for a step.
    ///
    /// Three quarters for TCP: if a name has several addresses, libcurl gives the first half of the time, and the next
    /// should get its chance.
    package init(whole: Duration, firstMessage: Duration? = nil) {
        self.whole = whole
        self.firstMessage = firstMessage
        step = whole / 2
        tcp = whole * 3 / 4
    }

    func limit(of step: ConnectionTimeout.Step) -> Duration? {
        switch step {
        case .resolving, .securing, .asking, .upgrading: self.step
        case .connecting: tcp
        case .listening: firstMessage
        case .done: nil
        }
    }
}

/// Distinguishes a dead peer from a silent one. A value; the caller passes in events and times.
///
/// Any byte is a sign of life, and the deadline counts from the last one. Sending a ping proves nothing, since it waits
/// behind everything the dead connection has not taken.
struct PeerWatch: Sendable {
    enum Verdict: Equatable, Sendable {
        case alive
        /// Request a sign of life (RFC 6455 section 5.5.2).
        case ping
        case dead
    }

    /// Silence after which the peer counts as dead.
    let limit: Duration
    private(set) var lastReceived: ContinuousClock.Instant
    private var lastPing: ContinuousClock.Instant

    init(limit: Duration, at now: ContinuousClock.Instant) {
        self.limit = limit
        lastReceived = now
        lastPing = now
    }

    mutating func received(at now: ContinuousClock.Instant) { lastReceived = now }

    /// Returns what to do now; requests a ping once in a third of the limit.
    mutating func check(at now: ContinuousClock.Instant) -> Verdict {
        if now >= lastReceived + limit { return .dead }
        guard now >= nextPing else { return .alive }
        lastPing = now
        return .ping
    }

    /// The latest time of the next check.
    var next: ContinuousClock.Instant { min(nextPing, lastReceived + limit) }

    private var nextPing: ContinuousClock.Instant { max(lastReceived, lastPing) + limit / 3 }
}
