/// Faults of the simulated Realtime service.
package struct RealtimeFaults: Sendable, Equatable {
    /// Cuts the connection, without a close frame, after so many events of a session.
    package var dropAfterEvents: Int?
    /// Number of TCP connections with faults, refused ones included; later ones are sound.
    package var faultyConnections = Int.max
    /// Sends an event of an unknown type after every so many events.
    package var unknownEventEvery: Int?
    /// Sends the beta names of events (`response.audio.delta` and the like).
    package var betaNames = false
    /// Refuses the upgrade with this HTTP status.
    package var refuseStatus: Int?
    /// Answers every `session.update` with an error of this code.
    package var rejectUpdateCode: String?
    /// Delays `session.updated`.
    package var updateDelayMilliseconds = 0
    /// Ends the session as the 60-minute limit does, after so many events.
    package var expireAfterEvents: Int?

    /// Sends so many more deltas of a response after the user has interrupted it.
    package var lateDeltas = 0

    /// Seed of the fault plans, one for each connection; nil for none.
    package var seed: UInt64?
    package var mix = FaultPlan.Mix()
    /// The fault plan of this connection.
    var plan: FaultPlan?

    package init() {}
}
