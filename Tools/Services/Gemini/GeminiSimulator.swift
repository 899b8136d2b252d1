internal import Synchronization
package import VoiceSimulator

/// A stand-in for Gemini Live: a WebSocket server on 127.0.0.1, without TLS.
///
///     GET /ws/google.ai....BidiGenerateContent  ->  SocketSimulator  ->  SimulatedGeminiSession (pure)
package final class GeminiSimulator: Sendable {
    struct Record {
        /// Turns of the script that were used.
        var turns = 0
        var violations: [String] = []
        /// Handles that were issued, and the calls that were open in their sessions.
        var handles: [String: [String: String]] = [:]
        var calls = 0
    }

    /// What the sessions have in common.
    final class Shared: Sendable {
        private let record = Mutex(Record())

        func with<Result>(_ body: (inout Record) -> Result) -> Result { record.withLock { body(&$0) } }
    }

    package static let path = "/ws/google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent"

    private let shared: Shared
    private let server: SocketSimulator<SimulatedGeminiSession>

    /// - Parameters:
    ///   - port: 0 takes any free one.
    ///   - key: the accepted API key.
    ///   - trouble: faults on the wire.
    ///   - struck: called with each fault and its connection, if it has one; like `events`.
    ///   - events: called on the connection's thread; must not block.
    package init(
        _ script: GeminiScript,
        key: String = "sk-simulated",
        port: Int = 0,
        voice: SpokenVoice = .natural,
        trouble: SocketTrouble? = nil,
        events: @escaping @Sendable (RealtimeSimulator.Event) -> Void = { _ in },
        struck: @escaping @Sendable (FaultKind, Int?) -> Void = { _, _ in }
    ) {
        let shared = Shared()
        self.shared = shared
        server = SocketSimulator(
            key: key,
            in: ("x-goog-api-key", ""),
            port: port,
            trouble: trouble,
            struck: struck,
            takes: { $0 == Self.path },
            begin: { number, faults in
                var script = script
                if var faults { script.faults = .init(drawing: &faults) }
                if number > script.faults.connections { script.faults = .init() }
                return SimulatedGeminiSession(script, shared: shared, voice: voice, tag: "\(number)")
            },
            ended: { session in shared.with { $0.violations += session.violations } },
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
    package var violations: [String] { shared.with { $0.violations } }
}
