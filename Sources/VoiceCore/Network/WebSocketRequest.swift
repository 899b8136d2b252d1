internal import VoiceBase

/// The address of a WebSocket and the time limits of its connection. Its description omits the headers and the query of the
/// address, since either may contain a key.
package struct WebSocketRequest: Sendable, CustomStringConvertible, CustomReflectable {
    /// ws:// or wss://
    package var url: String
    /// Sent with the handshake, in addition to the fields of RFC 6455 section 4.1.
    package var headers: [(name: String, value: String)]
    /// Limits for the steps of opening it.
    package var limits: ConnectionLimits
    /// The peer counts as dead when nothing has arrived, or nothing sent was acknowledged, for this long; it is pinged
    /// before.
    package var deadPeerLimit: Duration
    /// How long the server may take to answer a close frame.
    package var closeTimeout: Duration
    /// Messages are refused if more than this would wait for the socket.
    package var maximumPendingBytes: Int
    /// PEM file with the certificates to trust instead of the system's.
    package var caFile: String?
    /// Connects to addresses of the local network only, without a proxy, because the data is not encrypted.
    package var staysNear: Bool

    package init(
        url: String,
        headers: [(name: String, value: String)] = [],
        limits: ConnectionLimits,
        deadPeerLimit: Duration,
        closeTimeout: Duration = .seconds(2),
        maximumPendingBytes: Int = 4 << 20,
        caFile: String? = nil,
        staysNear: Bool = false
    ) {
        self.url = url
        self.headers = headers
        self.limits = limits
        self.deadPeerLimit = deadPeerLimit
        self.closeTimeout = closeTimeout
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
    /// The address of a WebSocket (RFC 6455 section 3); nil if it is not ws:// or wss://.
    init?(ofWebSocket text: String) {
        guard let url = ServerURL(text), url.scheme == "ws" || url.scheme == "wss" else { return nil }
        self = url
    }

    /// The address for libcurl, which does not support the ws scheme in every version.
    var curlURL: String { "\(isSecure ? "https" : "http")://\(authority)/" }
}
