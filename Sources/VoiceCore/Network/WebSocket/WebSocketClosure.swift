internal import VoiceBase

/// How a WebSocket ended; every connection ends with exactly one of these.
package enum WebSocketClosure: Equatable, Sendable, CustomStringConvertible {
    /// The closing handshake took place; code 1005 means that none was given (RFC 6455 section 7.1.5).
    case closed(code: UInt16, reason: String)
    /// The handshake was answered with a status other than 101.
    case refused(WebSocketRefusal)
    case failed(WebSocketFailure)

    /// One line for a log or a user; never contains a header that was sent.
    package var description: String {
        switch self {
        case .closed(let code, let reason):
            "the server closed the connection with code \(code)"
                + (reason.isEmpty ? "" : ": \(Self.line(Redaction.withoutKeys(reason)))")
        case .refused(let refusal):
            "the server refused the WebSocket with HTTP status \(refusal.status) \(Self.line(refusal.reason))"
                + (refusal.message.map { ": \(Self.line(Redaction.withoutKeys($0)))" } ?? "")
        case .failed(let failure): failure.description
        }
    }

    /// Makes text from a server fit for one line.
    private static func line(_ text: String) -> String {
        String(text.prefix(200).map { $0.isNewline || $0.asciiValue.map { $0 < 0x20 } == true ? " " : $0 })
    }
}

/// Why a WebSocket ended without a closing handshake.
package enum WebSocketFailure: Error, Equatable, Sendable, CustomStringConvertible {
    case badURL
    case cannotResolve(host: String)
    case cannotConnect(String)
    case tls(String)
    /// The name resolves to an address outside the local network, and the connection would be unencrypted.
    case exposed(host: String, address: String)
    /// The reply to the handshake did not conform to RFC 6455.
    case handshake(String)
    case timedOut(Phase)
    /// The connection ended without a close frame (code 1006 in other libraries).
    case reset(String)
    case violation(WebSocketViolation)
    /// This program stopped the connection.
    case stopped

    package enum Phase: Equatable, Sendable {
        /// A step on the way to the first message.
        case opening(ConnectionTimeout)
        /// No bytes arrived for this long, although the server was pinged.
        case silence(Duration)
        /// The server's machine acknowledged nothing that was sent for this long (TCP_USER_TIMEOUT, or keepalive).
        case acknowledgement(Duration)
        case closing
    }

    package var description: String {
        switch self {
        case .badURL: "the address is not a ws:// or wss:// URL"
        case .cannotResolve(let host): "the host name \(host) cannot be resolved; check the name and the DNS"
        case .cannotConnect(let detail): "no connection: \(detail)"
        case .tls(let detail): "TLS failed: \(detail)"
        case .exposed(let host, let address):
            "\(host) is \(address), outside this network, and ws:// is not encrypted: use wss://, an address in this "
                + "network, or (realtime) set realtime.allow_plain_http"
        case .handshake(let detail): "the server does not speak WebSocket here: \(detail)"
        case .timedOut(.opening(let timeout)): timeout.description
        case .timedOut(.silence(let limit)):
            "the connection is dead: nothing came from the server for \(limit.inSeconds), not even an answer to a ping"
        case .timedOut(.acknowledgement(let limit)):
            "the connection is dead: nothing of what was sent was acknowledged for \(limit.inSeconds)"
        case .timedOut(.closing): "the server did not finish closing in time"
        case .reset(let detail): "the connection broke: \(detail)"
        case .violation(let violation): "the server broke the WebSocket protocol: \(violation.description)"
        case .stopped: "the connection was stopped"
        }
    }
}
