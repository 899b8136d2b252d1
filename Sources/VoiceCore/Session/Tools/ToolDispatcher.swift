package import Logging
private import Synchronization
package import VoiceAgent
internal import VoiceBase
package import VoiceConversation

/// Finds the tool of a call and ensures that every call gets exactly one output.
///
/// A call has one deadline: the dispatcher's, or that of the agent's client for a tool of the agent, which runs within the task
/// that calls `run`. A tool that misses the dispatcher's deadline is cancelled and its late output dropped. Long before that,
/// the caller is notified once that the call is taking long.
package struct ToolDispatcher: Sendable {
    /// For tools that return immediately or make one short request to the agent.
    package static let standardDeadline = Duration.seconds(60)

    private let registry: ToolRegistry
    private let deadline: Duration
    private let noticeAfter: Duration?
    private let sleep: @Sendable (Duration) async -> Void
    private let logger: Logger
    private let lines = LinesOfTurn()

    /// - Parameter noticeAfter: how long a call may run before `onDelay` is called; nil for never.
    package init(
        _ registry: ToolRegistry,
        deadline: Duration = ToolDispatcher.standardDeadline,
        noticeAfter: Duration? = nil,
        sleep: @escaping @Sendable (Duration) async -> Void = { try? await Sleep.for($0) },
        logger: Logger
    ) {
        self.registry = registry
        self.deadline = deadline
        self.noticeAfter = noticeAfter
        self.sleep = sleep
        self.logger = logger
    }

    /// Whether calls of this tool wait for earlier ones.
    package func keepsOrder(_ name: String) -> Bool {
        if case .ordered? = registry[name]?.body { true } else { false }
    }

    /// Runs a call. Cancelling the task cancels the tool, and the output then says so.
    ///
    /// - Parameters:
    ///   - authority: the user's authority behind the call; if it is less than the tool needs, the tool is not called.
    ///   - turn: the number of the user's turn. One line about unknown tools is logged in each turn; nil logs every call.
    ///   - listener: receives a reply of the agent while it is being written.
    ///   - onDelay: called at most once, when the call has run for `noticeAfter`, with what the tool is doing.
    nonisolated(nonsending) package func run(
        name: String,
        arguments: String,
        authority: CallAuthority,
        turn: Int? = nil,
        listener: AgentListener = AgentListener(),
        onDelay: @escaping @Sendable (_ activity: String?) -> Void = { _ in }
    ) async -> ToolResult {
        guard let tool = registry[name] else {
            let known = String(name.prefix(64))
            if lines.isFirst(in: turn) {
                logger.warning("the model called a tool that does not exist", metadata: ["tool": "\(known)"])
            }
            return ToolResult(.refusal(.noTool(named: known)))
        }
        guard authority.allows(tool) else {
            logger.warning("tool call rejected: no user request", metadata: ["tool": "\(name)"])
            // If a turn of the user is behind the call, the reply explains why the tool was not called.
            return ToolResult(.refusal(.unasked), wantsReply: authority.reach > .none)
        }
        let notice = noticeAfter.map { pause in
            Task {
                await sleep(pause)
                if !Task.isCancelled { onDelay(tool.activity()) }
            }
        }
        defer { notice?.cancel() }
        if tool.isOfAgent {
            return await tool.call(arguments: arguments, prompt: authority.prompt, listener: listener)
        }
        let work = Task { await tool.call(arguments: arguments) }
        let output = await TimeLimit.run(deadline, sleep: sleep) {
            await withTaskCancellationHandler {
                await work.value
            } onCancel: {
                work.cancel()
            }
        }
        if let output { return output }
        if Task.isCancelled {
            // The next call in order must not begin while this one runs.
            if keepsOrder(name) { _ = await work.value }
            return ToolResult(.refusal(.because("The request was cancelled.")))
        }
        logger.error("a tool did not return in time", metadata: ["tool": "\(name)", "limit": .public(deadline)])
        return ToolResult(.refusal(.because("That took too long, so I stopped waiting for it.")))
    }
}

/// Limits a line of the log to one in each turn of the user.
private final class LinesOfTurn: Sendable {
    private let latest = Mutex<Int?>(nil)

    func isFirst(in turn: Int?) -> Bool {
        guard let turn else { return true }
        return latest.withLock { latest in
            defer { latest = turn }
            return latest != turn
        }
    }
}
