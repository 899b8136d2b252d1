package import Logging

/// Finds the tool of a call and sees to it that every call gets exactly one output.
///
/// The deadline is the last resort against a tool that never returns; tools have shorter ones of their own. A tool that
/// misses it is cancelled and its late output dropped.
package struct ToolDispatcher: Sendable {
    package let tools: [any Tool]
    private let deadline: Duration
    private let sleep: @Sendable (Duration) async -> Void
    private let logger: Logger

    /// Of two tools with one name the first is used.
    package init(
        tools: [any Tool],
        deadline: Duration,
        sleep: @escaping @Sendable (Duration) async -> Void = { try? await Task.sleep(for: $0) },
        logger: Logger
    ) {
        self.tools = tools
        self.deadline = deadline
        self.sleep = sleep
        self.logger = logger
    }

    /// Cancelling the task cancels the tool; the output then says so.
    package func run(name: String, arguments: String) async -> ToolOutput {
        guard let tool = tools.first(where: { $0.name == name }) else {
            let known = String(name.prefix(64))
            logger.warning("the model called a tool that does not exist", metadata: ["tool": "\(known)"])
            return ToolOutput("There is no tool named \(known).", succeeded: false)
        }
        let output = FirstOutput()
        let work = Task { output.offer(await tool.call(arguments: arguments)) }
        let timer = Task {
            await sleep(deadline)
            if Task.isCancelled {
                output.offer(ToolOutput("The request was cancelled.", succeeded: false))
            } else if output.offer(ToolOutput("That took too long, so I stopped waiting for it.", succeeded: false)) {
                logger.error("a tool did not return in time", metadata: ["tool": "\(name)", "limit": "\(deadline)"])
            }
        }
        defer {
            work.cancel()
            timer.cancel()
        }
        return await withTaskCancellationHandler {
            await output.value()
        } onCancel: {
            work.cancel()
            timer.cancel()
        }
    }
}
