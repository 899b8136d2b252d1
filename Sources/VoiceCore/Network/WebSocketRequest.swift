internal import VoiceBase

/// Where to open a WebSocket, and how patient to be. Describes itself without its headers and without the query of its
/// address, since a key may stand in either.
package struct WebSocketRequest: Sendable, CustomStringConvertible, CustomReflectable {
    /// ws:// or wss://
    package var url: String
    /// Sent with the handshake; the fields of RFC 6455 section 4.1 are added.
    package var headers: [(name: String, value: String)]
    /// For the steps of opening it.
    package var limits: ConnectionLimits
    /// The peer is dead when nothing came, or nothing sent was acknowledged, for so long; it is pinged before.
    package var deadPeerLimit: Duration
    /// How long the server may take to answer a close frame.
    package var closeTimeout: Duration
    package var maximumMessageBytes: Int
    /// Messages are refused when more than this waits for the socket.
    package var maximumPendingBytes: Int
    /// PEM file with the certificates to trust instead of the system's.
    package var caFile: String?
    /// Connects to addresses of the own network alone, without a proxy: what is said travels in the open.
    package var staysNear: Bool

    package init(
        url: String,
        headers: [(name: String, value: String)] = [],
        limits: ConnectionLimits,
        deadPeerLimit: Duration,
        closeTimeout: Duration = .seconds(2),
        maximumMessageBytes: Int = 16 << 20,
        maximumPendingBytes: Int = 4 << 20,
        caFile: String? = nil,
        staysNear: Bool = false
    ) {
        self.url = url
        self.headers = headers
        self.limits = limits
        self.deadPeerLimit = deadPeerLimit
        self.closeTimeout = closeTimeout
        self.maximumMessageBytes = maximumMessageBytes
        self.maximumPendingBytes = maximumPendingBytes
        self.caFile = caFile
        self.staysNear = staysNear
    }
}

extension WebSocketRequest {
    package var description: String { "WebSocket \(url.prefix { $0 != "?" })" }
    package var customMirror: Mirror { Mirror(self, children: ["url": url.prefix { $0 != "?" }]) }
}

extension ServerURL {
    /// The address of a WebSocket (RFC 6455 section 3); nil for one that is not ws:// or wss://.
    init?(ofWebSocket text: String) {
        guard let url = ServerURL(text), url.scheme == "ws" || url.scheme == "wss" else { return nil }
        self = url
    }

    /// What libcurl is to connect to: it knows no ws scheme in every version.
    var curlURL: String { "\(isSecure ? "https" : "http")://\(authority)/" }
}
