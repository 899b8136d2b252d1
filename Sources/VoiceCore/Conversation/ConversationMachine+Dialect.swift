/// What other services leave out of the protocol.
extension ConversationMachine {
    /// Takes the first that is heard of a response for its beginning, where the service does not tell it.
    mutating func adopt(_ responseID: String?) {
        guard !options.settings.dialect.announcesResponses, link == .ready, let responseID, !responseID.isEmpty,
            !sessionResponses.contains(responseID)
        else { return }
        heard(.responseCreated(id: responseID, clientEventID: nil))
    }
}

extension ServerEvent {
    /// The response that an event is about, its beginning apart.
    var responseID: String? {
        switch self {
        case .outputItemAdded(let id, _, _), .functionCall(let id, _, _), .spokenDelta(let id, _, _, _),
            .spokenTranscript(let id, _, _, _), .audioDone(let id, _, _):
            id
        case .responseDone(let outcome): outcome.id
        default: nil
        }
    }
}
