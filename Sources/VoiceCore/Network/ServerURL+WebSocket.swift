internal import VoiceBase

extension ServerURL {
    /// The address of a WebSocket (RFC 6455 section 3); nil for one that is not ws:// or wss://.
    init?(ofWebSocket text: String) {
        guard let url = ServerURL(text), url.scheme == "ws" || url.scheme == "wss" else { return nil }
        self = url
    }

    /// What libcurl is to connect to: it knows no ws scheme in every version.
    var curlURL: String { "\(isSecure ? "https" : "http")://\(authority)/" }
}
