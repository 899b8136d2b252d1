package import VoiceConfiguration

/// What the events of the Realtime protocol mean in words that no wire knows. Pure, and without a state of its own.
package enum RealtimeTranslator {
    /// In the order in which they are to be read; most events mean one thing or none.
    package static func reports(_ event: ServerEvent) -> [ServiceReport] {
        switch event {
        case .sessionCreated(_, let expiresAt): [.opened(ends: expiresAt)]
        case .speechStarted(_, let start): [.userStarted(at: start)]
        case .speechStopped(_, let end): [.userStopped(at: end)]
        case .committed(let itemID, let previous): [.userTurn(item: itemID, after: previous)]
        case .itemAdded(let itemID, _, _, let previous): [.placed(item: itemID, after: previous)]
        case .responseCreated(let id, _): [.responseBegan(response: id)]
        case .outputItemAdded(let responseID, let itemID, "message", _): [.speaks(response: responseID, item: itemID)]
        case .spokenDelta(let responseID, let itemID, let index, let text):
            [.said(response: responseID, item: itemID, part: index, text: text, isWhole: false)]
        case .spokenTranscript(let responseID, let itemID, let text, let index):
            [.said(response: responseID, item: itemID, part: index, text: text, isWhole: true)]
        case .audioDone(let responseID, let itemID, _): [.audioEnded(response: responseID, item: itemID)]
        case .responseDone(let outcome): ended(outcome)
        case .heardDelta(let itemID, let index, let text):
            [.heard(item: itemID, part: index, text: text, isWhole: false)]
        case .heardTranscript(let itemID, let index, let text, let usage):
            [.heard(item: itemID, part: index, text: text, isWhole: true)] + bill("t\(index)" + itemID, usage)
        case .heardTranscriptFailed(let itemID, _): [.notHeard(item: itemID)]
        case .unknown(let type): [.unknown(type)]
        case .sessionUpdated, .outputItemAdded, .callWritten, .functionCall, .error, .ignored: []
        }
    }

    private static func ended(_ outcome: ResponseOutcome) -> [ServiceReport] {
        let end = ServiceReport.responseEnded(response: outcome.id)
        guard let usage = outcome.usage else { return [end] }
        return [end, .charged(ServiceBill(id: "r" + outcome.id, .response(usage)))]
    }

    private static func bill(_ id: String, _ usage: TranscriptionUsage?) -> [ServiceReport] {
        guard let usage else { return [] }
        return [.charged(ServiceBill(id: id, .transcription(usage)))]
    }
}

extension ConversationEvent {
    /// What a service reports by it; nothing where it did not come from a service.
    package var reports: [ServiceReport] {
        if case .server(let event) = self { RealtimeTranslator.reports(event) } else { [] }
    }
}

extension ServiceCharge {
    /// Of the service that is configured.
    package init(_ configuration: Configuration) {
        switch Dialect(configuration).name {
        case .openAI, .azure: self = .tokens
        case .xai: self = .time
        case .speaches, .localAI, .huggingFace: self = .nothing
        }
    }
}
