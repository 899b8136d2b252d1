/// The configured voice services in order of preference, and the choice of the next one to use.
///
/// A service that fails rests, longer each time; meanwhile the next in the list replaces it. Services that charge are not
/// used while the budget is spent. With a single service, the choice is always that one.
package struct ServiceRoster: Equatable, Sendable {
    package struct Service: Equatable, Sendable {
        /// Name for the log.
        package var name: String
        package var capabilities: ServiceCapabilities
        package var sessions: ConversationMachine.SessionRules

        package init(
            name: String,
            capabilities: ServiceCapabilities,
            sessions: ConversationMachine.SessionRules = .init()
        ) {
            self.name = name
            self.capabilities = capabilities
            self.sessions = sessions
        }
    }

    private struct Rest: Equatable, Sendable {
        var until: Duration
        /// Failures in a row.
        var failures: Int
    }

    /// Rest after the first failure; it doubles with each failure up to `longestRest`.
    static let firstRest = Duration.seconds(60)
    static let longestRest = Duration.seconds(900)

    private let services: [Service]
    private var rests: [Int: Rest] = [:]
    /// The service of the present session, or of the next attempt.
    private(set) var current = 0
    /// The service of the session beside it.
    private(set) var beside = 0
    /// The budget is spent: services that charge are not used.
    var isSpent = false
    /// Whether the user was notified that a substitute is speaking; until the first service is back.
    private var isReported = false

    /// - Parameter services: at least one; the first is preferred.
    init(_ services: [Service]) {
        precondition(!services.isEmpty, "a conversation without a service")
        self.services = services
    }

    var currentCapabilities: ServiceCapabilities { services[current].capabilities }
    var currentSessions: ConversationMachine.SessionRules { services[current].sessions }
    var capabilitiesBeside: ServiceCapabilities { services[beside].capabilities }
    func name(_ index: Int) -> String { services[index].name }

    /// Whether any service is free, so that a spent budget need not silence the daemon.
    var hasFree: Bool { services.contains { $0.capabilities.charge == .nothing } }

    private func isAffordable(_ index: Int) -> Bool { !isSpent || services[index].capabilities.charge == .nothing }

    private func isAvailable(_ index: Int, at now: Duration) -> Bool {
        isAffordable(index) && rests[index].map { $0.until <= now } ?? true
    }

    /// The service to use now: the first available one, else the one whose rest ends first.
    func choice(at now: Duration) -> Int {
        let affordable = services.indices.filter(isAffordable)
        return affordable.first { isAvailable($0, at: now) }
            ?? affordable.min { (rests[$0]?.until ?? .zero) < (rests[$1]?.until ?? .zero) } ?? 0
    }

    /// A service that can replace the current one; nil if none.
    func substitute(at now: Duration) -> Int? {
        services.indices.first { $0 != current && isAvailable($0, at: now) }
    }

    /// When to try again a service preferred to the current one; nil for never.
    var handBack: Duration? {
        services.indices.prefix(current).filter(isAffordable).map { rests[$0]?.until ?? .zero }.min()
    }

    mutating func use(_ index: Int) {
        current = index
        if index == 0 { isReported = false }
    }

    mutating func useBeside(_ index: Int) { beside = index }

    /// Notes a failure and starts a rest.
    mutating func failed(_ index: Int, at now: Duration) {
        let failures = (rests[index]?.failures ?? 0) + 1
        var rest = Self.firstRest
        for _ in 1..<min(failures, 8) { rest *= 2 }
        rests[index] = Rest(until: now + min(rest, Self.longestRest), failures: failures)
    }

    /// Notes that the current service works.
    mutating func proved() { rests[current] = nil }

    /// Ends all rests, after a person has changed something.
    mutating func forgetFailures() { rests = [:] }

    /// - Returns: whether to notify the user now that a substitute is speaking.
    mutating func takeNews() -> Bool {
        guard current > 0, !isReported else { return false }
        isReported = true
        return true
    }

    /// Violated invariants; empty if all is well.
    var brokenInvariants: [String] {
        var broken: [String] = []
        if !services.indices.contains(current) { broken.append("a conversation with no service there is") }
        if !services.indices.contains(beside) { broken.append("a session beside with no service there is") }
        if isReported, current == 0 { broken.append("a substitute that is none") }
        return broken
    }
}
