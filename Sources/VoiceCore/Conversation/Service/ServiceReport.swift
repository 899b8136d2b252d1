/// What a voice service reports, in words that no wire knows. What counts, writes down and wakes up reads nothing else.
///
/// Items and responses are named by the service, or by its translator where the service has no names.
package enum ServiceReport: Equatable, Sendable {
    /// A session is there; `ends` in Unix seconds where the service says it.
    case opened(ends: Int?)

    /// The user begins to speak, `at` ms into the session's audio; 0 where the service does not say.
    case userStarted(at: Int)
    /// He has stopped, `at` ms into it.
    case userStopped(at: Int)
    /// What he said is an item of the conversation, behind `after` where that is known.
    case userTurn(item: String, after: String?)
    /// What a recogniser heard in it: a piece of a part, or the whole of it.
    case heard(item: String, part: Int, text: String, isWhole: Bool)
    /// Nothing was made out.
    case notHeard(item: String)

    /// An item of any kind has its place in the conversation.
    case placed(item: String, after: String?)

    case responseBegan(response: String)
    /// The response begins to say something.
    case speaks(response: String, item: String)
    /// What it says: a piece of a part, or the whole of it.
    case said(response: String, item: String, part: Int, text: String, isWhole: Bool)
    /// No more audio comes of it.
    case audioEnded(response: String, item: String)
    case responseEnded(response: String)

    /// Something is charged for.
    case charged(ServiceBill)
    /// A message that the translator does not know, by its name.
    case unknown(String)
}

/// What is charged for at once.
package struct ServiceBill: Equatable, Sendable {
    /// The same for a bill that is told twice.
    package var id: String
    package var usage: ServiceUsage

    package init(id: String, _ usage: ServiceUsage) {
        self.id = id
        self.usage = usage
    }
}

package enum ServiceUsage: Equatable, Sendable {
    case response(Usage)
    case transcription(TranscriptionUsage)
}

/// What a service takes money for.
package enum ServiceCharge: Equatable, Sendable {
    /// Tokens, at the price of the model.
    case tokens
    /// The time that a session is open.
    case time
    /// Nothing: it is the user's own.
    case nothing
}
