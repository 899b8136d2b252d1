/// The effects that a `NamingTranslator` gathers while it handles one event.
package struct ServiceOutbox<Message: Equatable & Sendable, Own: Equatable & Sendable>: Sendable {
    /// Prefix of every name: other sessions of the conversation use other prefixes.
    package var tag: String
    fileprivate var names = 0
    fileprivate var effects: [ServiceEffect<Message, Own>] = []

    package init(tag: String) { self.tag = tag }
}

/// The translator of a service that names no turns, items or responses, so it makes the names.
package protocol NamingTranslator: ServiceTranslator {
    var outbox: ServiceOutbox<Message, Own> { get set }
}

extension NamingTranslator {
    /// Returns a name that no other session and no other call returns.
    package mutating func name(_ kind: String) -> String {
        outbox.names += 1
        return "\(outbox.tag)-\(kind)\(outbox.names)"
    }

    package mutating func emit(_ effect: ServiceEffect<Message, Own>) { outbox.effects.append(effect) }

    package mutating func report(_ report: ServiceReport) { emit(.report(report)) }

    package mutating func trouble(
        _ name: String,
        _ text: String,
        _ meaning: ErrorClass = .other,
        request: String? = nil
    ) {
        report(.trouble(ServiceError(meaning, name: name, text: text, request: request)))
    }

    /// Reports words for which the local detector heard no voice. The words themselves stay out of the log.
    package mutating func reportWordsWithoutVoice() {
        trouble("words_without_voice", "the service heard words where no voice was heard here; they are ignored")
    }

    /// Reports a response without speech.
    package mutating func respondInSilence(_ request: String, _ status: ResponseEnd.Status = .completed) {
        let response = name("r")
        report(.responseBegan(response: response, request: request))
        report(.responseEnded(ResponseEnd(response: response, status: status)))
    }

    /// Returns the effects since the last call.
    package mutating func drain() -> [ServiceEffect<Message, Own>] {
        defer { outbox.effects = [] }
        return outbox.effects
    }
}
