/// Why the voice service is unavailable.
///
/// In all modes but `always`, a failed conversation ends immediately and loses its state; this record explains the failure when
/// the next one is requested.
package struct ServiceTrouble: Equatable, Sendable {
    /// Number of failed attempts.
    package let number: Int
    package let reason: String
    package let kind: LinkFailure.Kind
    /// The service answered with a refusal, which only a person can end.
    package var isRefusal: Bool { kind == .permanent }

    package init(number: Int, reason: String, kind: LinkFailure.Kind) {
        self.number = number
        self.reason = reason
        self.kind = kind
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
