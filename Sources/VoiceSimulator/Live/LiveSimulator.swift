internal import NIOHTTP1

/// A stand-in for GPT-Live: a WebSocket server on 127.0.0.1, without TLS.
///
///     GET /v1/live/sessions  ->  SocketServer  ->  SimulatedLiveSession (pure)
///
/// It runs in real time, as its timeline is the sound that it is sent.
package final class LiveSimulator: Sendable {
    private let server: SocketServer

    /// - Parameters:
    ///   - port: 0 takes any free one.
    ///   - key: the accepted bearer key.
    ///   - threshold: quieter audio than this is never speech, in dBFS.
    ///   - events: called on the thread of the connection; must not block.
    package init(
        _ script: LiveScript,
        key: String = "sk-simulated",
        port: Int = 0,
        voice: SpokenVoice = .natural,
        threshold: Double = -45,
        events: @escaping @Sendable (RealtimeSimulator.Event) -> Void = { _ in }
    ) {
        server = SocketServer(
            port: port,
            accepts: { head in
                head.headers.first(name: "Authorization") == "Bearer \(key)"
                    && RequestTarget(head.uri).path == "/v1/live/sessions"
            },
            session: { number, turn in
                var script = script
                if number > script.faults.connections { script.faults = .init() }
                return SimulatedLiveSession(
                    script: script,
                    voice: voice,
                    threshold: threshold,
                    tag: "c\(number)",
                    turn: turn
                )
            },
            events: events
        )
    }

    /// Starts to listen and returns the port; throws when the port is taken.
    package func start() async throws -> Int { try await server.start() }

    /// Closes the listener and every connection.
    package func stop() async { await server.stop() }

    /// What clients did that the service does not allow.
    package var violations: [String] { server.violations }
}
