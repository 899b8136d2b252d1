/// The session that carries the conversation, the standby session beside it, and the pauses between attempts.
///
///     closed --open--> opening --> configuring --> ready
///                       ^    '-------'--refuse--> refused, probed again after a long pause
///                       '--pause-- lost <-----------'
///
///     beside it: opening --> configuring --> ready --> promoted
///                  ^--pause-- failed <---------'
///
/// The standby is opened before the current session ends.
///
/// It knows the state of the sessions and when the next attempt is due; the conversation decides what to do.
package struct SessionLink: Equatable, Sendable {
    package enum Phase: Equatable, Sendable {
        case closed
        /// Waiting for the next attempt, or attempting.
        case opening
        /// Connected; the settings are sent.
        case configuring
        case ready
        /// The service refuses the client; waiting for the next probe.
        case refused
    }

    /// The standby session.
    struct Standby: Equatable, Sendable {
        enum Phase: Equatable, Sendable {
            case opening, configuring, ready
        }

        var phase = Phase.opening
        var id: String?
        var opened = Duration.zero
        var ends: Duration?
    }

    /// A session younger than this is not replaced, whatever end the service states: the clock may be wrong.
    private static let youngest = Duration.seconds(30)
    /// Minimum pause before another attempt at the standby.
    private static let leastPause = Duration.seconds(1)

    package private(set) var phase = Phase.closed
    /// Counts sessions; a call records the one it was made in.
    private(set) var number = 0
    /// When the session was created, and when the service will end it. Monotonic.
    package private(set) var opened = Duration.zero
    /// Whether the session was logged: some services state its name only when it is ready.
    private(set) var isAnnounced = false
    private(set) var ends: Duration?
    /// The next attempt is waiting for a pause to end.
    private(set) var isPausing = false
    /// Why the service refuses the client; kept during probes, until a session is ready.
    private(set) var refusal: String?
    /// Why the latest attempt failed; outlives the conversation, until a session is ready.
    private(set) var trouble: ServiceTrouble?
    private var troubles = 0
    private(set) var backoff: Backoff

    private(set) var standby: Standby?
    private var standbyBackoff: Backoff
    /// When to open the standby; nil for never.
    private var renewAt: Duration?
    /// The session is about to end: change in the next moment of silence.
    private(set) var mustSwap = false
    /// The service allows no second session, and it is time for the next one.
    private(set) var isEndingBeforeNext = false
    /// Ready sessions in a row that ended before they had proved to last.
    private var earlyEnds = 0
    private static let mostEarlyEnds = 3
    /// The failure to open the next session was reported.
    private var isFailureReported = false

    /// Rules of the current service.
    private var rules: ConversationMachine.SessionRules
    /// Session length limit if the service does not state one.
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

    /// Switches to another service for the next sessions.
    mutating func serve(_ rules: ConversationMachine.SessionRules, lifetime: Duration?) {
        self.rules = rules
        self.lifetime = lifetime
    }

    var isReady: Bool { phase == .ready }
    var isClosed: Bool { phase == .closed }

    /// A session is ready or will be soon.
    var isUsable: Bool { phase != .closed && phase != .refused }

    /// A session is being opened and should be ready soon.
    var isSettingUp: Bool { phase == .opening && !isPausing || phase == .configuring }

    /// Whether session after session ends before it has proved to last: the text that each received at its beginning
    /// may be the reason.
    var endsEarly: Bool { earlyEnds >= Self.mostEarlyEnds }

    /// The session is ready but has not yet proved to last.
    var isUnproven: Bool { isReady && backoff.attempts > 0 }

    // MARK: The session

    /// Begins the first attempt, with a fresh backoff.
    mutating func open() {
        backoff.reset()
        earlyEnds = 0
        refusal = nil
        isPausing = false
        renewAt = nil
        phase = .opening
    }

    /// - Returns: false if none is awaited; during a pause it is an echo of the last attempt.
    mutating func created(at now: Duration) -> Bool {
        guard phase == .opening, !isPausing else { return false }
        number += 1
        phase = .configuring
        isAnnounced = false
        opened = now
        ends = lifetime.map { now + $0 }
        return true
    }

    /// Notes that the session was logged.
    mutating func announced() { isAnnounced = true }

    /// Notes the length limit the service stated for the newly created session.
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

    /// Notes that the service works.
    mutating func proved() {
        backoff.reset()
        earlyEnds = 0
    }

    /// The session is over.
    /// - Returns: whether there is a standby, which ends with it.
    mutating func sessionEnded() -> Bool {
        defer { standby = nil }
        mustSwap = false
        isEndingBeforeNext = false
        renewAt = nil
        ends = nil
        return standby != nil
    }

    /// An attempt or a session failed and is retried.
    /// - Returns: the pause before the retry.
    mutating func lost(_ failure: LinkFailure) -> Duration {
        remember(failure)
        isPausing = true
        if isReady, failure.kind != .expired { earlyEnds += 1 }
        guard refusal == nil else {
            // It was only a probe of a service that refuses the client.
            phase = .refused
            return probePause
        }
        phase = .opening
        return pause(after: failure)
    }

    /// The service refuses the client.
    /// - Returns: the pause before the next probe; whether this is the first refusal; whether the reason is new.
    mutating func refused(_ reason: String) -> (pause: Duration, isFirst: Bool, isNews: Bool) {
        defer { refusal = reason }
        remember(LinkFailure(.permanent, reason))
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

    /// An attempt that nothing waited for has failed.
    mutating func missed(_ failure: LinkFailure) { remember(failure) }

    mutating func forgetTrouble() { trouble = nil }

    private mutating func remember(_ failure: LinkFailure) {
        troubles += 1
        trouble = ServiceTrouble(number: troubles, reason: failure.reason, kind: failure.kind)
    }

    private mutating func pause(after failure: LinkFailure) -> Duration {
        if failure.kind == .expired, backoff.attempts == 0 {
            _ = backoff.next()
            return .zero
        }
        let pause = backoff.next()
        return (wanted(by: failure) ?? (failure.kind == .limited ? limitedPause : .zero)) + pause
    }

    /// The pause requested by the service, within limits.
    private func wanted(by failure: LinkFailure) -> Duration? {
        failure.retryAfter.map { min($0, limitedLongest) }
    }

    // MARK: The session beside it

    /// Whether the standby can take over in the next silence.
    var mayChange: Bool { isReady && standby?.phase == .ready }

    /// How long until the standby is to be opened; nil for never.
    func renewal(at now: Duration) -> Duration? {
        guard isReady, standby == nil else { return nil }
        return renewAt.map { max(.zero, $0 - now) }
    }

    /// Makes the next session due now, because this one is full.
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

    /// - Returns: false if there already is one, or no ready session.
    mutating func openStandby() -> Bool {
        guard isReady, standby == nil else { return false }
        standby = Standby()
        return true
    }

    /// - Returns: false if none is awaited.
    mutating func standbyCreated(id: String?, at now: Duration) -> Bool {
        guard standby?.phase == .opening else { return false }
        let ends = lifetime.map { now + $0 }
        standby = Standby(phase: .configuring, id: id, opened: now, ends: ends)
        return true
    }

    mutating func standbyLasts(_ left: Duration, at now: Duration) {
        guard left > .zero else { return }
        standby?.ends = now + left
    }

    /// Its settings are in force.
    mutating func standbyBecameReady() {
        standby?.phase = .ready
    }

    /// The standby failed and is retried after a growing pause.
    ///
    /// - Returns: whether to report it: once, until one was ready.
    mutating func standbyFailed(at now: Duration) -> Bool {
        defer { isFailureReported = true }
        standby = nil
        mustSwap = false
        renewAt = now + max(Self.leastPause, standbyBackoff.next())
        return !isFailureReported
    }

    /// The service has no room for a standby: this session ends first, in a quiet moment.
    mutating func endsBeforeNext() {
        standby = nil
        mustSwap = false
        renewAt = nil
        isEndingBeforeNext = true
    }

    /// The session has ended to make room for the next.
    mutating func replaced() { phase = .opening }

    /// Drops a standby that only probed another service; nothing new is due.
    mutating func standbyWasATry() {
        standby = nil
        mustSwap = false
        renewAt = isReady ? renewal(opened: opened, ends: ends) : nil
    }

    /// The service is about to end the present session.
    mutating func swapIsDue() { mustSwap = true }

    /// The standby takes over.
    /// - Returns: nil if none is ready.
    mutating func promote() -> Standby? {
        guard let next = standby, next.phase == .ready else { return nil }
        standby = nil
        standbyBackoff.reset()
        isFailureReported = false
        mustSwap = false
        adopt(next)
        return next
    }

    private mutating func adopt(_ next: Standby) {
        number += 1
        opened = next.opened
        ends = next.ends
    }

    // MARK: What always holds

    /// Violated invariants; empty if all is well.
    var brokenInvariants: [String] {
        var broken: [String] = []
        if isPausing, phase != .opening, phase != .refused { broken.append("a pause while \(phase)") }
        if phase == .refused, refusal == nil { broken.append("refused without a reason") }
        if phase == .refused, !isPausing { broken.append("refused for ever") }
        if refusal != nil, phase == .closed || phase == .ready { broken.append("a refusal while \(phase)") }
        if trouble != nil, phase == .ready { broken.append("trouble while ready") }
        if standby != nil, phase != .ready { broken.append("a session beside while \(phase)") }
        if mustSwap, !mayChange { broken.append("a change of sessions with nothing to change to") }
        if renewAt != nil, phase != .ready { broken.append("a rotation while \(phase)") }
        return broken
    }
}
