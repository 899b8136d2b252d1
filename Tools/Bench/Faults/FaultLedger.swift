internal import Synchronization
import VoiceBase
import VoiceConversation
import VoiceSimulator

/// Follows daemon, services and faults, and checks the invariants.
final class FaultLedger: Sendable {
    struct Figures: Sendable {
        var counts: [FaultKind: Int] = [:]
        /// Time from each fault until the daemon listened again, in ms.
        var recoveries: [FaultKind: [Double]] = [:]
        var sessions = 0
        var calls = 0
        var tally = ScriptedUser.Tally()
        var lostAnswers = 0
        var transitions: [String: Int] = [:]
    }

    private struct OpenFault {
        var kind: FaultKind
        var at: Duration
        /// The connection on which it occurred, if any.
        var connection: Int?
        /// When the next session was available, for faults that end a session.
        var past: Duration?
    }

    private struct State {
        var state = ConversationState.idle
        var since = Monotonic.now()
        var connected: Set<Int> = []
        var latest = 0
        var calls = CallLedger()
        /// For services other than Realtime.
        var requests = RequestLedger()
        /// When a question last had a reason to go unanswered.
        var disturbed = Monotonic.now()
        var open: [OpenFault] = []
        var figures = Figures()
        var violation: String?
        var trace: [String] = []
        var isOver = false
    }

    /// Longest time from a fault to the next `listening`, and in one state. An agent that is slow several times in a
    /// row takes longer.
    private let recoveryLimit: Duration
    private let stateLimit: Duration
    private static let callLimit = Duration.seconds(30)
    private static let stillness = Duration.milliseconds(300)
    private static let longestStory = 1000
    /// Messages that carry the microphone.
    private static let sound: Set = [
        "input_audio_buffer.append", "session.input_audio.append", "audio", "audio_input",
    ]
    /// How long the user waits for an answer of a service that runs in real time.
    static let patience = Duration.seconds(8)

    private let began = Monotonic.now()
    private let isVerbose: Bool
    private let state = Mutex(State())

    private let traced: Int

    private let isRealtime: Bool

    /// - Parameter traced: number of trace lines that are kept at least. A call is missed after 30 seconds, in which a lane
    ///   writes some 4000 lines.
    init(service: Configuration.Service.Name, isVerbose: Bool, traced: Int = 6000) {
        isRealtime = service == .openAI
        recoveryLimit = isRealtime ? .seconds(30) : .seconds(40)
        stateLimit = isRealtime ? .seconds(12) : .seconds(20)
        self.isVerbose = isVerbose
        self.traced = traced
    }

    var figures: Figures {
        state.withLock { state in
            state.figures.calls = isRealtime ? state.calls.started : state.requests.started
            state.figures.lostAnswers = isRealtime ? state.calls.lost.count : state.requests.lost.count
            return state.figures
        }
    }

    var lostAnswers: [String] { state.withLock { isRealtime ? $0.calls.lost : $0.requests.lost } }
    /// The latest trace lines.
    var trace: [String] { state.withLock { Array($0.trace.suffix(240)) } }

    /// The trace of the call that a violation names: from before its first mention until well after its last. Empty if it
    /// names none that is known, or if nothing of it was kept.
    func story(of violation: String) -> [String] {
        state.withLock { state in
            let words = violation.split { " ,\"[]".contains($0) }.map(String.init)
            guard let call = words.first(where: { state.calls.knows($0) || state.requests.knows($0) }),
                let first = state.trace.firstIndex(where: { $0.contains(call) }),
                let last = state.trace.lastIndex(where: { $0.contains(call) })
            else { return [] }
            let beginning = max(0, first - 10)
            return Array(state.trace[beginning..<min(state.trace.count, last + 100)].prefix(Self.longestStory))
        }
    }

