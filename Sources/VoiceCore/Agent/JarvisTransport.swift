/// Carries HTTP requests to the agent; libcurl in the daemon, a script in the tests.
///
/// Must follow no redirect, refuse replies beyond `maximumReplyBytes`, and close the connection when the task is
/// cancelled: that is what stops some of the agent's runs.
package protocol JarvisTransport: Sendable {
    /// Sends a request and waits for the whole reply.
    func exchange(_ request: JarvisHTTPRequest) async -> JarvisHTTPResult
    /// Sends a request and waits for the head of the reply, whatever its status.
    func open(_ request: JarvisHTTPRequest) async -> Result<any JarvisReplyStream, JarvisFailure>
}

/// A reply that still comes in. For one reader.
package protocol JarvisReplyStream: Sendable {
    /// Without the body.
    var head: JarvisHTTPResponse { get }
    /// The next bytes; nil once the reply is complete. Cancelling the task closes the connection.
    func next() async -> Result<[UInt8]?, JarvisFailure>
    func close()
}

/// A request, ready to be sent. Describes itself without its headers, since one of them is the token.
package struct JarvisHTTPRequest: Sendable, Equatable, CustomStringConvertible, CustomReflectable {
    package struct Header: Sendable, Equatable {
        package let name: String
        package let value: String
    }

    package var method = "POST"
    package let url: String
    package let headers: [Header]
    package let body: [UInt8]
    package let connectTimeout: Duration
    /// From the start to the last byte of the reply.
    package let timeout: Duration
    /// Certificates to trust instead of the system's; nil for the system's.
    package let caFile: String?
    /// The certificate and key of this client; nil for none.
    package var certificateFile: String?
    package var keyFile: String?
    package let maximumReplyBytes: Int
    /// A question, which must not reach the agent twice without anybody knowing.
    package var isQuestion = false
    /// Carries the token in the open: must not leave the own network.
    package var staysNear = false

    package var description: String { "\(method) \(url), \(body.count) bytes" }
    package var customMirror: Mirror { Mirror(self, children: ["url": url, "bytes": body.count]) }
}

/// What came of it: a reply, whatever its status, or why there is none. A connection that ends before the reply is complete
/// is `cutOff`; a request that starts no work is better described by `JarvisFailure.withoutRun`.
package typealias JarvisHTTPResult = Result<JarvisHTTPResponse, JarvisFailure>

/// A reply as it arrived, whatever its status.
package struct JarvisHTTPResponse: Sendable, Equatable {
    package var status: Int
    /// The values of the Content-Type and Location headers.
    package var contentType: String?
    package var location: String?
    /// The value of the `x-response-id` header: the run that answers.
    package var runID: String?
    package var body: [UInt8]

    package init(
        status: Int,
        contentType: String?,
        location: String? = nil,
        runID: String? = nil,
        body: [UInt8] = []
    ) {
        self.status = status
        self.contentType = contentType
        self.location = location
        self.runID = runID
        self.body = body
    }

    /// "text/html" of "Text/HTML; charset=utf-8".
    var mediaType: String {
        (contentType ?? "").prefix { $0 != ";" }.lowercased().filter { !$0.isWhitespace }
    }
}
