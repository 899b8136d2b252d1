/// Carries HTTP requests to the agent; libcurl in the daemon, a script in the tests.
///
/// Must follow no redirect, refuse replies beyond `maximumReplyBytes`, and close the connection when the task is
/// cancelled: that is what stops some of the agent's runs.
package protocol JarvisTransport: Sendable {
    /// Sends a request and waits for the whole reply.
    func exchange(_ request: JarvisHTTPRequest) async -> JarvisHTTPResult
    /// Sends a request and waits for the head of the reply, whatever its status.
    func open(_ request: JarvisHTTPRequest) async -> Result<any JarvisReplyStream, JarvisTransportFault>
}

/// A reply that still comes in. For one reader.
package protocol JarvisReplyStream: Sendable {
    /// Without the body.
    var head: JarvisHTTPResponse { get }
    /// The next bytes; nil once the reply is complete. Cancelling the task closes the connection.
    func next() async -> Result<[UInt8]?, JarvisTransportFault>
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

/// What came of it.
package enum JarvisHTTPResult: Sendable, Equatable {
    case response(JarvisHTTPResponse)
    case failed(JarvisTransportFault)
}

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

/// Why no reply arrived. The texts are for the log.
package enum JarvisTransportFault: Error, Sendable, Equatable {
    /// No address for the name, or nobody listens there.
    case couldNotConnect(String)
    case timedOut
    /// The connection ended before the reply did.
    case connectionLost(String)
    /// The certificate is not to be trusted, or TLS failed otherwise.
    case untrusted(String)
    /// The name stands for an address outside the own network, and the request must not go there.
    case exposed(host: String, address: String)
    case replyTooLarge
    case cancelled
}
