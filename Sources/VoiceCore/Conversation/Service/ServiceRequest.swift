package import VoiceBase

/// A service-neutral request from the conversation to a voice service. The service's translator turns it into any number of
/// messages, including none.
///
/// The conversation never sends a request the service's capabilities exclude (`isTaken`).
package enum ServiceRequest: Equatable, Sendable {
    /// Applies the settings. Sent on `ServiceReport.opened`; answered by `ready`, `trouble` or `closing`. `history` holds
    /// earlier lines, for services that accept them only here.
    case open(history: [ServiceHistoryLine])
    /// One earlier line, for a session that is ready.
    case recall(ServiceHistoryLine)
    /// The user's spoken or typed words, as text; not answered before `respond`.
    case ask(String)

    /// The only answer to a call of this session, or for a service that speaks in parts the next part of it. The last part may
    /// be empty.
    case answer(call: String, ToolResult)
    /// Data from outside that answers no call of this session, under an id the daemon chose.
    case inform(id: String, ForeignReport)
    /// A text from the daemon or the owner.
    case tell(String, ServiceTone)

    /// Speak now about what was asked, answered and announced. `id` comes back with `responseBegan` if the service supports
    /// it. If `mayCall` is false, no tools are offered.
    case respond(id: String, mayCall: Bool)
    /// Ends the response; nil for the running one.
    case cancel(response: String?)
    /// The user heard only `heard` of the `of` ms received of a part before it was cut.
    case truncate(item: String, part: Int, heard: Int, of: Int)
    /// The item counts as never said.
    case forget(item: String)
    /// The audio of the unfinished turn counts as never said.
    case clearInput
    /// "Stop": drops speech that was said in part, and speech that waits.
    case dropSpeech
    /// Ends the session cleanly; the last request.
    case close
}

/// How a service should treat a text.
package enum ServiceTone: Equatable, Sendable {
    /// Say it soon, in the model's own words.
    case say
    /// Say it word for word and nothing else.
    case exactly
}

/// A result from outside, handed to a session that did not request it: a call and its output.
package struct ForeignReport: Equatable, Sendable {
    /// Name of the tool that would have returned it.
    package var name: String
    /// JSON.
    package var arguments: String
    package var output: ToolResult
    /// Whether the user should hear of it: `respond` follows, in the next silence.
    package var isSpoken: Bool = false

    /// Name of an announcement of the house, to be said as it is. No tool has it; only a service without a model gets it.
    package static let announcement = "announce"
}

/// A line of an earlier session.
package enum ServiceHistoryLine: Equatable, Sendable {
    case user(String)
    /// Only as far as the user heard it.
    case assistant(String)
    /// A summary of the session, as data.
    case summary(JSONValue)
    /// The mark behind the last line: nothing before it waits for an answer.
    case end
}

extension ServiceRequest {
    /// The name, for the log.
    package var name: String {
        switch self {
        case .open: "open"
        case .recall: "recall"
        case .ask: "ask"
        case .answer: "answer"
        case .inform: "inform"
        case .tell: "tell"
        case .respond: "respond"
        case .cancel: "cancel"
        case .truncate: "truncate"
        case .forget: "forget"
        case .clearInput: "clear"
        case .dropSpeech: "drop"
        case .close: "close"
        }
    }

    /// Whether a service with these capabilities can handle the request.
    package func isTaken(by capabilities: ServiceCapabilities) -> Bool {
        switch self {
        case .open, .respond, .close: true
        case .recall: capabilities.history == .items
        case .ask: capabilities.takesText || capabilities.takesQuestions
        case .inform: capabilities.takesText
        case .tell(_, .exactly): capabilities.takesText && capabilities.saysExactly
        case .tell: capabilities.takesText
        case .answer(_, let output):
            capabilities.work != .theirs && (output.part == .whole || capabilities.speaksInParts)
        case .cancel: capabilities.cancels
        case .truncate: capabilities.truncates
        case .forget: capabilities.forgets
        case .clearInput: capabilities.clearsInput
        case .dropSpeech: capabilities.speaksInParts
        }
    }
}
