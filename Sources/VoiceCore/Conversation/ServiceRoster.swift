/// The voice services of a box in the order of preference, and which of them is to be asked next.
///
/// One that cannot be had rests, longer each time; while it does, the next in the list takes its place. Those that charge
/// are left alone while the budget is spent. With a single service it is always that one.
package struct ServiceRoster: Equatable, Sendable {
    package struct Service: Equatable, Sendable {
        /// As the log names it.
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

    /// A service that failed once is looked at after `firstRest`, then after twice that, up to `longestRest`.
    static let firstRest = Duration.seconds(60)
    static let longestRest = Duration.seconds(900)

    private let services: [Service]
    private var rests: [Int: Rest] = [:]
    /// The service of the present session, or of the next attempt.
    private(set) var current = 0
    /// The service of the session beside it.
    private(set) var beside = 0
    /// The budget is spent: what charges is not asked.
    var isSpent = false
    /// The user has been told that another service speaks; until the first is back.
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

    /// Whether one costs nothing, so that a spent budget is no reason to be silent.
    var hasFree: Bool { services.contains { $0.capabilities.charge == .nothing } }

    private func isAffordable(_ index: Int) -> Bool { !isSpent || services[index].capabilities.charge == .nothing }

    private func isAvailable(_ index: Int, at now: Duration) -> Bool {
        isAffordable(index) && rests[index].map { $0.until <= now } ?? true
    }

    /// The one to ask now: the first that may be had, else the one whose rest ends first.
    func choice(at now: Duration) -> Int {
        let affordable = services.indices.filter(isAffordable)
        return affordable.first { isAvailable($0, at: now) }
            ?? affordable.min { (rests[$0]?.until ?? .zero) < (rests[$1]?.until ?? .zero) } ?? 0
    }

    /// The one that can take the place of the present one; nil where there is none.
    func substitute(at now: Duration) -> Int? {
        services.indices.first { $0 != current && isAvailable($0, at: now) }
    }

    /// When a service that is preferred to the present one is to be tried again; nil for never.
    var handBack: Duration? {
        services.indices.prefix(current).filter(isAffordable).map { rests[$0]?.until ?? .zero }.min()
    }

    mutating func use(_ index: Int) {
        current = index
        if index == 0 { isReported = false }
    }

    mutating func useBeside(_ index: Int) { beside = index }

    /// It could not be had.
    mutating func failed(_ index: Int, at now: Duration) {
        let failures = (rests[index]?.failures ?? 0) + 1
        var rest = Self.firstRest
        for _ in 1..<min(failures, 8) { rest *= 2 }
        rests[index] = Rest(until: now + min(rest, Self.longestRest), failures: failures)
    }

    /// The present one has done what it is for.
    mutating func proved() { rests[current] = nil }

    /// A person has changed something: all are worth a try.
    mutating func forgetFailures() { rests = [:] }

    /// - Returns: whether the user is to be told now that another service than the first speaks.
    mutating func takeNews() -> Bool {
        guard current > 0, !isReported else { return false }
        isReported = true
        return true
    }

    /// What does not hold, though it always should.
    var brokenInvariants: [String] {
        var broken: [String] = []
        if !services.indices.contains(current) { broken.append("a conversation with no service there is") }
        if !services.indices.contains(beside) { broken.append("a session beside with no service there is") }
        if isReported, current == 0 { broken.append("a substitute that is none") }
        return broken
    }
}
