/// The next step of a scripted run.
package enum AgentStep: Sendable, Equatable {
    /// Words of the answer.
    case say(String)
    /// A tool round, stored together with the words before it.
    case useTool(String)
    /// The provider failed: the current segment is discarded and said again.
    case discard
    case wait(milliseconds: Int)
    /// Waits until `RunningAgent.proceed` is called.
    case hold
    /// A question to the user (`call_id`, `questions`); the run waits for the answer.
    case ask(SimulatedJSON)
    /// A tool that needs permission (`approval_id`, `path`, `options`); the run waits for the answer.
    case approve(SimulatedJSON)
    case fail(type: String, message: String)
    /// Cuts every connection once all frames have been written to it; the run continues.
    case cut
    /// Parts of a tool round: the model calls the tool, the tool runs, the result arrives.
    case call(tool: String)
    case execute(tool: String)
    case finish(tool: String)
    case prompt(SimulatedJSON)

    /// The step split into parts, between which a server can die.
    package var expanded: [AgentStep] {
        switch self {
        case .useTool(let tool): [.call(tool: tool), .execute(tool: tool), .finish(tool: tool)]
        case .approve(let prompt):
            [.call(tool: "shell"), .execute(tool: "shell"), .prompt(prompt), .finish(tool: "shell")]
        case .ask(let prompt):
            [.call(tool: "ask_user"), .prompt(prompt), .execute(tool: "ask_user"), .finish(tool: "ask_user")]
        default: [self]
        }
    }

    /// A shell command that needs permission, with the choices offered for a folder outside a repository.
    package static func approve(command: String, in folder: String, id: String = "appr_1") -> AgentStep {
        .approve([
            "approval_id": .string(id), "title": "Shell Command Request", "path": .string(command),
            "work_dir": .string(folder), "is_shell": true, "is_write": false, "is_workspace": false,
            "resume_auto_available": false,
            "options": [
                [
                    "index": 0, "choice": "command", "label": "Allow this specific command",
                    "description": "Approve exact command in the current working directory (session only)",
                ],
                [
                    "index": 1, "choice": "once", "label": "Allow once",
                    "description": "Single execution, no memory",
                ],
                ["index": 2, "choice": "deny", "label": "Deny", "description": "Block this command"],
            ],
        ])
    }
}
