/// The rules of `/v1/responses` without I/O: runs, threads, prompts.
///
/// Reproduces streaming runs of `term-llm serve`, including their pitfalls. A run outlives its connection. An answer is
/// continued by its durable id, which a failed or cancelled turn advances as well. A session has one run at a time, and
/// a question sent during a run gets no reply until the run ends. After a restart only the messages of a run remain.
package struct AgentRuns: Sendable {
    enum Decision {
        case answer(AgentModel.Answer)
        /// Stream the frames of this run that follow frame number `after`.
        case follow(run: String, after: Int, isNew: Bool)
        /// Do not reply until the session is free, then decide again.
        case block
    }

    private(set) var runs: [String: AgentRunLog] = [:]
    private var threads: [String: AgentThread] = [:]
    private var keys: [String: String] = [:]
    private var owners: [String: String] = [:]
    private var rows = 0
    private var begun = 0
    private let token: String
    private let basePath: String
    /// Bodies of the accepted replies to prompts, as received.
    package private(set) var replies: [SimulatedJSON] = []
    /// Number of tool executions with an effect.
    package private(set) var effects = 0
    /// Number of latest frames that are kept; older ones are dropped.
    var keptFrames = 2048
    /// Whether tool events are left out (`--suppress-server-tool-calls`).
    var hidesTools = false

    init(token: String, basePath: String) {
        self.token = token
        self.basePath = basePath
    }

    /// Decides on a request; nil if it is not for one of these routes.
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
        case ("GET", 4, "sessions") where parts[3] == "messages":
            return .answer(.json(200, (threads[parts[2]] ?? AgentThread()).json))
        case ("POST", 4, "sessions"): return .answer(reply(request, session: parts[2], route: parts[3]))
        default: return nil
        }
    }

    private mutating func begin(_ request: AgentRequest, _ script: (AgentRequest) -> [AgentStep]) -> Decision {
        let previous = request.json?["previous_response_id"]?.string
        let session = previous.flatMap { owners[$0] } ?? request.header("session_id") ?? "made-\(begun)"
        let key = request.header("Idempotency-Key").map { session + "/" + $0 }
        if let key, let id = keys[key] { return .follow(run: id, after: 0, isNew: false) }
        if active(session) != nil { return .block }
        if let previous {
            guard owners[previous] != nil else {
                let message = "previous_response_id \"\(previous)\" not found"
                return .answer(.error(400, "invalid_request_error", message))
            }
            let latest = threads[session]?.latest
            guard latest == previous else {
                let message = "previous_response_id \"\(previous)\" is stale; latest is \"\(latest ?? "")\""
                return .answer(.error(409, "conflict_error", message))
            }
        }
        begun += 1
        let id = "resp_run\(begun)"
        runs[id] = AgentRunLog(id: id, session: session, steps: script(request), hidesTools: hidesTools)
        if let key { keys[key] = id }
        if previous == nil { threads[session] = AgentThread() }
        note(session) { $0.ask(request.json?["input"]?.string ?? "", row: $1) }
        return .follow(run: id, after: 0, isNew: true)
    }

    private mutating func cancel(_ id: String) -> Decision {
        guard let run = runs[id] else { return .answer(Self.unknownRun) }
        guard run.status == .running else {
            return .answer(.error(409, "conflict_error", "response is not running"))
        }
        if !run.isInTool { note(run.session) { $0.say(run.text, row: $1) } }
        runs[id]?.end(.cancelled, continuation: threads[run.session]?.latest)
        return .answer(.json(200, ["id": .string(id), "object": "response.cancel", "status": "cancelling"]))
    }

    private func active(_ session: String) -> AgentRunLog? {
        runs.values.first { $0.session == session && $0.status == .running }
    }

    private func state(_ session: String) -> AgentModel.Answer {
        let active = active(session)
        var body: [String: SimulatedJSON] = ["active_run": .bool(active != nil)]
        if let active { body["active_response_id"] = .string(active.id) }
        if let latest = threads[session]?.latest { body["lastResponseId"] = .string(latest) }
        if let pending = active?.pending {
            let name = pending["approval_id"] == nil ? "pending_ask_user" : "pending_approval"
            body[name] = pending
            body[name + "s"] = [pending]
        }
        return .json(200, .object(body))
    }

    private mutating func reply(_ request: AgentRequest, session: String, route: String) -> AgentModel.Answer {
        guard let json = request.json, let run = active(session), let pending = run.pending,
            route == "approval" ? pending["approval_id"] == json["approval_id"] : pending["call_id"] == json["call_id"]
        else { return .error(409, "conflict_error", "nothing is pending") }
        replies.append(json)
        if route == "approval", json["cancelled"] != true { effects += 1 }
        runs[run.id]?.pending = nil
        return .json(200, ["status": "ok"])
    }

    /// Stores something in a thread. The thread's latest id belongs to the session from then on.
    private mutating func note(_ session: String, _ change: (inout AgentThread, Int) -> Void) {
        rows += 1
        change(&threads[session, default: AgentThread()], rows)
        if let latest = threads[session]?.latest { owners[latest] = session }
    }

    // MARK: For the driver

    mutating func step(_ id: String) -> AgentStep? {
        guard let run = runs[id], run.status == .running, run.pending == nil else { return nil }
        guard let step = run.steps.first else {
            note(run.session) { $0.say(run.text, row: $1) }
            runs[id]?.end(.completed, continuation: threads[run.session]?.latest)
            return nil
        }
        runs[id]?.steps.removeFirst()
        switch step {
        case .say(let text): runs[id]?.add("response.output_text.delta", ["delta": .string(text)])
        case .discard:
            runs[id]?.add("response.attempt.discard", [:])
            runs[id]?.add(
                "response.retry",
                ["attempt": 1, "max_attempts": 5, "wait_seconds": 0, "message": "Model stream interrupted"]
            )
        case .call(let tool):
            let item: SimulatedJSON = [
                "type": "function_call", "name": .string(tool), "call_id": "call_1", "id": "fc_call_1",
                "arguments": "{}",
            ]
            runs[id]?.add("response.output_item.added", ["item": item])
            runs[id]?.add("response.function_call_arguments.delta", ["delta": "{}"])
            runs[id]?.add("response.output_item.done", ["item": item])
            note(run.session) { $0.say(run.text, tool: tool, row: $1) }
            runs[id]?.isInTool = true
        case .execute(let tool):
            runs[id]?.add(
                "response.tool_exec.start",
                ["tool_name": .string(tool), "tool_info": "", "tool_arguments": "{}", "call_id": "call_1"]
            )
            // A tool that asks for permission first has no effect yet.
            if case .prompt? = runs[id]?.steps.first {} else if tool != "ask_user" { effects += 1 }
        case .prompt(let prompt):
            runs[id]?.pending = prompt
            let name = prompt["approval_id"] == nil ? "response.ask_user.prompt" : "response.approval.prompt"
            runs[id]?.add(name, prompt.object ?? [:])
        case .finish(let tool):
            runs[id]?.add(
                "response.tool_exec.end",
                ["tool_name": .string(tool), "tool_info": "", "success": true, "call_id": "call_1"]
            )
            note(run.session) { $0.noteResult(of: tool, row: $1) }
            runs[id]?.isInTool = false
            runs[id]?.add("response.output_text.new_segment", [:])
        case .fail(let type, let message):
            note(run.session) { $0.noteFailure(message, row: $1) }
            runs[id]?.end(
                .failed, continuation: threads[run.session]?.latest,
                error: ["type": .string(type), "message": .string(message)]
            )
        case .wait, .hold, .cut, .useTool, .ask, .approve: break
        }
        return step
    }

    /// Forgets every run, as a restart does; messages remain.
    mutating func restart() {
        runs = [:]
        keys = [:]
    }

    private static let unknownRun = AgentModel.Answer.error(404, "invalid_request_error", "response not found")
}
