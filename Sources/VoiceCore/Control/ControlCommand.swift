package import VoiceBase
package import VoiceSession

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
    /// For programs of this machine only, not for what comes over the network through one of them.
    package let isOfMachine: Bool
    package let handler: Handler

    package init(
        _ name: String,
        arguments: [ControlArgument] = [],
        isQuestion: Bool = false,
        isOfMachine: Bool = false,
        _ documentation: String,
        handler: @escaping Handler
    ) {
        self.name = name
        self.arguments = arguments
        self.isQuestion = isQuestion
        self.isOfMachine = isOfMachine
        self.documentation = documentation
        self.handler = handler
    }

    /// "volume [master|voice|media|inputs|earcons] [PERCENT]".
    package var usage: String { ([name] + arguments.map(\.usage)).joined(separator: " ") }
}

/// The outcome of a command.
package enum ControlOutcome: Sendable {
    /// Members of the reply's result.
    case done([String: JSONValue])
    /// Members of the reply's result, followed by the answer to a question, in lines as it is said.
    case answer([String: JSONValue], AnswerReaders.Reading)
    /// An empty result, followed by lines of events until the client disconnects.
    case events(DaemonEvents.Subscription)
    /// An empty result, followed by a snapshot of the status and its changes.
    case status(StatusSubscription)
    /// An empty result, followed by the requests of the sessions to Home Assistant's pipeline.
    case assist(AssistExchange.Follower)
}
