package import VoiceNetwork

/// Sends HTTP requests to the agent: the network thread in the daemon, a script in tests.
///
/// Must follow no redirect, refuse replies beyond `maximumReplyBytes`, and close the connection when the task is cancelled:
/// closing it is what stops some of the agent's runs.
package protocol JarvisTransport: Sendable {
    /// Sends a request and waits for the whole reply.
    func exchange(_ request: HTTPRequest) async -> JarvisResponse
    /// Sends a request and waits for the head of the reply, whatever its status.
    func open(_ request: HTTPRequest) async -> Result<any JarvisReplyStream, JarvisFailure>
    /// Opens a WebSocket. `wrongBasePath` means that the other side speaks no WebSocket.
    func connect(_ request: WebSocketRequest) async -> Result<any JarvisSocket, JarvisFailure>
}

extension JarvisTransport {
    package func connect(_ request: WebSocketRequest) async -> Result<any JarvisSocket, JarvisFailure> {
        .failure(.wrongBasePath(hint: "no WebSocket"))
    }
}

/// A reply still being received. For one reader.
package protocol JarvisReplyStream: Sendable {
    /// The head of the reply, without a body.
    var head: HTTPResponse { get }
    /// Returns the next bytes; nil once the reply is complete. Cancelling the task closes the connection.
    func read() async -> Result<[UInt8]?, JarvisFailure>
    func close()
}

/// The result of a request: a reply, whatever its status, or the failure. A connection that ends before the reply is
/// complete is `cutOff`; for a request that starts no work, `JarvisFailure.withoutRun` describes that better.
package typealias JarvisResponse = Result<HTTPResponse, JarvisFailure>

extension HTTPResponse {
    /// The id of the run that answers.
    var runID: String? { header("x-response-id") }
}
