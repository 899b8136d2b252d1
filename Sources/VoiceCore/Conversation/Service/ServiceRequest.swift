package import VoiceBase

/// What the conversation can ask of a voice service, in words that no wire knows. The service's translator makes messages
/// of it, as many as it takes, or none.
///
/// What the capabilities of a service exclude is not asked of it (`isTaken`).
package enum ServiceRequest: Equatable, Sendable {
    /// Answers `ServiceReport.opened`: be what you were configured to be. Answered by `ready`, `trouble` or `closing`.
    /// `history` is what was said before, for services that take it here alone.
    case open(history: [ServiceHistoryLine])
    /// What was said before, one line at a time, to a session that is ready.
    case recall(ServiceHistoryLine)
    /// What the user said or typed, as text; not answered before `respond`.
    case ask(String)

    /// The one answer to a call of this session; `isSpoken` where the user is to hear of it.
    case answer(call: String, text: String, isSpoken: Bool)
    /// What came from outside and no call of this session waits for: data, under an id of ours.
    case inform(id: String, ForeignReport)
    /// Words of ours or of the owner's.
    case tell(String, ServiceTone)

    /// Speak now, of what was asked, answered and told; `id` comes back with `responseBegan` where the service can do
    /// that. `mayCall` false offers no tools.
    case respond(id: String, mayCall: Bool)
    /// End the response; nil for the one that runs.
    case cancel(response: String?)
    /// So much of a part was heard before it was cut, of so much that had come in, in ms.
    case truncate(item: String, part: Int, heard: Int, of: Int)
    /// The item counts as never said.
    case forget(item: String)
    /// What is heard of the turn that is being spoken counts as never said.
    case clearInput
    /// End the session in order; the last request.
    case close
}

/// What is to be done with words that a service is told.
package enum ServiceTone: Equatable, Sendable {
    /// To be known, and not spoken of by itself.
    case know
    /// To be said soon, in the model's own words.
    case say
    /// To be said word for word, and nothing else.
    case exactly
    /// To be obeyed.
    case obey
}

/// What was written outside and is told to a session that has not asked for it: a call and its output.
package struct ForeignReport: Equatable, Sendable {
    /// Of the tool that would have told it.
    package var name: String
    /// JSON.
    package var arguments: String
    package var output: String

    package init(name: String, arguments: String, output: String) {
        self.name = name
        self.arguments = arguments
        self.output = output
    }
}

/// What was said in a session before.
package enum ServiceHistoryLine: Equatable, Sendable {
    case user(String)
    /// As far as it was heard.
    case assistant(String)
    /// All of it in short, as data.
    case summary(JSONValue)
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
        case .close: "close"
        }
    }

    /// Whether a service of these capabilities knows what to do with it.
    package func isTaken(by capabilities: ServiceCapabilities) -> Bool {
        switch self {
        case .open, .respond, .close: true
        case .recall: capabilities.history == .items
        case .ask: capabilities.takesText || capabilities.takesQuestions
        case .inform: capabilities.takesText
        case .tell(_, .exactly): capabilities.takesText && capabilities.saysExactly
        case .tell: capabilities.takesText
        case .answer: capabilities.work != .theirs
        case .cancel: capabilities.cancels
        case .truncate: capabilities.truncates
        case .forget: capabilities.forgets
        case .clearInput: capabilities.clearsInput
        }
    }
}
