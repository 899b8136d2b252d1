/// Spares the user the wait for a server known to be failing.
///
///     closed --three failures in a row--> open --pause over--> half-open --success--> closed
///                                          ^------------------- failure, longer pause ---'
///
/// While open, questions are refused immediately. After the pause the next question is let through as a trial; there is one
/// trial at a time. Only failures of the server count.
package struct CircuitBreaker: Equatable, Sendable {
    package enum State: Equatable, Sendable {
        case closed(failures: Int)
        case open(until: Duration, JarvisFailure)
        case halfOpen(JarvisFailure)
    }

    /// "closed", "open", "half_open".
    package var name: String {
        switch state {
        case .closed: "closed"
        case .open: "open"
        case .halfOpen: "half_open"
        }
    }

    package enum Decision: Equatable, Sendable {
        case pass
        /// Check that the server is alive, then ask.
        case tryOut
        case refuse(JarvisFailure)
    }

    package static let failuresToOpen = 3
    package static let firstPause = Duration.seconds(30)
    package static let longestPause = Duration.seconds(300)

    package private(set) var state = State.closed(failures: 0)
    private var pause = CircuitBreaker.firstPause
    /// The latest failure that a check of the server sees too; nil once a question or a check succeeds.
    private var unreachable: JarvisFailure?
    /// The latest refusal that only a person can fix and that a check of the server may not see; nil once a question succeeds.
    private var refused: JarvisFailure?

    /// Why the agent cannot be asked now; nil if it can, as far as is known.
    package var trouble: JarvisFailure? {
        if let known = unreachable ?? refused { return known }
        return switch state {
        case .closed: nil
        case .open(_, let failure), .halfOpen(let failure): failure
        }
    }

    /// Learns from a check of the server without a question.
    package mutating func checked(_ failure: JarvisFailure?) {
        guard let failure else {
            // The server is back; this check does not see a failing model behind it.
            guard unreachable != nil else { return }
            let before = refused
            self = CircuitBreaker()
            refused = before
            return
        }
        if failure.isSeenByCheck { unreachable = failure }
    }

    /// Decides on a question. If it is let through, `record` must follow.
    package mutating func decide(at now: Duration) -> Decision {
        switch state {
        case .closed: return .pass
        case .halfOpen(let failure): return .refuse(failure)
        case .open(let until, let failure):
            guard now >= until else { return .refuse(failure) }
            state = .halfOpen(failure)
            return .tryOut
        }
    }

    /// Seconds until a question is let through again; 0 during a trial and while nothing is refused.
    package func pauseLeft(at now: Duration) -> Int {
        guard case .open(let until, _) = state, until > now else { return 0 }
        return Int((until - now + .milliseconds(999)).components.seconds)
    }

    /// - Parameter failure: nil for success.
    package mutating func record(_ failure: JarvisFailure?, at now: Duration) {
        // A question refused locally says nothing about the server.
        if let failure, failure.isLocal {
            if case .halfOpen(let last) = state { state = .open(until: now, last) }
            return
        }
        guard let failure, failure.isServerTrouble else {
            self = CircuitBreaker()
            if let failure, failure.isSeenByCheck { unreachable = failure }
            if failure == .noCredit || failure == .authentication { refused = failure }
            return
        }
        unreachable = failure.isSeenByCheck ? failure : nil
        switch state {
        case .closed(let failures) where failures + 1 < Self.failuresToOpen:
            state = .closed(failures: failures + 1)
        case .closed:
            state = .open(until: now + pause, failure)
        case .halfOpen, .open:
            pause = min(pause * 2, Self.longestPause)
            state = .open(until: now + pause, failure)
        }
    }
}
