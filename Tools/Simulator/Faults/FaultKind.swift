/// A fault of the services around the daemon, or of its user. A service adds its own.
package struct FaultKind: Hashable, Sendable {
    package let name: String
    /// Whether the fault ends the session, so that a new one must be opened.
    package let endsSession: Bool

    package init(_ name: String, endsSession: Bool = false) {
        self.name = name
        self.endsSession = endsSession
    }
}

extension FaultKind {
    // Before there is a session
    package static let refused = FaultKind("refused", endsSession: true)
    package static let hangsAtConnect = FaultKind("hangsAtConnect", endsSession: true)
    package static let hangsAtUpgrade = FaultKind("hangsAtUpgrade", endsSession: true)
    package static let cutAtUpgrade = FaultKind("cutAtUpgrade", endsSession: true)
    package static let garbageAtUpgrade = FaultKind("garbageAtUpgrade", endsSession: true)
    /// The connection is open and nothing is ever sent on it.
    package static let silentFromTheStart = FaultKind("silentFromTheStart", endsSession: true)
    package static let invalidKey = FaultKind("invalidKey", endsSession: true)
    package static let settingsRejected = FaultKind("settingsRejected", endsSession: true)
    package static let settingsLate = FaultKind("settingsLate")

    // At an event
    package static let droppedBefore = FaultKind("droppedBefore", endsSession: true)
    package static let droppedAfter = FaultKind("droppedAfter", endsSession: true)
    package static let reset = FaultKind("reset", endsSession: true)
    package static let closed = FaultKind("closed", endsSession: true)
    /// Stops reading and writing without closing.
    package static let halfOpen = FaultKind("halfOpen", endsSession: true)
    package static let stalledWriting = FaultKind("stalledWriting")
    package static let stalledReading = FaultKind("stalledReading")
    package static let expired = FaultKind("expired", endsSession: true)
    package static let duplicated = FaultKind("duplicated")
    package static let unknown = FaultKind("unknown")
    package static let malformed = FaultKind("malformed")
    package static let binary = FaultKind("binary")
    package static let incompleteEvent = FaultKind("incompleteEvent")
    package static let wrongTypes = FaultKind("wrongTypes")
    package static let enormous = FaultKind("enormous")
    package static let errorEvent = FaultKind("errorEvent")

    // What the model does
    package static let responseFailed = FaultKind("responseFailed")
    package static let rateLimited = FaultKind("rateLimited")
    package static let responseIncomplete = FaultKind("responseIncomplete")
    package static let responseCancelled = FaultKind("responseCancelled")
    package static let noResponse = FaultKind("noResponse")
    package static let severalItems = FaultKind("severalItems")
    package static let severalCalls = FaultKind("severalCalls")
    /// The service begins a response unasked between a call's output and the request for a response.
    package static let race = FaultKind("race")
    package static let lateTranscript = FaultKind("lateTranscript")

    /// The service transcribes words that were not said.
    package static let phantomWords = FaultKind("phantomWords")

    // The agent
    package static let agentSlow = FaultKind("agentSlow")
    package static let agentBusy = FaultKind("agentBusy")
    package static let agentLimited = FaultKind("agentLimited")
    package static let agentFailed = FaultKind("agentFailed")
    package static let agentMalformed = FaultKind("agentMalformed")
    package static let agentCut = FaultKind("agentCut")
    package static let agentCutMidBody = FaultKind("agentCutMidBody")
    package static let agentEmpty = FaultKind("agentEmpty")
    package static let agentSilent = FaultKind("agentSilent")

    // The user
    package static let commandedToBeQuiet = FaultKind("commandedToBeQuiet")
    package static let toldToStop = FaultKind("toldToStop")
    package static let sentAway = FaultKind("sentAway", endsSession: true)
}
