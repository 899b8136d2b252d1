internal import Synchronization

/// A stand-in for the agent on `/v1/responses`: scripted runs that outlive their connections, on 127.0.0.1.
///
///     request -> RunningAgentHandler -> AgentRuns (pure) -> frames to every connection that follows the run
package final class RunningAgent: Sendable {
    private struct State {
        var runs: AgentRuns
        var requests: [AgentRequest] = []
        /// Number of frames of each run that were written to some connection.
        var written: [String: Int] = [:]
        var isHeld = true
        /// Whether a run has reached a `hold` step.
        var isHolding = false
    }

    private let script: @Sendable (AgentRequest) -> [AgentStep]
    private let state: Mutex<State>
    private let listener = LoopbackListener()
    private let basePath: String

    /// - Parameter script: the steps of a question's run, which completes after the last one.
    package init(
        token: String,
        basePath: String = "/ui",
        script: @escaping @Sendable (AgentRequest) -> [AgentStep]
    ) {
        self.basePath = basePath
        self.script = script
        state = Mutex(State(runs: AgentRuns(token: token, basePath: basePath)))
    }

    /// Starts to listen and returns the port.
    package func start() async throws -> Int {
        try await listener.start { RunningAgentHandler(agent: self) }
    }

    /// Closes the listener and every connection.
    package func stop() async { await listener.stop() }

    /// Simulates a crash and an immediate restart: connections break, runs are forgotten, threads remain.
    package func restart() async {
        state.withLock { $0.runs.restart() }
        await listener.cut()
    }

    /// Keeps only the latest frames of a run, as the agent does with long ones.
    package func keepFrames(_ count: Int) { state.withLock { $0.runs.keptFrames = count } }

    /// Sends no tool events, as with `--suppress-server-tool-calls`.
    package func hideTools() { state.withLock { $0.runs.hidesTools = true } }

    /// Lets runs pass their `hold` steps, now and later.
    package func proceed() { state.withLock { $0.isHeld = false } }

    /// Whether a run holds and everything it said was written to a connection.
    package var isHolding: Bool {
        state.withLock { state in
            state.isHolding && state.runs.runs.values.allSatisfy { state.written[$0.id] == $0.frames.count }
        }
    }

    /// Whether a run has said this text and everything it said was written to a connection.
    package func hasSent(_ text: String) -> Bool {
        state.withLock { state in
            state.runs.runs.values.contains { run in
                state.written[run.id] == run.frames.count && run.frames.contains { $0.contains(text) }
            }
        }
    }

    package var requests: [AgentRequest] { state.withLock { $0.requests } }

    /// Method and path of every request, such as "POST /v1/responses", in order, without base path and query.
    package var routes: [String] {
        requests.map { "\($0.method) \(RequestTarget($0.target).path.dropFirst(basePath.count))" }
    }

    /// The accepted replies to prompts.
    package var replies: [SimulatedJSON] { state.withLock { $0.runs.replies } }

    /// Number of tool executions with an effect.
    package var effects: Int { state.withLock { $0.runs.effects } }
}

// MARK: - For the handler

extension RunningAgent {
    func decide(_ request: AgentRequest) -> AgentRuns.Decision? {
        if RequestTarget(request.target).path == basePath + "/healthz" {
            return .answer(.json(200, ["status": "ok", "version": "v0.0.403", "agent": "stand-in"]))
        }
        return state.withLock { state in
            state.requests.append(request)
            return state.runs.decide(request, script: script)
        }
    }

    /// Decides again on a request that was kept waiting.
    func decideAgain(_ request: AgentRequest) -> AgentRuns.Decision? {
        state.withLock { $0.runs.decide(request, script: script) }
    }

    /// Returns the frames after number `after` and whether the run has ended.
    func frames(_ run: String, after: Int) -> (frames: [String], hasEnded: Bool)? {
        state.withLock { state in
            guard let log = state.runs.runs[run] else { return nil }
            return (Array(log.frames.dropFirst(after)), log.status != .running)
        }
    }

    func wrote(_ run: String, frames count: Int) {
        state.withLock { $0.written[run] = max($0.written[run] ?? 0, count) }
    }

    /// Drives a run through its steps, on its own task.
    func drive(_ run: String) {
        Task {
            while true {
                let isGone = state.withLock { $0.runs.runs[run] == nil }
                if isGone { return }
                let (step, isRunning) = state.withLock { state in
                    (state.runs.step(run), state.runs.runs[run]?.status == .running)
                }
                switch step {
                case .wait(let milliseconds): try? await Task.sleep(for: .milliseconds(milliseconds))
                case .hold:
                    state.withLock { $0.isHolding = $0.isHeld }
                    await pause { $0.isHeld && $0.runs.runs[run]?.status == .running }
                case .cut:
                    await pause { $0.written[run] ?? 0 < $0.runs.runs[run]?.frames.count ?? 0 }
                    await listener.cut()
                case nil where !isRunning: return
                // Waiting for the user.
                case nil: try? await Task.sleep(for: .milliseconds(5))
                default: break
                }
            }
        }
    }

    private func pause(while isWaiting: (State) -> Bool) async {
        while state.withLock({ isWaiting($0) }) { try? await Task.sleep(for: .milliseconds(2)) }
    }
}
