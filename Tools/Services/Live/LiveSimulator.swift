internal import Synchronization
package import VoiceSimulator

/// A stand-in for GPT-Live: a WebSocket server on 127.0.0.1, without TLS.
///
///     GET /v1/live/sessions  ->  SocketSimulator  ->  SimulatedLiveSession (pure)
///
/// Runs in real time, because its timeline is the audio that it receives.
package final class LiveSimulator: Sendable {
    private struct Record {
        var turns = 0
        var violations: [String] = []
    }

    private let record: Shared
    private let server: SocketSimulator<SimulatedLiveSession>

    private final class Shared: Sendable {
        let record = Mutex(Record())
    }

    /// - Parameters:
    ///   - port: 0 takes any free one.
    ///   - key: the accepted bearer key.
    ///   - threshold: audio below this level is never speech, in dBFS.
    ///   - trouble: faults on the wire.
    ///   - struck: called with each fault and its connection, if it has one; like `events`.
    ///   - events: called on the connection's thread; must not block.
    package init(
        _ script: LiveScript,
        key: String = "sk-simulated",
        port: Int = 0,
        voice: SpokenVoice = .natural,
        threshold: Double = -45,
        trouble: SocketTrouble? = nil,
        events: @escaping @Sendable (RealtimeSimulator.Event) -> Void = { _ in },
        struck: @escaping @Sendable (FaultKind, Int?) -> Void = { _, _ in }
    ) {
        let shared = Shared()
        record = shared
        server = SocketSimulator(
            key: key,
            port: port,
            trouble: trouble,
            struck: struck,
            takes: { $0 == "/v1/live/sessions" },
            begin: { number, faults in
                var script = script
                if var faults { script.faults = .init(drawing: &faults) }
                if number > script.faults.connections { script.faults = .init() }
                return SimulatedLiveSession(
                    script: script,
                    voice: voice,
                    threshold: threshold,
                    tag: "c\(number)",
                    turn: shared.record.withLock { $0.turns }
                )
            },
            ended: { session in
                shared.record.withLock { record in
                    record.turns = max(record.turns, session.turnsUsed)
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

    /// What clients did that the service does not allow.
    package var violations: [String] { record.record.withLock { $0.violations } }
}
