/// The rules of `/v1/responses` without any I/O: runs, threads, prompts.
///
/// Reproduces what `term-llm serve` does with streaming runs, the traps included: a run outlives its connection, an
/// answer is continued by its durable id, one run at a time in a session, nothing of a run survives a restart.
package struct AgentRuns: Sendable {
    enum Decision {
        case answer(AgentModel.Answer)
        /// Follow this run from behind that frame.
        case follow(run: String, after: Int, isNew: Bool)
    }

    private(set) var runs: [String: AgentRunLog] = [:]
    private var keys: [String: String] = [:]
    private var latest: [String: String] = [:]
    private var owners: [String: String] = [:]
    private var asked = 0
    private let token: String
    private let basePath: String
    /// What the runs of each session answered to prompts, as received.
    package private(set) var replies: [SimulatedJSON] = []
    /// Frames older than these are no longer kept.
    var keptFrames = 2048

    init(token: String, basePath: String) {
        self.token = token
        self.basePath = basePath
    }

    /// Nil for what is none of its routes.
    mutating func decide(_ request: AgentRequest, script: (AgentRequest) -> [AgentStep]) -> Decision? {
        let target = RequestTarget(request.target)
        guard target.path.hasPrefix(basePath + "/v1/") else { return nil }
        let parts = target.path.dropFirst(basePath.count).split(separator: "/").map(String.init)
        guard parts.count > 1, parts[1] == "responses" || parts[1] == "sessions" else { return nil }
        guard request.header("Authorization") == "Bearer \(token)" else {
            return .answer(.error(401, "invalid_api_key", "invalid authentication credentials"))
        }
        switch (request.method, parts.count, parts[1]) {
        case ("POST", 2, "responses"): return begin(request, script)
        case ("GET", 3, "responses"):
            return .answer(runs[parts[2]].map { .json(200, $0.snapshot) } ?? Self.unknownRun)
        case ("GET", 4, "responses") where parts[3] == "events":
            guard let run = runs[parts[2]] else { return .answer(Self.unknownRun) }
            let after = Int(target.query["after"] ?? "0") ?? 0
            guard after >= run.frames.count - keptFrames else {
                return .answer(.json(409, ["snapshot_required": true]))
            }
            return .follow(run: run.id, after: after, isNew: false)
        case ("POST", 4, "responses") where parts[3] == "cancel": return cancel(parts[2])
        case ("GET", 4, "sessions") where parts[3] == "state": return .answer(state(parts[2]))
        case ("POST", 4, "sessions"): return .answer(reply(request, session: parts[2], route: parts[3]))
        default: return nil
        }
    }

    private mutating func begin(_ request: AgentRequest, _ script: (AgentRequest) -> [AgentStep]) -> Decision {
        let previous = request.json?["previous_response_id"]?.string
        let session = previous.flatMap { owners[$0] } ?? request.header("session_id") ?? "made-\(asked)"
        if let key = request.header("Idempotency-Key"), let id = keys[session + "/" + key] {
            return .follow(run: id, after: 0, isNew: false)
        }
        if let previous {
            guard owners[previous] != nil else {
                let message = "previous_response_id \"\(previous)\" not found"
                return .answer(.error(400, "invalid_request_error", message))
            }
            guard latest[session] == previous else {
                let message = "previous_response_id \"\(previous)\" is stale; latest is \"\(latest[session] ?? "")\""
                return .answer(.error(409, "conflict_error", message))
            }
        }
        asked += 1
        let id = "resp_run\(asked)"
        var run = AgentRunLog(id: id, session: session, steps: [])
        if runs.values.contains(where: { $0.session == session && $0.status == .running }) {
            run.end(.failed, error: ["type": "conflict_error", "message": "session is busy"])
        } else {
            run.steps = script(request)
            if let key = request.header("Idempotency-Key") { keys[session + "/" + key] = id }
        }
        runs[id] = run
        return .follow(run: id, after: 0, isNew: true)
    }

    private mutating func cancel(_ id: String) -> Decision {
        guard runs[id] != nil else { return .answer(Self.unknownRun) }
        guard runs[id]?.status == .running else {
            return .answer(.error(409, "conflict_error", "run is not active"))
        }
        runs[id]?.end(.cancelled)
        return .answer(.json(200, ["object": "response.cancel", "status": "cancelling"]))
    }

    private func state(_ session: String) -> AgentModel.Answer {
        let active = runs.values.first { $0.session == session && $0.status == .running }
        var body: [String: SimulatedJSON] = ["active_run": .bool(active != nil)]
        if let active { body["active_response_id"] = .string(active.id) }
        if let last = latest[session] { body["lastResponseId"] = .string(last) }
        if let pending = active?.pending {
            body[pending["approval_id"] == nil ? "pending_ask_user" : "pending_approval"] = pending
        }
        return .json(200, .object(body))
    }

    private mutating func reply(_ request: AgentRequest, session: String, route: String) -> AgentModel.Answer {
        guard let json = request.json,
            let run = runs.values.first(where: { $0.session == session && $0.pending != nil }),
            let pending = run.pending,
            route == "approval" ? pending["approval_id"] == json["approval_id"] : pending["call_id"] == json["call_id"]
        else { return .error(409, "conflict_error", "nothing is pending") }
        replies.append(json)
        runs[run.id]?.pending = nil
        return .json(200, ["status": "ok"])
    }

    // MARK: For the driver

    mutating func step(_ id: String) -> AgentStep? {
        guard runs[id]?.status == .running, runs[id]?.pending == nil else { return nil }
        guard let step = runs[id]?.steps.first else {
            asked += 1
            let session = runs[id]?.session ?? ""
            let durable = "resp_msg_\(asked)"
            runs[id]?.end(.completed, continuation: durable)
            latest[session] = durable
            owners[durable] = session
            return nil
        }
        runs[id]?.steps.removeFirst()
        switch step {
        case .say(let text): runs[id]?.add("response.output_text.delta", ["delta": .string(text)])
        case .useTool(let name):
            runs[id]?.add("response.tool_exec.start", ["tool_name": .string(name)])
            runs[id]?.add("response.tool_exec.end", ["tool_name": .string(name), "success": true])
            runs[id]?.add("response.output_text.new_segment", [:])
        case .discard:
            runs[id]?.add("response.attempt.discard", [:])
            runs[id]?.add("response.retry", ["attempt": 1, "max_attempts": 0])
        case .ask(let prompt):
            runs[id]?.pending = prompt
            runs[id]?.add("response.ask_user.prompt", prompt.object ?? [:])
        case .approve(let prompt):
            runs[id]?.pending = prompt
            runs[id]?.add("response.approval.prompt", prompt.object ?? [:])
        case .fail(let type, let message):
            runs[id]?.end(.failed, error: ["type": .string(type), "message": .string(message)])
        case .wait, .hold, .cut: break
        }
        return step
    }

    /// Forgets every run, as a restart does; threads are kept.
    mutating func restart() {
        runs = [:]
        keys = [:]
    }

    private static let unknownRun = AgentModel.Answer.error(404, "invalid_request_error", "unknown response run")
}
