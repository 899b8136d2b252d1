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
