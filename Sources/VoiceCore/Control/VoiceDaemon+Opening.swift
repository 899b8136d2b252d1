internal import VoiceBase
internal import VoiceConversation
internal import VoiceSession

/// The outcome of a request for a conversation.
enum ConversationOpening: Equatable {
    case open
    /// Still undecided after the longest wait.
    case underWay
    /// The conversation was ended before it was open.
    case ended
    case failed(ServiceTrouble)
}

/// Derives the outcome of a request from the state of the conversation before and after it.
///
/// An earlier failure neither prevents a new attempt nor is reported as its outcome: the key may have been changed
/// since, which is not visible here.
struct OpeningWatch {
    /// Number of consecutive idle observations that count as an end: one conversation may end so that the next can
    /// begin.
    private static let mostIdle = 10

    private let known: Int?
    /// The service is known to be unavailable and is being retried.
    let isTrying: Bool
    private var hasBegun = false
    private var idle = 0

    init(before state: ConversationState, _ trouble: ServiceTrouble?) {
        known = trouble?.number
        isTrying = state == .connecting && trouble?.isRefusal == false
    }

    /// nil while undecided.
    mutating func see(_ state: ConversationState, _ trouble: ServiceTrouble?) -> ConversationOpening? {
        let isNew = trouble?.number != known
        idle = state == .idle ? idle + 1 : 0
        switch state {
        case .idle, .connecting, .error:
            if let trouble, isNew { return .failed(trouble) }
            if state == .connecting { hasBegun = true }
            return hasBegun && idle >= Self.mostIdle ? .ended : nil
        default: return .open
        }
    }

    /// The outcome when the wait is over.
    func end(_ trouble: ServiceTrouble?) -> ConversationOpening {
        guard isTrying, let trouble else { return .underWay }
        return .failed(trouble)
    }
}

extension VoiceDaemon {
    /// How long a command waits for a connection, which takes a fraction of a second, as does a refusal. Longer than
    /// any step of a connection may take (`ConnectionLimits`), so that its failure is seen; shorter than
    /// `ControlClient` waits.
    static let patience = Duration.seconds(9)
    /// The same if the service is known to be unavailable and is being retried.
    private static let patienceOffline = Duration.seconds(1)
    private static let look = Duration.milliseconds(20)

    /// Performs a request that needs a conversation, and waits until one is open or has failed.
    func opening(after order: @Sendable () -> Void) async -> ConversationOpening {
        let before = await session.reach
        var watch = OpeningWatch(before: before.state, before.trouble)
        order()
        let deadline = Monotonic.now() + (watch.isTrying ? Self.patienceOffline : Self.patience)
        while true {
            let (state, trouble) = await session.reach
            if let opening = watch.see(state, trouble) { return opening }
            guard Monotonic.now() < deadline else { return watch.end(trouble) }
            try? await Task.sleep(for: Self.look)
        }
    }

    /// Throws if the budget is spent, because then no conversation can open.
    func checkBudget() async throws(ControlProblem) {
        guard let until = await status.spending?.spentUntil else { return }
        throw ControlProblem(
            .notAvailable, "the budget is spent until \(until): wait, or raise it in the configuration", cause: .budget
        )
    }

    /// Throws if there is no loudspeaker, because then the speech would be inaudible.
    func checkLoudspeaker() async throws(ControlProblem) {
        guard let problem = await serviceSnapshot.problem(of: .loudspeaker) else { return }
        throw ControlProblem(.notAvailable, "no one would hear it: \(problem)", cause: .loudspeaker)
    }
}

extension ControlProblem {
    /// The voice service has not answered yet.
    /// - Parameter meanwhile: what happens to the request if it does.
    static func stillConnecting(_ meanwhile: String) -> ControlProblem {
        let seconds = VoiceDaemon.patience.components.seconds
        return ControlProblem(
            .notAvailable, "the voice service has not answered for \(seconds) s; \(meanwhile)", cause: .service
        )
    }

    /// - Parameter meanwhile: what happens to the request if the service recovers.
    init(_ trouble: ServiceTrouble, meanwhile: String) {
        let (reason, isLimited) = (trouble.reason, trouble.kind == .limited)
        self.init(
            .notAvailable,
            trouble.isRefusal
                ? "the voice service refuses the connection: \(reason); sudo jarvis-voiced doctor says what to change"
                : "the voice service \(isLimited ? "has reached its limit" : "cannot be reached"): \(reason); \(meanwhile)",
            cause: .service
        )
    }
}