    /// Whether the user is heard: there is a session, and none is about to end.
    var isReady: Bool {
        state.withLock { state in
            switch state.state {
            case .idle, .connecting, .error: false
            default: !state.open.contains { $0.kind.endsSession }
            }
        }
    }

    /// Whether nothing is in progress any more.
    var isSettled: Bool {
        state.withLock { state in
            state.state == .listening && state.open.isEmpty
                && (isRealtime
                    ? state.calls.waiting == 0 && state.calls.isSettled(state.latest) : state.requests.isSettled)
        }
    }

    // MARK: Events

    func note(_ effect: ConversationEffect) {
        let now = Monotonic.now()
        state.withLock { state in
            if case .openMicrophone = effect {} else { write("daemon: \(effect)", now, &state) }
            if case .play(.error) = effect { state.disturbed = now }
            guard isRealtime else {
                if case .stateChanged(let previous, let next) = effect { change(previous, next, now, &state) }
                state.requests.note(effect, at: now)
                return adopt(&state)
            }
            switch effect {
            case .stateChanged(let previous, let next): change(previous, next, now, &state)
            case .connect, .promote, .disconnect, .closeMicrophone: state.calls.sessionChanged()
            case .cancelCalls: state.calls.withdraw()
            case .startCall(let call, _): state.calls.start(call.callID, arguments: call.arguments, at: now)
            case .note(.callStopped(let callID)), .note(.callIncomplete(let callID)):
                if !callID.isEmpty { state.calls.refuse(callID) }
            case .send(.answer(let callID, _)): state.calls.deliver(callID)
            case .send(.inform(let callID, let report)):
                state.calls.resend(report.arguments, as: callID)
                state.calls.deliver(callID)
            default: break
            }
            adopt(&state)
        }
    }

    func note(_ event: RealtimeSimulator.Event) {
        let now = Monotonic.now()
        state.withLock { state in
            switch event {
            case .connected(let number):
                write("service: connection \(number)", now, &state)
                state.figures.sessions += 1
                state.connected.insert(number)
                state.latest = number
                for index in state.open.indices where state.open[index].past == nil { state.open[index].past = now }
            case .disconnected(let number):
                write("service: connection \(number) ended", now, &state)
                state.connected.remove(number)
                for index in state.open.indices
                where state.open[index].connection == number && !state.connected.isEmpty {
                    state.open[index].past = now
                }
                state.calls.disconnected(number)
            case .client(let number, let event):
                guard !Self.sound.contains(event["type"]?.string ?? "") else { return }
                write("to \(number): \(event["type"]?.string ?? "?") \(Self.subject(event))", now, &state)
                state.requests.client(event, on: number)
                if isRealtime { state.calls.client(event, on: number) }
            case .server(let number, let event):
                let type = event["type"]?.string ?? "?"
                if !type.hasSuffix(".delta"), !type.hasPrefix("audio") {
                    write("of \(number): \(type) \(Self.subject(event))", now, &state)
                }
                if isRealtime { state.calls.service(event, on: number) }
            case .closing: break
            }
            adopt(&state)
        }
    }

    func note(_ fault: FaultKind, on connection: Int? = nil) {
        let now = Monotonic.now()
        state.withLock { state in
            write("FAULT \(fault)", now, &state)
            state.figures.counts[fault, default: 0] += 1
            state.disturbed = now
            if fault == .commandedToBeQuiet {
                state.calls.excuseAnswered()
                state.requests.excuse()
            }
            guard !state.isOver else { return }
            if !fault.endsSession, state.state == .listening {
                state.figures.recoveries[fault, default: []].append(0)
            } else {
                state.open.append(OpenFault(kind: fault, at: now, connection: connection))
            }
        }
    }

    func note(_ tally: ScriptedUser.Tally) {
        let now = Monotonic.now()
        state.withLock { state in
            let isLost = tally.unanswered > state.figures.tally.unanswered
            state.figures.tally = tally
            // From the beginning of the question to the end of the user's patience, and the time that it takes to notice.
            if isLost, !isRealtime, now - state.disturbed > Self.patience + .seconds(4) {
                state.violation = state.violation ?? "a question went unanswered without any trouble around it"
            }
        }
    }

