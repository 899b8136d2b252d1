package import Logging
internal import VoiceBase
package import VoiceConversation

/// Finds the tool of a call and ensures that every call gets exactly one output.
///
/// A call runs entirely within the task that calls `run`. It has one deadline: the dispatcher's, or that of the agent's
/// client for tools with `keepsDeadline`. A tool that misses the dispatcher's deadline is cancelled and its late output
/// dropped. Long before that, the caller is notified once that the call is taking long.
package struct ToolDispatcher: Sendable {
    /// For tools that return at once or make one short request to the agent.
    package static let standardDeadline = Duration.seconds(60)

    private let registry: ToolRegistry
    private let deadline: Duration
    private let noticeAfter: Duration?
    private let sleep: @Sendable (Duration) async -> Void
    private let logger: Logger

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
    package func keepsOrder(_ name: String) -> Bool { registry[name] is any OrderedTool }

    /// Runs a call. Cancelling the task cancels the tool, and the output then says so.
    ///
    /// - Parameters:
    ///   - authority: the user's authority behind the call; if it is less than the tool needs, the tool is not called.
    ///   - onDelay: called at most once, when the call has run for `noticeAfter`, with what the tool is doing.
    package func run(
        name: String,
        arguments: String,
        authority: CallAuthority,
        onDelay: @escaping @Sendable (_ activity: String?) -> Void = { _ in }
    ) async -> ToolResult {
        guard let tool = registry[name] else {
            let known = String(name.prefix(64))
            logger.warning("the model called a tool that does not exist", metadata: ["tool": "\(known)"])
            return ToolResult(.refusal(.noTool(named: known)))
        }
        guard authority.allows(tool) else {
            logger.warning("the model called a tool that nobody asked for", metadata: ["tool": "\(name)"])
            // If the user has spoken at all, the reply explains why it was not done.
            return ToolResult(.refusal(.unasked), wantsReply: authority.reach > .none)
        }
        return await withTaskGroup(of: Step.self) { group in
            group.addTask { .returned(await Self.call(tool, arguments, authority)) }
            if !tool.keepsDeadline { group.addTask { await wait(deadline, then: .deadline) } }
            if let noticeAfter { group.addTask { await wait(noticeAfter, then: .delayed) } }
            defer { group.cancelAll() }
            for await step in group {
                switch step {
                case .returned(let output): return output
                // A cancelled sleep ends early.
                case _ where Task.isCancelled: continue
                case .delayed: onDelay(tool.activity)
                case .deadline:
                    logger.error(
                        "a tool did not return in time",
                        metadata: ["tool": "\(name)", "limit": .public(deadline)]
                    )
                    return ToolResult(.refusal(.because("That took too long, so I stopped waiting for it.")))
                }
            }
            // Not reached: a tool always returns.
            return ToolResult(.refusal(.because("The request was cancelled.")))
        }
    }

    private enum Step: Sendable {
        case returned(ToolResult)
        case delayed
        case deadline
    }

    private static func call(_ tool: any Tool, _ arguments: String, _ authority: CallAuthority) async -> ToolResult {
        guard let tool = tool as? any AnswerTool else { return await tool.call(arguments: arguments) }
        return await tool.call(arguments: arguments, prompt: authority.prompt)
    }

    private func wait(_ time: Duration, then step: Step) async -> Step {
        await sleep(time)
        return step
    }
}
