/// Carries one HTTP request to the agent; libcurl in the daemon, a script in the tests.
///
/// Must follow no redirect, refuse replies beyond `maximumReplyBytes`, and close the connection when the task is
/// cancelled: that is what stops the agent's run.
package protocol JarvisTransport: Sendable {
    func post(_ request: JarvisHTTPRequest) async -> JarvisHTTPResult
}

/// A POST, ready to be sent. Describes itself without its headers, since one of them is the token.
package struct JarvisHTTPRequest: Sendable, Equatable, CustomStringConvertible, CustomReflectable {
    package struct Header: Sendable, Equatable {
        package let name: String
        package let value: String
    }

    package let url: String
    package let headers: [Header]
    package let body: [UInt8]
    package let connectTimeout: Duration
    /// From the start to the last byte of the reply.
    package let timeout: Duration
    /// Certificates to trust instead of the system's; nil for the system's.
    package let caFile: String?
    package let maximumReplyBytes: Int

    package var description: String { "POST \(url), \(body.count) bytes" }
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
    package var body: [UInt8]

    package init(status: Int, contentType: String?, location: String? = nil, body: [UInt8]) {
        self.status = status
        self.contentType = contentType
        self.location = location
        self.body = body
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
    case replyTooLarge
    case cancelled
}
