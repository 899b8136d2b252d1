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
    package let handler: Handler

    package init(
        _ name: String,
        arguments: [ControlArgument] = [],
        isQuestion: Bool = false,
        _ documentation: String,
        handler: @escaping Handler
    ) {
        self.name = name
        self.arguments = arguments
        self.isQuestion = isQuestion
        self.documentation = documentation
        self.handler = handler
    }

    /// "volume [master|voice|media|earcons] [PERCENT]".
    package var usage: String { ([name] + arguments.map(\.usage)).joined(separator: " ") }
}

/// What comes of a command.
package enum ControlOutcome: Sendable {
    /// Members of the reply's result.
    case done([String: JSONValue])
    /// An empty result now, then lines of events until the client leaves.
    case events(DaemonEvents.Subscription)
}
