/// Spares the user the wait for a server that is known to be in trouble.
///
/// Opens after three failures in a row that are the server's. While open, questions are answered at once by the last
/// failure. After 30 s one question goes through as a probe: its success closes the breaker, its failure opens it anew.
/// Questions are asked one at a time, so there is never more than one probe.
struct CircuitBreaker: Equatable {
    static let failuresToOpen = 3
    static let openTime = Duration.seconds(30)

    private var failures = 0
    private var last: JarvisFailure?
    private var openUntil: Duration?

    /// The answer while the breaker is open; nil lets the question through.
    func failure(at now: Duration) -> JarvisFailure? {
        guard let openUntil, now < openUntil else { return nil }
        return last
    }

    mutating func record(_ result: Result<String, JarvisFailure>, at now: Duration) {
        guard case .failure(let failure) = result else {
            self = CircuitBreaker()
            return
        }
        // A question the user took back tells nothing about the server.
        guard failure != .cancelled else { return }
        guard failure.isServerTrouble else {
            self = CircuitBreaker()
            return
        }
        failures += 1
        last = failure
        if failures >= Self.failuresToOpen { openUntil = now + Self.openTime }
    }
}
