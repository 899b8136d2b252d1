/// Says which step of opening a connection is overdue. A value: it is told of steps and of the time, and decides.
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

    /// The connection has come so far; steps already behind it are not entered again.
    mutating func reached(_ step: ConnectionTimeout.Step, at now: ContinuousClock.Instant) {
        guard step > self.step else { return }
        self.step = step
        stepBegan = now
    }

    /// When there is something to decide; nil once there is no more.
    var next: ContinuousClock.Instant? {
        guard let limit = limits.limit(of: step) else { return nil }
        let end = stepBegan + limit
        return step < .listening ? min(end, began + limits.whole) : end
    }

    /// What took too long, if anything has.
    func expired(at now: ContinuousClock.Instant) -> ConnectionTimeout? {
        guard let limit = limits.limit(of: step) else { return nil }
        if now >= stepBegan + limit { return ConnectionTimeout(host: host, step: step, limit: limit) }
        guard step < .listening, now >= began + limits.whole else { return nil }
        return ConnectionTimeout(host: host, step: step, limit: limits.whole, isWhole: true)
    }
}

/// How long the steps of opening a connection may take.
package struct ConnectionLimits: Equatable, Sendable {
    /// From the start to the open WebSocket.
    package var whole: Duration
    /// DNS, TLS, the first byte of the HTTP answer and the rest of it: each.
    package var step: Duration
    /// TCP alone.
    package var tcp: Duration
    /// From the open WebSocket to the first message; nil where the server need not say anything.
    package var firstMessage: Duration?

    /// Parts in fixed proportion: half of the whole for a step.
    ///
    /// Three quarters for TCP: where a name has several addresses, libcurl gives the first half of the time, and the
    /// next should get its chance.
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
