package import VoiceBase

/// A command of the control socket: name, arguments, what it does and how.
package struct ControlCommand: Sendable {
    package typealias Handler =
        @Sendable (ControlArguments, VoiceDaemon) async throws(ControlProblem) -> ControlOutcome

    package let name: String
    package let arguments: [ControlArgument]
    /// One or two sentences, for people.
    package let documentation: String
    /// It changes nothing: not worth a line in the log.
    package let isQuestion: Bool
    /// When it makes the box quieter: it is taken then although all clients of the socket are at work.
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
    /// Whether a command silences.
    package enum Urgency: Sendable {
        case never
        case always
        /// Where this argument is one of these words.
        case with(argument: String, [String])
    }

    /// Whether a request for it silences, and is taken from whom nothing else is.
    package func isUrgent(_ request: ControlRequest) -> Bool {
        guard request.command == name else { return false }
        switch urgency {
        case .never: return false
        case .always: return true
        case .with(let argument, let words):
            return request.arguments[argument]?.stringValue.map(words.contains) ?? false
        }
    }

    /// How such requests read, "media stop".
    var urgentOrders: [String] {
        switch urgency {
        case .never: []
        case .always: [name]
        case .with(_, let words): words.map { "\(name) \($0)" }
        }
    }
}

/// What comes of a command.
package enum ControlOutcome: Sendable {
    /// Members of the reply's result.
    case done([String: JSONValue])
    /// An empty result now, then lines of events until the client leaves.
    case events(DaemonEvents.Subscription)
}
