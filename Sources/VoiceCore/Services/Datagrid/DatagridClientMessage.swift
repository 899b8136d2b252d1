package import VoiceBase
internal import VoiceConversation

/// Messages from the daemon to a Datagrid session, except audio.
package enum DatagridClientMessage: Equatable, Sendable {
    /// The first message; `conversation` names the one to continue.
    case start(DatagridSettings, conversation: String?)
    /// The first message as given by a hand-off, to be sent unchanged.
    case startAsGiven([UInt8])
    /// The user's words as text; the agent answers them.
    case text(String)
    /// Cuts the answer.
    case interrupt
    /// The last message.
    case stop

    package var type: String {
        switch self {
        case .start, .startAsGiven: "start"
        case .text: "text"
        case .interrupt: "interrupt"
        case .stop: "stop"
        }
    }

    /// The message as JSON text.
    package var encoded: [UInt8] {
        var members: [String: JSONValue] = ["type": .string(type)]
        switch self {
        case .start(let settings, let conversation): members["payload"] = settings.payload(conversation: conversation)
        case .startAsGiven(let bytes): return bytes
        case .text(let text): members["payload"] = ["text": .string(String(text.prefix(Self.longestText)))]
        case .interrupt, .stop: break
        }
        return Array(JSONValue.object(members).encoded.utf8)
    }

    /// The text before and after the base64 audio of an `audio` message.
    package static let audio = (before: #"{"type":"audio","payload":{"data":""#, after: #""}}"#)

    /// In characters: far more than anybody types.
    private static let longestText = 8000
}

/// The reply to `POST /v1/voice`: the address of the socket, with a token for this session only, and the first message.
/// Neither may be logged.
package struct DatagridHandoff: Equatable, Sendable {
    package var url: String
    package var start: [UInt8]

    private static let longest = 1 << 20

    /// Returns nil unless the reply holds a start message and a WebSocket address, encrypted if the key was sent encrypted.
    package init?(_ reply: [UInt8], isEncrypted: Bool) {
        guard let wire = OutsideJSON.decode(JSONValue.self, from: reply, atMost: Self.longest),
            let url = wire["url"]?.stringValue, let address = ServerURL(url),
            address.scheme == "wss" || address.scheme == "ws" && !isEncrypted
        else { return nil }
        self.url = url
        switch wire["start_message"] {
        case .string(let text)?: start = Array(text.utf8)
        case .object(let members)?: start = Array(JSONValue.object(members).encoded.utf8)
        default: return nil
        }
        guard !start.isEmpty else { return nil }
    }

    /// The token in the address; a secret.
    package var token: Secret? { ServerURL(url)?.query.flatMap { Secret($0) } }
}
