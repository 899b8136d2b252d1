package import VoiceBase

/// An effect requested by the conversation. The machine decides, its owner performs.
package enum ConversationEffect: Equatable, Sendable {
    /// Selects the service of the following connections, by its place in the list: 0, the initial value, is the preferred
    /// one.
    case choose(service: Int, isBeside: Bool)
    case connect
    /// Close the connection cleanly (code 1000).
    case disconnect
    /// Ask the service.
    case send(ServiceRequest)
    /// Open the next session's connection, while this one continues.
    case connectBeside
    case sendBeside(ServiceRequest)
    /// The connection beside takes over, with the microphone; no sample is lost or sent twice. The old one is closed.
    case promote
    /// Close the connection beside.
    case dropBeside
    /// Send microphone audio, from now on.
    case openMicrophone
    case closeMicrophone
    /// Stop playback immediately, drop what is queued, and refuse further audio of these responses.
    case stopVoice(responseIDs: [String])
    /// Drop microphone audio the connection has not taken yet.
    case forgetMicrophone
    /// Whether the service is hearing a turn of the user: meanwhile no gate may withhold the silence that ends it.
    case turnIsOpen(Bool)
    /// Run the call, within this authority.
    case startCall(FunctionCall, CallAuthority)
    /// Withdraw every running call, and whatever the agent is working on or waiting for. None is answered.
    case cancelCalls
    /// Ask the agent for a greeting; answered by `agentGreets`.
    case askForGreeting
    /// Say these words with the local voice, if there is one, because the service cannot speak given words.
    case announce(String)
    /// Say this answer with the local voice, because the service did not say it; unlike `announce`, in quiet hours too.
    case answer(String)
    case play(Earcon)
    case cancelEarcons
    case startTimer(ConversationTimer, Duration)
    case cancelTimer(ConversationTimer)
    case stateChanged(from: ConversationState, to: ConversationState)
    case turnEnded(TurnReport)
    case note(ConversationNote)
}

/// An event worth a line in the log.
package enum ConversationNote: Equatable, Sendable {
    case sessionOpened(id: String?, expiresAt: Int?)
    case connectionLost(LinkFailure, retryIn: Duration)
    /// The next session has taken over from the one that was about to end.
    case sessionSwapped(id: String?)
    /// The next session could not be opened; this one continues.
    case rotationFailed(reason: String)
    /// Another service continues the conversation: the current one is unavailable, or a preferred one has recovered
    /// (`reason` nil).
    case serviceReplaced(from: String, by: String, reason: String?)
    /// A session ended before the user's question was answered; `isAskedAgain` if its words are known.
    case questionLost(isAskedAgain: Bool)
    /// A second session ended before the question was answered; it is not put to a third.
    case questionGivenUp
    case refused(reason: String)
    case settingsDiffer([String])
    case serviceError(ServiceError)
    case responseFailed(status: String, reason: String?)
    /// A response that was awaited has ended without a sound.
    case silentResponse(hadWords: Bool)
    /// The service has not answered the user's turn in time.
    case noAnswer(after: Duration)
    /// Fields and events that the service does not accept, left out for the rest of the session.
    case fieldsLeftOut([String])
    case callStarted(FunctionCall)
    case callRepeated(callID: String)
    case callIncomplete(callID: String)
    /// A limit on what a model calls without a word of the user is reached.
    case callsLimited
    /// A call that is not made because its request was stopped.
    case callStopped(callID: String)
    case outputSent(callID: String)
    /// Progress of a tool on the service's side.
    case serviceTool(String, status: String)
    case heard(String)
    case spoken(String)
    /// A typed question was asked; its reader receives the spoken text until the end of the turn.
    case typedQuestion(reader: Int?)
    case lost(StreamLoss)
    /// This many texts or questions were dropped unheard.
    case speechDropped(SpeechSource, Int)
    /// The local voice says a text that the service failed to say.
    case saidByLocalVoice(SpeechSource)
    /// The service takes no answer to a call of another session; it waits for another service or the local voice.
    case answerKept
    /// A session was requested although its budget is spent.
    case budgetSpent(until: String)
    /// An action of the service, in its words.
    case news(String)
    case unexpected(String)
}