    /// The agent is asked to carry something out.
    func asked(_ query: String) {
        state.withLock { state in
            state.requests.asked(query)
            adopt(&state)
        }
    }

    /// Checks the time limits; returns a violation, if any.
    func check() -> String? {
        let now = Monotonic.now()
        return state.withLock { state in
            // A session that is replaced immediately ends without a state change.
            if state.state == .listening, now - state.since > Self.stillness {
                close(&state, at: now) { $0.past.map { now - $0 > Self.stillness } ?? false }
            }
            if state.violation == nil, !state.isOver {
                if let late = state.open.first(where: { now - $0.at > recoveryLimit }) {
                    state.violation = "not listening \(recoveryLimit) after \(late.kind), in \(state.state)"
                } else if state.state != .listening, state.state != .waitingForJarvis,
                    now - state.since > stateLimit
                {
                    state.violation = "in \(state.state) for \(now - state.since)"
                } else if let call = isRealtime
                    ? state.calls.overdue(Self.callLimit, at: now) : state.requests.overdue(Self.callLimit, at: now)
                {
                    state.violation = "call \(call) has no answer after \(Self.callLimit)"
                }
            }
            return state.violation
        }
    }

    /// Ends the checks: events from now on belong to the shutdown.
    func end() {
        state.withLock { $0.isOver = true }
    }

    // MARK: Parts

    private func change(
        _ previous: ConversationState,
        _ next: ConversationState,
        _ now: Duration,
        _ state: inout State
    ) {
        state.figures.transitions["\(previous.name) > \(next.name)", default: 0] += 1
        if state.violation == nil {
            if previous != state.state { state.violation = "from \(previous), while in \(state.state)" }
            if !StateTable.allows(next, after: previous) { state.violation = "from \(previous) to \(next)" }
        }
        state.state = next
        state.since = now
        switch next {
        case .idle, .connecting, .error: state.disturbed = now
        default: break
        }
        if next == .idle, !state.isOver {
            state.calls.excuse()
            state.requests.excuse()
        }
        guard next == .listening else { return }
        // This state says that no call is out. The next `idle` would excuse a lost one long before its limit.
        if state.violation == nil, let call = state.calls.oldestOpen {
            state.violation = "the daemon waits for no call, but call \(call) has no answer"
        }
        close(&state, at: now) { $0.past != nil || !$0.kind.endsSession }
    }

    private func close(_ state: inout State, at now: Duration, _ isOver: (OpenFault) -> Bool) {
        for fault in state.open where isOver(fault) {
            let milliseconds = Double((now - fault.at) / .microseconds(1)) / 1000
            state.figures.recoveries[fault.kind, default: []].append(milliseconds)
        }
        state.open.removeAll(where: isOver)
    }

    private func adopt(_ state: inout State) {
        if state.violation == nil {
            state.violation = state.calls.violations.first ?? state.requests.violations.first
        }
    }

    private func write(_ text: String, _ now: Duration, _ state: inout State) {
        let line = "\((now - began).milliseconds) ms \(text.prefix(200))"
        if isVerbose { print(line) }
        state.trace.append(line)
        if state.trace.count > 2 * traced { state.trace.removeFirst(traced) }
    }

    /// The ids and codes that identify an event.
    private static func subject(_ event: SimulatedJSON) -> String {
        let names = [
            event["response"]?["id"], event["response"]?["status"], event["response_id"], event["item"]?["call_id"],
            event["item"]?["type"], event["item_id"], event["audio_end_ms"]?.int.map { .string("\($0) ms") },
            event["error"]?["code"],
        ]
        return names.compactMap { $0?.string }.joined(separator: " ")
    }
}
