internal import Synchronization
internal import VoiceBase
package import VoiceConversation

/// Connects the sessions of Home Assistant's pipeline to jarvis-bridge, which carries them there and follows on the control socket.
///
///     AssistLink (network thread) --AssistLine--> Follower --> control socket --> jarvis-bridge --> Home Assistant
///     AssistLink <--AssistNews-- tell <-- control socket <-- jarvis-bridge <-- Home Assistant
///
/// There is one follower: a second one takes the place of the first. Waiting lines are bounded, and none may be left
/// out: a follower that does not read them loses its place, and the sessions are notified.
package final class AssistExchange: Sendable {
    /// A request of a session to Home Assistant.
    package enum Line: Equatable, Sendable {
        /// - word: the wake word that opened the conversation; empty for none.
        case start(run: Int, word: String)
        /// 16 kHz, mono, 16 bits, little endian.
        case sound(run: Int, [UInt8])
        case soundEnds(run: Int)
        case stop(run: Int)
        case played(run: Int)
    }

    package struct Follower: Sendable {
        package let lines: AsyncStream<Line>
        fileprivate let number: Int
        fileprivate let end: @Sendable () -> Void

        /// The follower leaves.
        package func cancel() { end() }
    }

    /// Receives the reports to a session, on any thread.
    struct Listener: Sendable {
        var news: @Sendable (_ run: Int, AssistNews) -> Void
        var question: @Sendable () -> Void
    }

    /// Lines that may wait: ten seconds of sound.
    static let mostLines = 256
    /// Numbers of runs that each session has.
    private static let runs = 1 << 20

    private struct State {
        var followers = 0
        var follower: (number: Int, lines: AsyncStream<Line>.Continuation)?
        var sessions = 0
        var listeners: [Int: Listener] = [:]
        var word: (text: String, at: Duration)?
        var isAsked = false
    }

    private let state = Mutex(State())

    package init() {}

    // MARK: The follower

    package func follow() -> Follower {
        let (lines, continuation) = AsyncStream<Line>.makeStream(bufferingPolicy: .bufferingOldest(Self.mostLines))
        let (number, before) = state.withLock { state in
            state.followers += 1
            defer { state.follower = (state.followers, continuation) }
            return (state.followers, state.follower?.lines)
        }
        if let before {
            before.finish()
            tellAll()
        }
        return Follower(lines: lines, number: number) { [weak self] in self?.lose(number) }
    }

    package var isFollowed: Bool { state.withLock { $0.follower != nil } }

    private func lose(_ number: Int) {
        let lines = state.withLock { state -> AsyncStream<Line>.Continuation? in
            guard let follower = state.follower, follower.number == number else { return nil }
            state.follower = nil
            return follower.lines
        }
        guard let lines else { return }
        lines.finish()
        tellAll()
    }

    /// The connection to Home Assistant is gone, and every run with it.
    private func tellAll() {
        for (session, listener) in state.withLock({ $0.listeners }) { listener.news(session * Self.runs, .lost) }
    }

    /// Passes Home Assistant's news of a run to its session.
    ///
    /// - Returns: false if no session has the run.
    package func tell(run: Int, _ news: AssistNews) -> Bool {
        guard let listener = state.withLock({ $0.listeners[run / Self.runs] }) else { return false }
        listener.news(run, news)
        return true
    }

    // MARK: Sessions

    /// - Returns: the number of the session, and the number from which its runs are counted.
    func open(_ listener: (Int) -> Listener) -> (session: Int, firstRun: Int) {
        let session = state.withLock { state in
            state.sessions += 1
            return state.sessions
        }
        let made = listener(session)
        state.withLock { $0.listeners[session] = made }
        return (session, session * Self.runs)
    }

    func close(_ session: Int) { state.withLock { _ = $0.listeners.removeValue(forKey: session) } }

    /// - Returns: false if there is no follower, or if it does not read.
    @discardableResult
    func send(_ line: Line) -> Bool {
        guard let follower = state.withLock({ $0.follower }) else { return false }
        if case .enqueued = follower.lines.yield(line) { return true }
        lose(follower.number)
        return false
    }

    // MARK: How a conversation begins

    /// This wake word was heard.
    package func called(_ word: String, at now: Duration = Monotonic.now()) { state.withLock { $0.word = (word, now) } }

    /// The latest wake word since `time`.
    func word(since time: Duration) -> String? {
        state.withLock { state in state.word.flatMap { $0.at >= time ? $0.text : nil } }
    }

    /// Home Assistant has asked a question: the session that has the microphone begins a run without waiting for a voice.
    package func ask() {
        let listeners = state.withLock { state in
            state.isAsked = true
            return Array(state.listeners.values)
        }
        for listener in listeners { listener.question() }
    }

    /// Takes the question back.
    ///
    /// - Returns: whether the question was still waiting.
    package func takeQuestion() -> Bool {
        state.withLock { state in
            defer { state.isAsked = false }
            return state.isAsked
        }
    }

    package var isAsked: Bool { state.withLock { $0.isAsked } }
}
