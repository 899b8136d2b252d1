/// What the conversation wants done. The machine decides, its owner performs.
package enum ConversationEffect: Equatable, Sendable {
    case connect
    /// Close the connection in order (code 1000).
    case disconnect
    case send(ClientEvent)
    /// Let microphone audio out, beginning with now.
    case openMicrophone
    case closeMicrophone
    /// Stop sounding at once, drop what is queued, and refuse further audio of these responses.
    /// Answered by `voiceStopped`.
    case stopVoice(responseIDs: [String])
    case startCall(FunctionCall)
    case play(Earcon)
    case cancelEarcons
    case startTimer(ConversationTimer, Duration)
    case cancelTimer(ConversationTimer)
    case stateChanged(from: ConversationState, to: ConversationState)
    case turnEnded(TurnReport)
    case note(ConversationNote)
}

/// Things worth a line in the log.
package enum ConversationNote: Equatable, Sendable {
    case sessionOpened(id: String?, expiresAt: Int?)
    case connectionLost(reason: String, retryIn: Duration)
    case refused(reason: String)
    case settingsDiffer([String])
    case serverError(ServerError)
    case responseFailed(status: String, reason: String?)
    case callStarted(FunctionCall)
    case callRepeated(callID: String)
    case callIncomplete(callID: String)
    case outputSent(callID: String)
    case heard(String)
    case spoken(String)
    /// A session was asked for though its budget is spent.
    case budgetSpent(until: String)
    case unexpected(String)
}
