/// A way in which the services around the daemon, or its user, make trouble.
package enum FaultKind: String, CaseIterable, Sendable {
    // Before there is a session
    case refused, hangsAtConnect, hangsAtUpgrade, cutAtUpgrade, garbageAtUpgrade
    /// The connection is open and nothing is ever said on it.
    case silentFromTheStart
    case invalidKey, settingsRejected, settingsLate

    // At an event
    case droppedBefore, droppedAfter, reset, closed
    /// Neither reads nor writes any more, and does not close.
    case halfOpen
    case stalledWriting, stalledReading, expired, duplicated, unknown, malformed, binary, incompleteEvent, wrongTypes
    case enormous, errorEvent

    // What the model does
    case responseFailed, rateLimited, responseIncomplete, responseCancelled, noResponse, severalItems, severalCalls
    /// The service begins a response of its own between a call's output and the request for a response.
    case race
    case lateTranscript

    // The agent
    case agentSlow, agentBusy, agentLimited, agentFailed, agentMalformed, agentCut, agentCutMidBody, agentEmpty
    case agentSilent

    // The user
    case commandedToBeQuiet, sentAway

    /// Whether the session cannot outlive it: the next one has to be opened.
    package var endsSession: Bool {
        switch self {
        case .refused, .hangsAtConnect, .hangsAtUpgrade, .cutAtUpgrade, .garbageAtUpgrade, .silentFromTheStart,
            .invalidKey, .settingsRejected, .droppedBefore, .droppedAfter, .reset, .closed, .halfOpen, .expired,
            .sentAway:
            true
        default: false
        }
    }
}
