package import VoiceReply

/// Everything that can happen to a conversation.
package enum ConversationEvent: Equatable, Sendable {
    /// Start, wake word, button or command: open a session.
    case activate
    /// End the session and stay idle.
    case deactivate
    /// The sessions that follow belong to the agent with this number, and get only its prompts and news.
    /// - name: what the user calls it.
    case belongs(toAgent: Int, name: String)
    /// The user interrupts: speech is cut, but running requests go on.
    case interrupt
    /// "Stop", by word, key or command: silence; no open request continues or is spoken about later.
    /// - isSpoken: whether the word itself may still reach the service; it is not a turn.
    case stop(isSpoken: Bool)

    /// The last question was only the first half: drop it, as the whole follows.
    case supersede

    /// The WebSocket is open; proves nothing yet, as a bad key is reported afterwards.
    case connected
    /// The connection ended, or failed to open.
    case disconnected(LinkFailure)
    /// A report from the service.
    case service(ServiceReport)
    /// The service limits the newly created session to this length.
    case lifetime(Duration)

    /// The first audio arrived of a response, or of one after an underrun.
    case voiceReceived(responseID: String, itemID: String)
    /// The first sample of a response is at the loudspeaker.
    case voiceAudible(responseID: String)
    /// How much of a response has left the loudspeaker and how much was received, in ms; sent before `voiceDrained` and
    /// `voiceStopped`.
    case voicePlayed(responseID: String, heard: Int, received: Int)
    /// Every sample received so far has been played.
    case voiceDrained
    /// Playback was cut as requested; lists how much was heard of each part not played to its end.
    case voiceStopped([HeardPart])

    /// The first byte of the call's request left.
    case callDispatched(callID: String)
    /// The call's only output.
    case callAnswered(callID: String, ToolResult)
    /// Part of the call's output while the rest is still being written; parts are spoken in order. The last part, which may
    /// be empty, completes the output.
    case callSays(callID: String, ToolResult, isLast: Bool)
    /// The call takes so long that the user should hear of it; `activity` is what is being done, such as "reading your
    /// mail".
    case callDelayed(callID: String, activity: String? = nil)
    /// A typed question, sent in the next silence.
    case ask(TypedQuestion)
    /// Have the voice say this in the next silence.
    case say(String)
    /// Greet in the newly opened conversation, unless the user asks something first.
    case greet
    /// The agent's greeting; nil if it had none in time.
    case agentGreets(String?)
    /// Close the session once nothing remains to be said; one that is always open only with `alwaysToo`.
    case endWhenQuiet(alwaysToo: Bool)
    /// The agent has news: an answer that no call is waiting for, or words of the house.
    /// - aloud: for news of the house, which is worded for a model that speaks: the words for a service without one.
    /// - agent: whose news it is; nil for news of the house, which every session may tell.
    case agentReported(ToolResult, aloud: HouseWords? = nil, agent: Int? = nil)
    /// The service is hearing a turn in which the local detector has heard no voice for this long, or hears one again.
    case userPaused(ago: Duration)
    case userResumed
    /// The service is about to commit the turn of this item, but the local detector heard no voice in it.
    case turnWasSilent(itemID: String)
    /// An agent waits for the user's reply to this; nil when it no longer does.
    case agentAsks(AgentPrompt?, agent: Int = 0)
    /// The media player has news for a quiet moment; `opens`: even if it takes a new session.
    case mediaReported(MediaRemark, opens: Bool)

    /// A stream lost something: for the log.
    case lost(StreamLoss)

    case timer(ConversationTimer)
    case budget(BudgetVerdict)
    /// Whether the session reopens automatically when the budget is renewed.
    case keepsOpen(Bool)
    /// Whether unrequested speech is allowed: announcements, news of the media player.
    case announces(Bool)
}

/// The connection an event concerns.
package enum ConversationLink: Equatable, Sendable {
    /// The connection that carries the conversation.
    case current
    /// The connection opened beside it, to take over.
    case standby
}

/// How a connection ended.
package struct LinkFailure: Equatable, Sendable {
    package enum Kind: Equatable, Sendable {
        /// Worth a retry, after a growing pause.
        case transient
        /// Rate limited: retry after a longer pause.
        case limited
        /// The session reached its maximum length: reconnect immediately.
        case expired
        /// A retry cannot help until a person acts: key, quota, model, address.
        case permanent
    }

    package var kind: Kind
    /// One line for the log and for `error(reason)`.
    package var reason: String
    /// The pause the service asked for (`Retry-After`, RFC 9110 section 10.2.3).
    package var retryAfter: Duration?
    /// The user spoke while the connection was dead without any sign of it.
    package var missedSpeech = false
    /// It is the local recogniser that is away.
    package var isOfRecogniser = false

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
    /// The server owes the beginning of a response the daemon requested.
    case requestedResponse
    /// The server owes the end of a response.
    case activeResponse
    /// The server reports a running response whose beginning it never announced.
    case unknownResponse
    /// The server owes the end of a response the daemon cancelled.
    case cancelledResponse
    /// The pause after a failed response is over.
    case retryResponse
    /// The session has lasted long enough to count as working.
    case proven
    /// It is time to open the next session beside this one.
    case rotate
    /// The session beside this one must be configured by now.
    case standbySetUp
    /// The room has been quiet long enough to change sessions.
    case quiet
    /// It is time to retry a service preferred to the current one.
    case preferred
    /// The session is about to end: change at the next moment of silence.
    case swapBy
    /// No one has spoken since the session became ready: the greeting may be said.
    case greeting
    /// No one has spoken for the idle limit.
    case idle
    /// Speech after the budget was spent has taken long enough.
    case budget

    /// Timers for what one session owes; the next starts afresh.
    static let ofTurns: [ConversationTimer] = [
        .speech, .serverResponse, .requestedResponse, .activeResponse, .unknownResponse, .cancelledResponse,
        .retryResponse,
    ]
}

/// A question that the user typed.
package struct TypedQuestion: Equatable, Sendable, ExpressibleByStringLiteral {
    package var text: String
    /// Whether it may give a permission that the agent asks for: otherwise that takes a voice.
    package var mayApprove: Bool
    /// The number of the client that reads the answer; nil if it is only heard.
    package var reader: Int?

    package init(_ text: String, mayApprove: Bool = false, reader: Int? = nil) {
        self.text = text
        self.mayApprove = mayApprove
        self.reader = reader
    }

    package init(stringLiteral text: String) { self.init(text) }
}
