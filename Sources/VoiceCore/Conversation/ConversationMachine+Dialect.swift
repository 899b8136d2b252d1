/// What other services leave out of the protocol.
extension ConversationMachine {
    /// Takes the first that is heard of a response for its beginning, where the service does not tell it.
    ///
    /// - Parameter isSure: it is of this session, and is not its end: counts where a service does tell beginnings, and
    ///   has left this one out.
    mutating func adopt(_ responseID: String?, isSure: Bool) {
        guard link == .ready, let responseID, !responseID.isEmpty, !sessionResponses.contains(responseID) else {
            return
        }
        if options.settings.dialect.announcesResponses {
            guard isSure, sequencer.isFree else { return }
        }
        heard(.responseCreated(id: responseID, clientEventID: nil))
    }
}

extension ServerEvent {
    /// The response that an event is about, its beginning apart.
    var responseID: String? {
        switch self {
        case .outputItemAdded(let id, _, _, _), .functionCall(let id, _, _), .callWritten(let id, _, _),
            .spokenDelta(let id, _, _, _),
            .spokenTranscript(let id, _, _, _), .audioDone(let id, _, _):
            id
        case .responseDone(let outcome): outcome.id
        default: nil
        }
    }

    /// Something that a response says or does, rather than its end.
    var isOfRunningResponse: Bool {
        switch self {
        case .responseDone, .audioDone: false
        default: responseID != nil
        }
    }
}
