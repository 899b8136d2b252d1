internal import Synchronization
package import VoiceSimulator

/// A stand-in for Hero365 streaming: a WebSocket server on 127.0.0.1, without TLS.
///
///     GET /voice/stream/ws/BUSINESS  ->  SocketSimulator  ->  SimulatedHero365Session (pure)
package final class Hero365Simulator: Sendable {
    private struct Record {
        var turns = 0
        var heard: [Int] = []
        var violations: [String] = []
    }

    private final class Shared: Sendable {
        let record = Mutex(Record())
    }

    private let shared: Shared
    private let server: SocketSimulator<SimulatedHero365Session>

    /// - Parameters:
    ///   - port: 0 takes any free one.
    ///   - key: the accepted bearer token.
    ///   - trouble: faults on the wire.
    ///   - struck: called with each fault and its connection, if it has one; like `events`.
    ///   - events: without audio data; called on the connection's thread; must not block.
    package init(
        _ script: Hero365Script,
        key: String = "sk-simulated",
        port: Int = 0,
        voice: SpokenVoice = .natural,
        seed: UInt64 = 1,
        trouble: SocketTrouble? = nil,
        events: @escaping @Sendable (RealtimeSimulator.Event) -> Void = { _ in },
        struck: @escaping @Sendable (FaultKind, Int?) -> Void = { _, _ in }
    ) {
        let shared = Shared()
        self.shared = shared
        server = SocketSimulator(
            key: key,
            port: port,
            trouble: trouble,
            struck: struck,
            takes: { $0.hasPrefix("/voice/stream/ws/") },
            begin: { number, faults in
                var script = script
                if var faults { script.faults = .init(drawing: &faults) }
                if number > script.faults.connections { script.faults = .init() }
                return SimulatedHero365Session(
                    script,
                    voice: voice,
                    turn: shared.record.withLock { $0.turns },
                    seed: seed &+ UInt64(number)
                )
            },
            ended: { session in
                shared.record.withLock { record in
                    record.turns = max(record.turns, session.turnsUsed)
                    record.heard += session.heard
                    record.violations += session.violations
                }
            },
            events: events
        )
    }

    /// Starts to listen and returns the port; throws if the port is taken.
    package func start() async throws -> Int { try await server.start() }

    /// Ends the faults of connections that begin from now on.
    package func calmDown() { server.calmDown() }

    /// Closes the listener and every connection.
    package func stop() async { await server.stop() }

    /// Number of TCP connections so far, including those that never became a session.
    package var attempts: Int { server.attempts }

    /// What clients did that the service does not allow, in the ended sessions.
    package var violations: [String] { shared.record.withLock { $0.violations } }

    /// Audio louder than silence in each turn of the ended sessions, in ms.
    package var heard: [Int] { shared.record.withLock { $0.heard } }
}
