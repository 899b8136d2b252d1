package import VoiceBase

/// A command of the control socket: its name, arguments, documentation and handler.
package struct ControlCommand: Sendable {
    package typealias Handler =
        @Sendable (ControlArguments, VoiceDaemon) async throws(ControlProblem) -> ControlOutcome

    package let name: String
    package let arguments: [ControlArgument]
    /// One or two sentences, for people.
    package let documentation: String
    /// Changes nothing, so it is not logged.
    package let isQuestion: Bool
    /// When the command silences the box: such requests are accepted even if all seats are in use.
    package let urgency: Urgency
    package let handler: Handler

    package init(
        _ name: String,
        arguments: [ControlArgument] = [],
        isQuestion: Bool = false,
        urgency: Urgency = .never,
        _ documentation: String,
        handler: @escaping Handler
    ) {
        self.name = name
        self.arguments = arguments
        self.isQuestion = isQuestion
        self.urgency = urgency
        self.documentation = documentation
        self.handler = handler
    }

    /// "volume [master|voice|media|earcons] [PERCENT]".
    package var usage: String { ([name] + arguments.map(\.usage)).joined(separator: " ") }
}

extension ControlCommand {
    /// When a command silences the box.
    package enum Urgency: Sendable {
        case never
        case always
        /// If this argument is one of these words.
        case with(argument: String, [String])
    }

    /// Whether this is a request for this command that silences the box, the only kind accepted from a guest.
    package func isUrgent(_ request: ControlRequest) -> Bool {
        guard request.command == name else { return false }
        switch urgency {
        case .never: return false
        case .always: return true
        case .with(let argument, let words):
            return request.arguments[argument]?.stringValue.map(words.contains) ?? false
        }
    }

    /// The silencing forms of the command, such as "media stop".
    var urgentOrders: [String] {
        switch urgency {
        case .never: []
        case .always: [name]
        case .with(_, let words): words.map { "\(name) \($0)" }
        }
    }
}

/// The outcome of a command.
package enum ControlOutcome: Sendable {
    /// Members of the reply's result.
    case done([String: JSONValue])
    /// An empty result, followed by lines of events until the client disconnects.
    case events(DaemonEvents.Subscription)
}
