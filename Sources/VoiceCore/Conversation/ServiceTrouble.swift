/// Why the voice service cannot be had.
///
/// Outside of `always` a conversation that fails ends at once, and with it everything that is known of it; whoever asks for
/// the next one wants to know.
package struct ServiceTrouble: Equatable, Sendable {
    /// Counts the attempts that failed.
    package let number: Int
    package let reason: String
    /// The service has answered, and will not have us; otherwise it was not reached, or the connection did not hold.
    package let isRefusal: Bool

    package init(number: Int, reason: String, isRefusal: Bool) {
        self.number = number
        self.reason = reason
        self.isRefusal = isRefusal
    }
}

/// Something of a stream that was lost, summed up for one line of the log.
package enum StreamLoss: Equatable, Sendable {
    /// Microphone audio that the uplink did not take in time.
    case microphone(milliseconds: Int)
    /// Speech that found no room in the playout queue.
    case voice(milliseconds: Int)
    /// Messages of the service that could not be read.
    case messages(Int)
}
