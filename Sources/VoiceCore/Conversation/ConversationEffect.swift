package import VoiceBase

/// What the conversation wants done. The machine decides, its owner performs.
package enum ConversationEffect: Equatable, Sendable {
    /// The service of the connections that follow: a place in the list, 0 for the preferred one. Until then it is 0.
    case choose(service: Int, isBeside: Bool)
    case connect
    /// Close the connection in order (code 1000).
    case disconnect
    /// Ask the service.
    case send(ServiceRequest)
    /// Open the next session's connection, while this one goes on.
    case connectBeside
    case sendBeside(ServiceRequest)
    /// The connection beside takes over, with the microphone: no sample is lost, none sent twice. The other is closed.
    case promote
    /// The connection beside becomes the one of the conversation, which has none; no audio leaves yet.
    case adopt
    /// Close the connection beside.
    case dropBeside
    /// Let microphone audio out, beginning with now.
    case openMicrophone
    case closeMicrophone
    /// Stop sounding at once, drop what is queued, and refuse further audio of these responses.
    /// Answered by `voiceStopped`.
    case stopVoice(responseIDs: [String])
    /// Drop what the microphone has heard and the connection has not taken.
    case forgetMicrophone
    /// The service hears a turn of the user, or no longer: meanwhile no gate may withhold the silence that ends it.
    case turnIsOpen(Bool)
    /// Run the call, which may do what the authority allows.
    case startCall(FunctionCall, CallAuthority)
    /// Take back every call that is out, and whatever the agent still works on or waits for. None is answered.
    case cancelCalls
    /// Ask the agent how it greets; answered by `agentGreets`.
    case askForGreeting
    /// Say these words in the box's own voice, where it has one: the service does not say given words.
    case announce(String)
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
    /// The next session has taken over from the one that was about to end.
    case sessionSwapped(id: String?)
    /// The next session could not be opened; this one goes on.
    case rotationFailed(reason: String)
    /// No session can be kept ready for the next call; tried again after a pause that grows.
    case warmFailed(reason: String)
    /// Another service carries the conversation on: the present one cannot be had, or a preferred one is well again
    /// (`reason` nil).
    case serviceReplaced(from: String, by: String, reason: String?)
    /// A session ended before the user's question was answered; `isAskedAgain` where its words are known.
    case questionLost(isAskedAgain: Bool)
    case refused(reason: String)
    case settingsDiffer([String])
    case serviceError(ServiceError)
    case responseFailed(status: String, reason: String?)
    case callStarted(FunctionCall)
    case callRepeated(callID: String)
    case callIncomplete(callID: String)
    /// A call of what was stopped, which is not made.
    case callStopped(callID: String)
    case outputSent(callID: String)
    /// News of a tool on the service's side.
    case serviceTool(String, status: String)
    case heard(String)
    case spoken(String)
    case lost(StreamLoss)
    /// A session was asked for though its budget is spent.
    case budgetSpent(until: String)
    /// What the service says that it does.
    case news(String)
    case unexpected(String)
}
