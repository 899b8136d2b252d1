import FoundationEssentials
internal import VoiceBase

extension JarvisClient {
    /// Clocks and random ids, replaceable by tests.
    package struct Environment: Sendable {
        /// Time since a fixed moment.
        package var now: @Sendable () -> Duration
        /// Pauses for a time that always elapses in full.
        package var sleep: @Sendable (Duration) async -> Void
        /// Waits for a deadline that is reached only if something else does not happen first.
        package var expire: @Sendable (Duration) async -> Void
        package var makeID: @Sendable () -> String
        /// Seconds since 1970.
        package var wallClock: @Sendable () -> Int = { 0 }
    }
}

extension JarvisClient.Environment {
    /// The clocks of this machine and random ids.
    package static let system: JarvisClient.Environment = {
        let start = ContinuousClock.now
        return JarvisClient.Environment(
            now: { ContinuousClock.now - start },
            sleep: { try? await Sleep.for($0) },
            expire: { try? await Sleep.for($0) },
            makeID: { UUID().uuidString.lowercased() },
            wallClock: { Int(Date().timeIntervalSince1970) }
        )
    }()
}
