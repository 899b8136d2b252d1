/// The session that carries the conversation, the one that is kept ready to follow it, and the pauses between attempts.
///
///     closed --open--> opening --> configuring --> ready
///                       ^    '-------'--refuse--> refused, looked at again after a long pause
///                       '--pause-- lost <-----------'
///
///     beside it: opening --> configuring --> ready --> promoted, or adopted by a call
///                  ^--pause-- failed <---------'
///
/// The session beside is opened before the present one ends, or, kept warm, while there is none.
///
/// It knows what is true of sessions and when the next attempt is due; the conversation decides what to do about it.
package struct SessionLink: Equatable, Sendable {
    package enum Phase: Equatable, Sendable {
        case closed
        /// Waiting for the next attempt, or in it.
        case opening
        /// It is there, and was told what it is to be.
        case configuring
        case ready
        /// The service refuses us; waiting for the next look.
        case refused
    }

    /// The session beside the present one.
    struct Standby: Equatable, Sendable {
        enum Phase: Equatable, Sendable {
            case opening, configuring, ready
        }

        var phase = Phase.opening
        var id: String?
        var opened = Duration.zero
        var ends: Duration?
    }

    /// What becomes of a session that is kept warm.
    enum Upkeep: Equatable, Sendable {
        case open, drop
    }

    /// A session younger than this is not replaced, whatever the service says of its end: the clock may be wrong.
    private static let youngest = Duration.seconds(30)
    /// Before the session beside is tried again.
    private static let leastPause = Duration.seconds(1)

    package private(set) var phase = Phase.closed
    /// Counts sessions; a call knows in which it was asked.
    private(set) var number = 0
    /// When the session was created, and when the service will end it. Monotonic.
    package private(set) var opened = Duration.zero
    /// Whether the log has a line on it: some services say its name only when it is ready.
    private(set) var isAnnounced = false
    private(set) var ends: Duration?
    /// The next attempt waits for its pause to end.
    private(set) var isPausing = false
    /// Why the service refuses us; kept while we look again, until a session is ready.
    private(set) var refusal: String?
    /// Why the latest attempt to have the service failed; outlives the conversation, until a session is ready.
    private(set) var trouble: ServiceTrouble?
    private var troubles = 0
    private(set) var backoff: Backoff

    private(set) var standby: Standby?
    private var standbyBackoff: Backoff
    /// When to open it, or to replace the one that is kept warm; nil for never.
    private var renewAt: Duration?
    /// This session is about to end: any moment in which nobody speaks will do.
    private(set) var mustSwap = false
    /// It has been told that the next session could not be opened.
    private var isFailureReported = false

    /// Of the service whose sessions these are.
    private var rules: ConversationMachine.SessionRules
    /// How long a session of the service may last where it does not say so.
    private var lifetime: Duration?
    private let probePause: Duration
    private let limitedPause: Duration
    private let limitedLongest: Duration

    init(_ options: ConversationMachine.Options) {
        var seeds = SplitMix64(seed: options.seed)
        func backoff(_ seed: UInt64) -> Backoff {
            Backoff(first: options.reconnectFirst, longest: options.reconnectLongest, seed: seed)
        }
        self.backoff = backoff(seeds.next())
        standbyBackoff = backoff(seeds.next())
        rules = options.sessions
        lifetime = options.sessionLifetime
        probePause = options.probePause
        limitedPause = options.limitedPause
        limitedLongest = options.limitedLongest
    }

    /// The sessions from now on are those of another service.
    mutating func serve(_ rules: ConversationMachine.SessionRules, lifetime: Duration?) {
        self.rules = rules
        self.lifetime = lifetime
    }

    var isReady: Bool { phase == .ready }
    var isClosed: Bool { phase == .closed }

    /// There is a session, or there will be one soon.
    var isUsable: Bool { phase != .closed && phase != .refused }

    /// A session is on its way, and should be ready soon.
    var isSettingUp: Bool { phase == .opening && !isPausing || phase == .configuring }

    /// The session is ready and has not lasted yet.
    var isUnproven: Bool { isReady && backoff.attempts > 0 }

    // MARK: The session

    /// The first attempt of many: whatever went before does not count.
    mutating func open() {
        backoff.reset()
        refusal = nil
        isPausing = false
        renewAt = nil
        phase = .opening
    }

    /// - Returns: false where none is awaited; while the next attempt is waited for, it is an echo of the last one.
    mutating func created(at now: Duration) -> Bool {
        guard phase == .opening, !isPausing else { return false }
        number += 1
        phase = .configuring
        isAnnounced = false
        opened = now
        ends = lifetime.map { now + $0 }
        return true
    }

    /// The log has a line on it.
    mutating func announced() { isAnnounced = true }

    /// The service says how long the session that was just created may last.
    mutating func lasts(_ left: Duration) {
        if left > .zero { ends = opened + left }
    }

    /// The settings are in force.
    mutating func becameReady() {
        phase = .ready
        refusal = nil
        trouble = nil
        renewAt = renewal(opened: opened, ends: ends)
    }

    /// The service has done what it is for.
    mutating func proved() { backoff.reset() }

    /// The session is over.
    /// - Returns: whether there is one beside it, which goes with it.
    mutating func sessionEnded() -> Bool {
        defer { standby = nil }
        mustSwap = false
        renewAt = nil
        ends = nil
        return standby != nil
    }

    /// An attempt, or a session, came to nothing: it is tried again.
    /// - Returns: the pause before.
    mutating func lost(_ failure: LinkFailure) -> Duration {
        remember(failure.reason, isRefusal: false)
        isPausing = true
        guard refusal == nil else {
            // It was only a look whether the service takes us again.
            phase = .refused
            return probePause
        }
        phase = .opening
        return pause(after: failure)
    }

    /// The service will not have us.
    /// - Returns: the pause before the next look; whether it took us before; whether the reason is a new one.
    mutating func refused(_ reason: String) -> (pause: Duration, isFirst: Bool, isNews: Bool) {
        defer { refusal = reason }
        remember(reason, isRefusal: true)
        isPausing = true
        phase = .refused
        return (probePause, refusal == nil, refusal != reason)
    }

    /// The pause is over.
    /// - Returns: whether to try now.
    mutating func pauseEnded() -> Bool {
        guard isPausing else { return false }
        isPausing = false
        phase = .opening
        return true
    }

    /// The conversation is over.
    mutating func close() {
        phase = .closed
        refusal = nil
        isPausing = false
    }

    mutating func forgetTrouble() { trouble = nil }

    private mutating func remember(_ reason: String, isRefusal: Bool) {
        troubles += 1
        trouble = ServiceTrouble(number: troubles, reason: reason, isRefusal: isRefusal)
    }

    private mutating func pause(after failure: LinkFailure) -> Duration {
        if failure.kind == .expired, backoff.attempts == 0 {
            _ = backoff.next()
            return .zero
        }
        let pause = backoff.next()
        return (wanted(by: failure) ?? (failure.kind == .limited ? limitedPause : .zero)) + pause
    }

    /// The pause that the service has asked for, within reason.
    private func wanted(by failure: LinkFailure) -> Duration? {
        failure.retryAfter.map { min($0, limitedLongest) }
    }

    // MARK: The session beside it

    /// Nothing stands in the way of the session beside taking over but somebody who speaks.
    var mayChange: Bool { isReady && standby?.phase == .ready }

    /// How long until the session beside is to be opened, or the warm one replaced; nil for never.
    func renewal(at now: Duration) -> Duration? {
        guard isReady && standby == nil || isClosed else { return nil }
        return renewAt.map { max(.zero, $0 - now) }
    }

    /// The next session is to be opened now: this one has no room left.
    mutating func isFull(at now: Duration) {
        guard isReady, standby == nil else { return }
        renewAt = min(renewAt ?? now, now)
    }

    /// When to open the next session; nil for never.
    private func renewal(opened: Duration, ends: Duration?) -> Duration? {
        let byAge = rules.age.map { opened + $0 }
        let byEnd = ends.map { max($0 - rules.rotationMargin, opened + Self.youngest) }
        guard let byAge, let byEnd else { return byAge ?? byEnd }
        return min(byAge, byEnd)
    }

    /// - Returns: false where there is one already, or nothing to be beside of.
    mutating func openStandby() -> Bool {
        guard isReady, standby == nil else { return false }
        standby = Standby()
        return true
    }

    /// - Returns: false where none is awaited.
    mutating func standbyCreated(id: String?, at now: Duration) -> Bool {
        guard standby?.phase == .opening else { return false }
        let ends = lifetime.map { now + $0 }
        standby = Standby(phase: .configuring, id: id, opened: now, ends: ends)
        return true
    }

    mutating func standbyLasts(_ left: Duration, at now: Duration) {
        guard left > .zero else { return }
        standby?.ends = now + left
        settleWarm()
    }

    /// Its settings are in force.
    mutating func standbyBecameReady() {
        standby?.phase = .ready
        settleWarm()
    }

    /// The service has the warm one ready: it may stay so until it is too old.
    private mutating func settleWarm() {
        guard isClosed, let standby, standby.phase == .ready else { return }
        standbyBackoff.reset()
        trouble = nil
        isFailureReported = false
        renewAt = renewal(opened: standby.opened, ends: standby.ends)
    }

    /// It came to nothing, and is tried again after a pause that grows.
    ///
    /// - Returns: whether that is news: once told, until one was ready.
    mutating func standbyFailed(_ failure: LinkFailure, at now: Duration) -> Bool {
        defer { isFailureReported = true }
        standby = nil
        mustSwap = false
        let pause = standbyBackoff.next()
        let kind = isClosed ? failure.kind : .transient
        switch kind {
        case .permanent:
            remember(failure.reason, isRefusal: true)
            renewAt = now + probePause
        case .limited: renewAt = now + (wanted(by: failure) ?? min(limitedPause, limitedLongest)) + pause
        case .expired, .transient: renewAt = now + max(Self.leastPause, pause)
        }
        return !isFailureReported
    }

    /// The session beside was a try of another service: nothing is due that was not before.
    mutating func standbyWasATry() {
        standby = nil
        mustSwap = false
        renewAt = isReady ? renewal(opened: opened, ends: ends) : nil
    }

    /// The service is about to end the present session.
    mutating func swapIsDue() { mustSwap = true }

    /// The session beside takes over.
    /// - Returns: nil where none is ready.
    mutating func promote() -> Standby? {
        guard let next = standby, next.phase == .ready else { return nil }
        standby = nil
        standbyBackoff.reset()
        isFailureReported = false
        mustSwap = false
        take(next)
        return next
    }

    /// A call: the session that is kept warm, or on its way, carries the conversation.
    /// - Returns: nil where there is none.
    mutating func adopt() -> Standby? {
        guard isClosed, let warm = standby else { return nil }
        standby = nil
        renewAt = nil
        backoff.reset()
        phase = .opening
        guard warm.phase != .opening else { return warm }
        take(warm)
        phase = .configuring
        return warm
    }

    private mutating func take(_ next: Standby) {
        number += 1
        opened = next.opened
        ends = next.ends
    }

    /// Keeps a session warm while there is no conversation, or no longer.
    mutating func keepWarm(_ isWanted: Bool) -> Upkeep? {
        guard isClosed else { return nil }
        guard isWanted else {
            defer { standby = nil }
            renewAt = nil
            return standby == nil ? nil : .drop
        }
        guard standby == nil, renewAt == nil else { return nil }
        standby = Standby()
        return .open
    }

    /// The warm one has become too old, or the pause after a failure is over: `keepWarm` opens another.
    /// - Returns: whether there was one.
    mutating func dropWarm() -> Bool {
        defer { standby = nil }
        renewAt = nil
        return standby != nil
    }

    // MARK: What always holds

    /// What does not hold, though it always should.
    var brokenInvariants: [String] {
        var broken: [String] = []
        if isPausing, phase != .opening, phase != .refused { broken.append("a pause while \(phase)") }
        if phase == .refused, refusal == nil { broken.append("refused without a reason") }
        if phase == .refused, !isPausing { broken.append("refused for ever") }
        if refusal != nil, phase == .closed || phase == .ready { broken.append("a refusal while \(phase)") }
        if trouble != nil, phase == .ready { broken.append("trouble while ready") }
        if standby != nil, phase != .closed, phase != .ready { broken.append("a session beside while \(phase)") }
        if mustSwap, !mayChange { broken.append("a change of sessions with nothing to change to") }
        if renewAt != nil, phase != .closed, phase != .ready { broken.append("a rotation while \(phase)") }
        return broken
    }
}
