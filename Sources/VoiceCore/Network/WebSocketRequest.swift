/// Where to open a WebSocket, and how patient to be.
package struct WebSocketRequest: Sendable {
    /// ws:// or wss://
    package var url: String
    /// Sent with the handshake; the fields of RFC 6455 section 4.1 are added.
    package var headers: [(name: String, value: String)]
    /// DNS, TCP and TLS.
    package var connectTimeout: Duration
    /// From the open connection to the server's whole reply.
    package var handshakeTimeout: Duration
    package var pingInterval: Duration
    /// The connection is given up when nothing came for so long.
    package var silenceTimeout: Duration
    /// How long the server may take to answer a close frame.
    package var closeTimeout: Duration
    package var maximumMessageBytes: Int
    /// Messages are refused when more than this waits for the socket.
    package var maximumPendingBytes: Int
    /// PEM file with the certificates to trust instead of the system's.
    package var caFile: String?

    package init(
        url: String,
        headers: [(name: String, value: String)] = [],
        connectTimeout: Duration = .seconds(10),
        handshakeTimeout: Duration = .seconds(10),
        pingInterval: Duration = .seconds(20),
        silenceTimeout: Duration = .seconds(60),
        closeTimeout: Duration = .seconds(2),
        maximumMessageBytes: Int = 16 << 20,
        maximumPendingBytes: Int = 4 << 20,
        caFile: String? = nil
    ) {
        self.url = url
        self.headers = headers
        self.connectTimeout = connectTimeout
        self.handshakeTimeout = handshakeTimeout
        self.pingInterval = pingInterval
        self.silenceTimeout = silenceTimeout
        self.closeTimeout = closeTimeout
        self.maximumMessageBytes = maximumMessageBytes
        self.maximumPendingBytes = maximumPendingBytes
        self.caFile = caFile
    }
}
