/// The reply to an `HTTPRequest`, whatever its status; redirects are not followed.
package struct HTTPResponse: Sendable {
    package var status: Int
    /// In the order received, with names as the server wrote them.
    package var headers: [(name: String, value: String)]
    package var body: [UInt8]
    /// nil for a reply whose body is still arriving.
    package var timings: Timings?

    package init(
        status: Int,
        headers: [(name: String, value: String)] = [],
        body: [UInt8] = [],
        timings: Timings? = nil
    ) {
        self.status = status
        self.headers = headers
        self.body = body
        self.timings = timings
    }

    package struct Timings: Sendable {
        /// When the exchange began on the network thread.
        package var started: ContinuousClock.Instant
        /// When the first byte of the request was sent.
        package var requestSent: ContinuousClock.Instant
        /// When the first byte of the reply arrived.
        package var firstByte: ContinuousClock.Instant
        package var finished: ContinuousClock.Instant
        /// Whether an open connection of an earlier exchange was reused.
        package var reusedConnection: Bool
    }

    /// The first header of this name, ignoring case.
    package func header(_ name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }

    /// "text/html" of "Text/HTML; charset=utf-8"; empty if the server states no type.
    package var mediaType: String {
        (header("content-type") ?? "").prefix { $0 != ";" }.lowercased().filter { !$0.isWhitespace }
    }

    /// "utf-8" of "text/xml; charset=UTF-8"; nil if the server states none.
    package var charset: String? {
        let parameters = (header("content-type") ?? "").lowercased().filter {
            !$0.isWhitespace && $0 != "\"" && $0 != "'"
        }
        .split(separator: ";").dropFirst()
        return parameters.first { $0.hasPrefix("charset=") }.map { String($0.dropFirst("charset=".count)) }
    }
}

/// Why an HTTP exchange gave no reply. Each description is one line and contains no header.
package enum HTTPFailure: Error, Equatable, Sendable, CustomStringConvertible {
    case badURL(String)
    case badHeader
    case cannotResolve(host: String)
    case cannotConnect(String)
    case tls(String)
    /// The name resolves to an address outside the local network, to which the request must not be sent.
    case exposed(host: String, address: String)
    case timedOut(Phase)
    case replyTooLarge(limit: Int)
    /// Compressed although that was not offered, more than once, or not as stated.
    case badCoding
    case reset(String)
    case cancelled
    case other(String)

    package enum Phase: Equatable, Sendable {
        case connecting
        case reply
    }

    package var description: String {
        switch self {
        case .badURL(let detail): "not a usable http:// or https:// address: \(detail)"
        case .badHeader: "the method or a header contains a character that HTTP does not allow"
        case .cannotResolve(let host): "the host name \(host) cannot be resolved; check the name and the DNS"
        case .cannotConnect(let detail): "no connection: \(detail)"
        case .tls(let detail): "TLS failed: \(detail)"
        case .exposed(let host, let address): "\(host) is \(address), outside this network"
        case .timedOut(.connecting): "the connection took too long to open"
        case .timedOut(.reply): "the server did not finish its reply in time"
        case .replyTooLarge(let limit): "the reply is longer than \(limit) bytes"
        case .badCoding: "the server compresses its reply in a way that was not asked for"
        case .reset(let detail): "the connection broke: \(detail)"
        case .cancelled: "the request was cancelled"
        case .other(let detail): detail
        }
    }
}
