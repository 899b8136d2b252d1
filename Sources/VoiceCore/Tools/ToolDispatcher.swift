package import Logging
package import VoiceConversation

/// Finds the tool of a call and sees to it that every call gets exactly one output.
///
/// The deadline is the last resort against a tool that never returns; tools have shorter ones of their own. A tool that
/// misses it is cancelled and its late output dropped. Long before that, once, it is told that the call takes its time.
package struct ToolDispatcher: Sendable {
    private let registry: ToolRegistry
    private let deadline: Duration
    private let noticeAfter: Duration?
    private let sleep: @Sendable (Duration) async -> Void
    private let logger: Logger

    /// - Parameter noticeAfter: how long a call may be out before the user is told; nil for never.
    package init(
        _ registry: ToolRegistry,
        deadline: Duration,
        noticeAfter: Duration? = nil,
        sleep: @escaping @Sendable (Duration) async -> Void = { try? await Task.sleep(for: $0) },
        logger: Logger
    ) {
        self.registry = registry
        self.deadline = deadline
        self.noticeAfter = noticeAfter
        self.sleep = sleep
        self.logger = logger
    }

    /// Whether calls of this tool wait for those before them.
    package func keepsOrder(_ name: String) -> Bool { registry[name] is any OrderedTool }

    /// Cancelling the task cancels the tool; the output then says so.
    ///
    /// - Parameters:
    ///   - authority: whose word stands behind the call; where it is less than the tool needs, the tool is not called.
    ///   - onDelay: called at most once, when the call has been out for `noticeAfter`, with what it is doing.
    package func run(
        name: String,
        arguments: String,
        authority: CallAuthority,
        onDelay: @escaping @Sendable (_ activity: String?) -> Void = { _ in }
    ) async -> ToolOutput {
        guard let tool = registry[name] else {
            let known = String(name.prefix(64))
            logger.warning("the model called a tool that does not exist", metadata: ["tool": "\(known)"])
            return ToolOutput("There is no tool named \(known).", succeeded: false, origin: .own)
        }
        guard authority.allows(tool) else {
            logger.warning("the model called a tool that nobody asked for", metadata: ["tool": "\(name)"])
            return .unasked(by: authority)
        }
        let output = FirstOutput()
        let work = Task<Void, Never> {
            if let tool = tool as? any AnswerTool {
                output.offer(await tool.call(arguments: arguments, prompt: authority.prompt))
            } else {
                output.offer(await tool.call(arguments: arguments))
            }
        }
        let timer = Task {
            await sleep(deadline)
            if Task.isCancelled {
                output.offer(ToolOutput("The request was cancelled.", succeeded: false, origin: .own))
            } else if output.offer(.tooSlow) {
                logger.error("a tool did not return in time", metadata: ["tool": "\(name)", "limit": "\(deadline)"])
            }
        }
        let notice = Task {
            guard let noticeAfter else { return }
            await sleep(noticeAfter)
            if !Task.isCancelled, !output.isFull { onDelay(tool.activity) }
        }
        let tasks = [work, timer, notice]
        defer { for task in tasks { task.cancel() } }
        return await withTaskCancellationHandler {
            await output.value()
        } onCancel: {
            for task in tasks { task.cancel() }
        }
    }
}

extension ToolOutput {
    fileprivate static let tooSlow = ToolOutput(
        "That took too long, so I stopped waiting for it.",
        succeeded: false,
        origin: .own
    )

    /// Nobody who spoke wants this done. Where somebody has spoken, he hears why.
    fileprivate static func unasked(by authority: CallAuthority) -> ToolOutput {
        ToolOutput(
            """
            Not done: only the user can ask for this, in words of his own. Tell the user in one short sentence what you \
            would have done, and do not call a function now.
            """,
            succeeded: false,
            wantsReply: authority.reach > .none,
            origin: .own
        )
    }
}
