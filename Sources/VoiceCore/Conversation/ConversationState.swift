/// The state of the conversation, as shown in the log, the status and the lights.
package enum ConversationState: Equatable, Sendable, CustomStringConvertible {
    /// No session. `activate` leads to `connecting`.
    case idle
    /// A session is being opened and configured. Leads to `listening`, or to `error`.
    case connecting
    /// The microphone streams and no one speaks.
    case listening
    /// The server hears the user. Leads to `processing`, or by the interrupt command to `listening`.
    case userSpeaking
    /// A response is awaited: after the user's turn, or after a call's output.
    case processing
    /// The acknowledgement of a response that also holds a call is being spoken, and the call is out.
    case fillerSpeaking
    /// A call is out and nothing is being spoken.
    case waitingForJarvis
    /// The answer is being spoken; ends with its last sample at the loudspeaker.
    case aiSpeaking
    /// The service refuses the client, for this reason. Probed again from time to time.
    case error(String)

    /// The state without its reason, for places that show the reason separately.
    package var name: String {
        if case .error = self { "error" } else { description }
    }

    package var description: String {
        switch self {
        case .idle: "idle"
        case .connecting: "connecting"
        case .listening: "listening"
        case .userSpeaking: "userSpeaking"
        case .processing: "processing"
        case .fillerSpeaking: "fillerSpeaking"
        case .waitingForJarvis: "waitingForJarvis"
        case .aiSpeaking: "aiSpeaking"
        case .error(let reason): "error(\(reason))"
        }
    }
}
