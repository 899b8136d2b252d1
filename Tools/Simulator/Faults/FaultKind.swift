/// A fault of the services around the daemon, or of its user.
package enum FaultKind: String, CaseIterable, Sendable {
    // Before there is a session
    case refused, hangsAtConnect, hangsAtUpgrade, cutAtUpgrade, garbageAtUpgrade
    /// The connection is open and nothing is ever sent on it.
    case silentFromTheStart
    case invalidKey, settingsRejected, settingsLate

    // At an event
    case droppedBefore, droppedAfter, reset, closed
    /// Stops reading and writing without closing.
    case halfOpen
    case stalledWriting, stalledReading, expired, duplicated, unknown, malformed, binary, incompleteEvent, wrongTypes
    case enormous, errorEvent

    // What the model does
    case responseFailed, rateLimited, responseIncomplete, responseCancelled, noResponse, severalItems, severalCalls
    /// The service begins a response unasked between a call's output and the request for a response.
    case race
    case lateTranscript

    // The agent
    case agentSlow, agentBusy, agentLimited, agentFailed, agentMalformed, agentCut, agentCutMidBody, agentEmpty
    case agentSilent

    // What GPT-Live alone can do
    /// The audio that is sent no longer reaches the session's clock.
    case frozenClock
    case deferredAppends, lateWords, phantomWords, lostAcknowledgements, replayedDelegation, unknownDelay
    case lostInDelegation

    // What Hero365 alone can do
    case lostPackets, latePackets, duplicatePackets, sequenceJump
    /// An error with a pause to keep.
    case retryAfter
    case agentTransfer, missingStatus

    // What Datagrid alone can do
    case handoffRefused, tokenExpired, endedInAnswer, unfinishedTool, ignoredInterrupt, cutByItself
    case forgottenConversation

    // The user
    case commandedToBeQuiet, toldToStop, sentAway

    /// Whether the fault ends the session, so that a new one must be opened.
    package var endsSession: Bool {
        switch self {
        case .refused, .hangsAtConnect, .hangsAtUpgrade, .cutAtUpgrade, .garbageAtUpgrade, .silentFromTheStart,
            .invalidKey, .settingsRejected, .droppedBefore, .droppedAfter, .reset, .closed, .halfOpen, .expired,
            .sentAway, .frozenClock, .unknownDelay, .lostInDelegation, .handoffRefused, .tokenExpired, .endedInAnswer,
            .forgottenConversation:
            true
        default: false
        }
    }
}
