package import Logging

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

    /// Cancelling the task cancels the tool; the output then says so.
    ///
    /// - Parameter onDelay: called at most once, when the call has been out for `noticeAfter`.
    package func run(
        name: String,
        arguments: String,
        onDelay: @escaping @Sendable () -> Void = {}
    ) async -> ToolOutput {
        guard let tool = registry[name] else {
            let known = String(name.prefix(64))
            logger.warning("the model called a tool that does not exist", metadata: ["tool": "\(known)"])
            return ToolOutput("There is no tool named \(known).", succeeded: false)
        }
        let output = FirstOutput()
        let work = Task<Void, Never> { output.offer(await tool.call(arguments: arguments)) }
        let timer = Task {
            await sleep(deadline)
            if Task.isCancelled {
                output.offer(ToolOutput("The request was cancelled.", succeeded: false))
            } else if output.offer(ToolOutput("That took too long, so I stopped waiting for it.", succeeded: false)) {
                logger.error("a tool did not return in time", metadata: ["tool": "\(name)", "limit": "\(deadline)"])
            }
        }
        let notice = Task {
            guard let noticeAfter else { return }
            await sleep(noticeAfter)
            if !Task.isCancelled, !output.isFull { onDelay() }
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
