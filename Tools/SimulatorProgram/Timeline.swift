import Glibc
import Synchronization
import VoiceBase
import VoiceConversation
import VoiceCore
import VoiceSession

/// Prints a conversation as it happens, and lets its director wait for states.
final class Timeline: Sendable {
    private struct State {
        var began = Duration.zero
        /// States entered and not yet waited for.
        var entered: [ConversationState] = []
        var waiter: (state: ConversationState, reached: Promise<Void>)?
        var turn = Turn()
    }

    /// The result of the user's latest words.
    struct Turn: Sendable {
        /// The words as recognised; the last transcript counts.
        var heard: String?
        var report: TurnReport?
    }

    private let state = Mutex(State())
    private let showsHeard: Bool

    /// - Parameter showsHeard: whether to print what was recognised.
    init(showsHeard: Bool = false) { self.showsHeard = showsHeard }

    var turn: Turn { state.withLock { $0.turn } }

    func start() {
        let now = Monotonic.now()
        state.withLock { $0.began = now }
    }

    func say(_ who: String, _ what: String) {
        state.withLock { $0.turn = Turn() }
        line(who, what, at: Monotonic.now())
    }

    /// Forgets the states that were entered meanwhile.
    func forget() { state.withLock { $0.entered = [] } }

    /// Returns once the conversation has entered `wanted`, now or since the last wait.
    func wait(for wanted: ConversationState, within limit: Duration = .seconds(30)) async throws(DemoStuck) {
        let reached = Promise<Void>()
        state.withLock { state in
            if let index = state.entered.firstIndex(of: wanted) {
                state.entered.removeSubrange(...index)
                reached.give(())
            } else {
                state.entered = []
                state.waiter = (wanted, reached)
            }
        }
        guard await TimeLimit.run(limit, { await reached.wait() }) != nil else {
            reached.give(())
            throw DemoStuck(wanted: wanted)
        }
    }

    var observer: ConversationSession.Observer {
        .init(effect: { [self] effect, instant in show(effect, at: instant) }, call: { [self] in show($0) })
    }

    private func show(_ effect: ConversationEffect, at instant: Duration) {
        switch effect {
        case .stateChanged(_, let next):
            line("state", next.description, at: instant)
            entered(next)
        case .note(.spoken(let text)): line("voice", text, at: instant)
        case .note(.heard(let text)):
            state.withLock { $0.turn.heard = text }
            if showsHeard { line("heard", text, at: instant) }
        case .note(.callStarted(let call)): line("call", "\(call.name) \(call.arguments)", at: instant)
        case .send(.answer(_, let output)) where !output.isEmpty || [.whole, .first].contains(output.part):
            line("jarvis", output.forModel, at: instant)
        case .send(.inform(_, let report)): line("jarvis", report.output.forModel, at: instant)
        // Sentences that were not begun are cut too.
        case .send(.truncate(_, _, let heard, _)) where heard > 0:
            line("cut", "the user heard \(heard) ms of the answer", at: instant)
        case .turnEnded(let report):
            state.withLock { $0.turn.report = report }
            show(report, at: instant)
        case .note(.serviceReplaced(let from, let service, let reason)):
            line("trouble", "\(service) takes the place of \(from)" + (reason.map { ": \($0)" } ?? ""), at: instant)
        case .note(.connectionLost(let failure, _)): line("trouble", failure.reason, at: instant)
        case .note(.refused(let reason)): line("trouble", reason, at: instant)
        default: break
        }
    }

    private func show(_ report: TurnReport, at instant: Duration) {
        var stages: [String] = []
        func stage(_ name: String, _ time: Duration?) {
            if let time { stages.append("\(name) \(Int(time.fractionalMilliseconds.rounded())) ms") }
        }
        stage("acknowledged", report.acknowledged)
        stage("dispatched", report.dispatched)
        stage("Jarvis answered", report.answered)
        stage("first audio", report.firstDelta)
        stage("first sample out", report.firstSample)
        if report.interrupted { stages.append("interrupted") }
        line("turn \(report.number)", "after the end of speech: " + stages.joined(separator: ", "), at: instant)
    }

    private func show(_ timing: CallTiming) {
        guard let dispatch = timing.dispatch, let delivery = timing.delivery else { return }
        func micros(_ time: Duration) -> Int { Int((time.fractionalMilliseconds * 1000).rounded()) }
        line(
            "daemon", "call to request \(micros(dispatch)) us, reply to output \(micros(delivery)) us",
            at: Monotonic.now()
        )
    }

    private func line(_ who: String, _ what: String, at instant: Duration) {
        let since = instant - state.withLock { $0.began }
        let hundredths = Int((since.fractionalMilliseconds / 10).rounded())
        let seconds = String(hundredths / 100)
        let fraction = String(hundredths % 100)
        let time =
            String(repeating: " ", count: max(0, 4 - seconds.count)) + seconds + "."
            + (fraction.count < 2 ? "0" : "") + fraction
        print("\(time) s  \(who)" + String(repeating: " ", count: max(1, 8 - who.count)) + what)
        // Makes every line visible immediately, also through a pipe.
        fflush(nil)
    }

    private func entered(_ next: ConversationState) {
        let reached = state.withLock { state -> Promise<Void>? in
            guard let waiter = state.waiter else {
                state.entered.append(next)
                return nil
            }
            guard waiter.state == next else { return nil }
            state.waiter = nil
            return waiter.reached
        }
        reached?.give(())
    }
}

/// The demonstration did not reach a state in time.
struct DemoStuck: Error, CustomStringConvertible {
    let wanted: ConversationState

    var description: String {
        "the demonstration is stuck: the conversation did not reach \(wanted); --verbose shows the daemon's log"
    }
}
