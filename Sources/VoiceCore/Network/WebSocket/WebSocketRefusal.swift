/// A server that answered the handshake with an HTTP status other than 101.
package struct WebSocketRefusal: Equatable, Sendable {
    package let status: Int
    /// The text beside the status; may be empty.
    package let reason: String
    /// Seconds, where the server asked for a pause.
    package let retryAfter: Int?
    /// At most the first 4 KiB.
    package let body: String
}
