package import VoiceNetwork

/// Carries HTTP requests to the agent; libcurl in the daemon, a script in the tests.
///
/// Must follow no redirect, refuse replies beyond `maximumReplyBytes`, and close the connection when the task is
/// cancelled: that is what stops some of the agent's runs.
package protocol JarvisTransport: Sendable {
    /// Sends a request and waits for the whole reply.
    func exchange(_ request: HTTPRequest) async -> JarvisResponse
    /// Sends a request and waits for the head of the reply, whatever its status.
    func open(_ request: HTTPRequest) async -> Result<any JarvisReplyStream, JarvisFailure>
}

/// A reply that still comes in. For one reader.
package protocol JarvisReplyStream: Sendable {
    /// Without the body.
    var head: HTTPResponse { get }
    /// The next bytes; nil once the reply is complete. Cancelling the task closes the connection.
    func next() async -> Result<[UInt8]?, JarvisFailure>
    func close()
}

/// What came of a request: a reply, whatever its status, or why there is none. A connection that ends before the reply is
/// complete is `cutOff`; a request that starts no work is better described by `JarvisFailure.withoutRun`.
package typealias JarvisResponse = Result<HTTPResponse, JarvisFailure>

extension HTTPResponse {
    /// The run that answers.
    var runID: String? { header("x-response-id") }
}
