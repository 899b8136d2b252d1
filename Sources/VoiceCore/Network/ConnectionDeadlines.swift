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
