/// Everything that can happen to a conversation.
package enum ConversationEvent: Equatable, Sendable {
    /// Start, wake word, button or command: open a session.
    case activate
    /// End the session and stay idle.
    case deactivate
    /// The user's command to be quiet, by button or control socket.
    case interrupt

    /// The WebSocket is open; proves nothing yet (a bad key is told afterwards).
    case connected
    /// The connection ended, or could not be made.
    case disconnected(LinkFailure)
    case server(ServerEvent)

    /// The first audio of a response, or of one that had run dry, came in.
    case voiceReceived(responseID: String, itemID: String)
    /// The first sample of a response is at the loudspeaker.
    case voiceAudible(responseID: String)
    /// Every sample received so far has been played.
    case voiceDrained
    /// Playback was cut as asked; what was heard of each part that had not been played and finished.
    case voiceStopped([HeardPart])

    /// The first byte of the call's request left.
    case callDispatched(callID: String)
    /// The call's one output; `wantsReply` false where the model should stay silent about it.
    case callAnswered(callID: String, output: String, wantsReply: Bool)
    /// The call takes so long that the user should be told.
    case callDelayed(callID: String)
    /// Close the session once nothing is left to be said.
    case endWhenQuiet

    case timer(ConversationTimer)
}

/// How a connection ended.
package struct LinkFailure: Equatable, Sendable {
    package enum Kind: Equatable, Sendable {
        /// Worth another try, after a pause that grows.
        case transient
        /// The session was over (its hour was up): connect again at once.
        case expired
        /// Trying again changes nothing until a person does: key, quota, model, address.
        case permanent
    }

    package var kind: Kind
    /// One line for the log and for `error(reason)`.
    package var reason: String

    package init(_ kind: Kind, _ reason: String) {
        self.kind = kind
        self.reason = reason
    }
}

package enum ConversationTimer: Hashable, Sendable {
    /// The session must be configured by now.
    case setUp
    /// The pause before the next attempt to connect is over.
    case reconnect
    /// A call has been out in silence long enough for a soft tone.
    case thinking
    /// The server owes a response to the user's turn.
    case serverResponse
    /// The server owes the beginning of a response we asked for.
    case requestedResponse
    /// Nobody has spoken for the idle limit.
    case idle
}
