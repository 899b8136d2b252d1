internal import VoiceBase
internal import VoiceBudget
internal import VoiceConversation

/// What comes of asking for a conversation.
enum ConversationOpening: Equatable {
    case open
    /// Nothing is decided yet, after all the time that somebody at the command line waits.
    case underWay
    /// Somebody has ended it before it was open.
    case ended
    case failed(ServiceTrouble)
}

/// Tells what comes of an order from what is seen of the conversation before it and after it.
///
/// What is remembered of a failure does not stand in the way of another attempt, nor is it told as what came of it: the key
/// may have been changed where nobody here can see it.
struct OpeningWatch {
    /// An end is believed when it was seen so often in a row: one conversation may end for the next to begin.
    private static let mostIdle = 10

    private let known: Int?
    /// The service is known to be away and is tried again and again.
    let isTrying: Bool
    private var hasBegun = false
    private var idle = 0

    init(before state: ConversationState, _ trouble: ServiceTrouble?) {
        known = trouble?.number
        isTrying = state == .connecting && trouble?.isRefusal == false
    }

    /// Nil while nothing is decided.
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

    /// When nobody waits any longer.
    func end(_ trouble: ServiceTrouble?) -> ConversationOpening {
        guard isTrying, let trouble else { return .underWay }
        return .failed(trouble)
    }
}

extension VoiceDaemon {
    /// A connection needs a fraction of a second, and a refusal no longer; who gave the order waits at the command line. Longer
    /// than any step of a connection may take (`ConnectionLimits`), so that its end is seen; shorter than `ControlClient` waits.
    static let patience = Duration.seconds(9)
    /// The same where the service is known to be away and is tried again and again.
    private static let patienceOffline = Duration.seconds(1)
    private static let look = Duration.milliseconds(20)

    /// Gives an order that wants a conversation, and waits until there is one or it is known that there will be none.
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

    /// Why there will be no conversation, before it is tried: the budget is spent.
    func checkBudget() async throws(ControlProblem) {
        guard let until = await status.spending?.spentUntil else { return }
        throw ControlProblem(.notAvailable, "the budget is spent until \(until)")
    }
}

extension ControlProblem {
    /// The voice service has said nothing yet.
    /// - Parameter meanwhile: what becomes of the order where it does.
    static func stillConnecting(_ meanwhile: String) -> ControlProblem {
        let seconds = VoiceDaemon.patience.components.seconds
        return ControlProblem(.notAvailable, "the voice service has not answered for \(seconds) s; \(meanwhile)")
    }

    /// - Parameter meanwhile: what becomes of the order where the service comes back.
    init(_ trouble: ServiceTrouble, meanwhile: String) {
        self.init(
            .notAvailable,
            trouble.isRefusal
                ? "the voice service refuses us: \(trouble.reason); \"jarvis-voiced doctor\" says what to change"
                : "the voice service cannot be reached: \(trouble.reason); \(meanwhile)"
        )
    }
}
