/// Why the voice service is unavailable.
///
/// In all modes but `always`, a failed conversation ends immediately and loses its state; this record explains the failure when
/// the next one is requested.
package struct ServiceTrouble: Equatable, Sendable {
    /// Number of failed attempts.
    package let number: Int
    package let reason: String
    /// The service answered with a refusal; otherwise it was unreachable, or the connection broke.
    package let isRefusal: Bool

    package init(number: Int, reason: String, isRefusal: Bool) {
        self.number = number
        self.reason = reason
        self.isRefusal = isRefusal
    }
}

/// Lost parts of a stream, summed up for one line of the log.
package enum StreamLoss: Equatable, Sendable {
    /// Microphone audio the uplink did not take in time.
    case microphone(milliseconds: Int)
    /// Speech dropped because the playout queue was full.
    case voice(milliseconds: Int)
    /// Unreadable messages of the service.
    case messages(Int)
}
