/// The reply to an `HTTPRequest`, whatever its status; redirects are not followed.
package struct HTTPResponse: Sendable {
    package var status: Int
    /// In the order received; names as the server wrote them.
    package var headers: [(name: String, value: String)]
    package var body: [UInt8]
    package var timings: Timings

    package struct Timings: Sendable {
        /// When the exchange began on the network thread.
        package var started: ContinuousClock.Instant
        /// When the first byte of the request went out.
        package var requestSent: ContinuousClock.Instant
        /// When the first byte of the reply came in.
        package var firstByte: ContinuousClock.Instant
        package var finished: ContinuousClock.Instant
        /// Whether an open connection of an earlier exchange was used.
        package var reusedConnection: Bool
    }

    /// The first header of this name, in any case.
    package func header(_ name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }
}
