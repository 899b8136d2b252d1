/// What a scripted run does next.
package enum AgentStep: Sendable, Equatable {
    /// Words of the answer.
    case say(String)
    /// A tool round: what was said before it was on the way.
    case useTool(String)
    /// The provider broke: what was said of this segment is said anew.
    case discard
    case wait(milliseconds: Int)
    /// Stands still until `RunningAgent.proceed` was called.
    case hold
    /// A question to the user (`call_id`, `questions`); the run waits for the answer.
    case ask(SimulatedJSON)
    /// A tool that needs a permission (`approval_id`, `path`, `options`); the run waits for the answer.
    case approve(SimulatedJSON)
    case fail(type: String, message: String)
    /// Cuts every connection once all has been written to it; the run goes on.
    case cut
    /// Parts of a tool round: the model calls it, it runs, its result is in.
    case call(tool: String)
    case execute(tool: String)
    case finish(tool: String)
    case prompt(SimulatedJSON)

    /// The step in parts between which a server can die.
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

    /// A shell command that needs a permission, with the choices of a folder outside a repository.
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
