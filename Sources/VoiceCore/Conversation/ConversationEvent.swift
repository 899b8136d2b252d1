/// Everything that can happen to a conversation.
package enum ConversationEvent: Equatable, Sendable {
    /// Start, wake word, button or command: open a session.
    case activate
    /// End the session and stay idle.
    case deactivate
    /// The user takes the word: what is being said is cut, what was asked goes on.
    case interrupt
    /// "Stop", by word, key or command: silence, and nothing of what was asked goes on or is spoken later.
    /// - isSpoken: the word itself may still reach the service, and is no turn.
    case stop(isSpoken: Bool)

    /// What was asked last was only the first half: nothing of it goes on, and the whole is about to be said.
    case supersede

    /// The WebSocket is open; proves nothing yet (a bad key is told afterwards).
    case connected
    /// The connection ended, or could not be made.
    case disconnected(LinkFailure)
    /// What the service reports.
    case service(ServiceReport)
    /// The service ends the session that was just created after so long.
    case lifetime(Duration)

    /// The first audio of a response, or of one that had run dry, came in.
    case voiceReceived(responseID: String, itemID: String)
    /// The first sample of a response is at the loudspeaker.
    case voiceAudible(responseID: String)
    /// So much of a response has left the loudspeaker, of so much that has come in, in ms; before `voiceDrained` and
    /// `voiceStopped`.
    case voicePlayed(responseID: String, heard: Int, received: Int)
    /// Every sample received so far has been played.
    case voiceDrained
    /// Playback was cut as asked; what was heard of each part that had not been played and finished.
    case voiceStopped([HeardPart])

    /// The first byte of the call's request left.
    case callDispatched(callID: String)
    /// The call's one output; `wantsReply` false where the model should stay silent about it, `isCarriedOut` false where
    /// it is certain that nothing came of the call.
    case callAnswered(
        callID: String,
        output: String,
        wantsReply: Bool,
        origin: OutputOrigin = .outside,
        isCarriedOut: Bool = true
    )
    /// The call takes so long that the user should be told; `activity` is what is being done, "reading your mail".
    case callDelayed(callID: String, activity: String? = nil)
    /// A question that was typed: put once nobody speaks.
    case ask(String)
    /// Have the voice say this, once nobody speaks.
    case say(String)
    /// The conversation that was just opened begins with a greeting, unless the user has asked something by then.
    case greet
    /// How the agent greets; nil where it had nothing to say in time.
    case agentGreets(String?)
    /// Close the session once nothing is left to be said.
    case endWhenQuiet
    /// The agent has news: an answer that no call waits for (`isAskedFor`), or something nobody asked for.
    case agentReported(String, isAskedFor: Bool)
    /// The service is about to say that the turn of this item was taken as spoken, and no voice was heard in it on this
    /// machine.
    case turnWasSilent(itemID: String)
    /// The agent waits for the user, who was asked in these words, under this number; nil when it does not any more.
    /// - characters: of what he has to hear, in Unicode scalars.
    case agentAsks(String?, prompt: Int = 0, characters: Int = 0)
    /// The media player has news for when nobody speaks; `opens`: also when no session is open.
    case mediaReported(MediaRemark, opens: Bool)

    /// A stream lost something: for the log.
    case lost(StreamLoss)

    case timer(ConversationTimer)
    case budget(BudgetVerdict)
    /// Whether the session opens again by itself when there is a budget again.
    case keepsOpen(Bool)
    /// Whether what nobody asked for may be said: announcements, news of the media player.
    case announces(Bool)
    /// Whether a session without audio is kept open while there is no conversation, so that the next begins at once.
    case keepsWarm(Bool)
}

/// Which connection an event is about.
package enum ConversationLink: Equatable, Sendable {
    /// The one that carries the conversation.
    case current
    /// The one that is opened beside it, to take over.
    case standby
}

/// How a connection ended.
package struct LinkFailure: Equatable, Sendable {
    package enum Kind: Equatable, Sendable {
        /// Worth another try, after a pause that grows.
        case transient
        /// The service has had too much of us: another try, after a longer pause.
        case limited
        /// The session was over (its hour was up): connect again at once.
        case expired
        /// Trying again changes nothing until a person does: key, quota, model, address.
        case permanent
    }

    package var kind: Kind
    /// One line for the log and for `error(reason)`.
    package var reason: String
    /// The pause that the service asked for (`Retry-After`, RFC 9110 section 10.2.3).
    package var retryAfter: Duration?
    /// Somebody spoke while the connection was dead without saying so.
    package var missedSpeech = false

    package init(_ kind: Kind, _ reason: String, retryAfter: Duration? = nil) {
        self.kind = kind
        self.reason = reason
        self.retryAfter = retryAfter
    }
}

package enum ConversationTimer: Hashable, Sendable {
    /// The session must be configured by now.
    case setUp
    /// The pause before the next attempt to connect is over.
    case reconnect
    /// A call has been out in silence long enough for a soft tone.
    case thinking
    /// The server owes the end of the user's turn.
    case speech
    /// The server owes a response to the user's turn.
    case serverResponse
    /// The server owes the beginning of a response we asked for.
    case requestedResponse
    /// The server owes the end of a response.
    case activeResponse
    /// The server says that a response runs, and has told of none.
    case unknownResponse
    /// The server owes the end of a response that we have cancelled.
    case cancelledResponse
    /// The pause after a response that failed is over.
    case retryResponse
    /// The session has lasted long enough to count as one that works.
    case proven
    /// It is time to open the next session beside this one.
    case rotate
    /// The session beside this one must be configured by now.
    case standbySetUp
    /// The room has been quiet long enough to change sessions.
    case quiet
    /// A service that is preferred to the present one is to be tried again.
    case preferred
    /// The session is about to end: change at the next moment nobody speaks.
    case swapBy
    /// Nobody has spoken since the session was ready: the greeting may be said.
    case greeting
    /// Nobody has spoken for the idle limit.
    case idle
    /// What is being said after the budget was spent has taken long enough.
    case budget

    /// What one session owes; the next has its own time.
    static let ofTurns: [ConversationTimer] = [
        .speech, .serverResponse, .requestedResponse, .activeResponse, .unknownResponse, .cancelledResponse,
        .retryResponse,
    ]
}
