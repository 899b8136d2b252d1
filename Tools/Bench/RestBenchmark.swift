import VoiceSimulator

/// What the daemon costs at rest, in its own process on a virtual card: wake-ups, which do not depend on what else
/// the machine does, and CPU time, which does.
enum RestBenchmark {
    static let benchmark = Benchmark(name: "rest", title: "The daemon at rest", run: run)

    private struct State {
        var name: String
        var activation: String
        /// Targets, per second and in percent of a core.
        var wakeUps: Double?
        var share: Double
        /// Settling time in s.
        var settles = 8
    }

    /// The canceller rests after 15 s.
    private static let states = [
        State(name: "push", activation: "mode = \"push\"", wakeUps: 20, share: 0.6),
        State(name: "always", activation: "mode = \"always\"", share: 1.5, settles: 25),
        State(
            name: "gate shut", activation: "mode = \"always\"\nvoice_gate = true", wakeUps: 120, share: 1, settles: 25
        ),
        // By then the loudspeaker has been given back.
        State(name: "push, after a minute", activation: "mode = \"push\"", wakeUps: 20, share: 0.6, settles: 70),
        State(
            name: "wake, after a minute",
            activation: "mode = \"wake\"\nengine = \"pocketsphinx\"\nwake_words = \"computer\"", share: 0.6, settles: 70
        ),
    ]

    /// Threads whose pace is that of the sound.
    private static let paced = ["jv-audio", "jv-net"]
    private static let mostOthers = 5.0

    private static func run(_ isQuick: Bool) async throws -> [Figure] {
        var figures: [Figure] = []
        for state in states where !isQuick || state.settles < 60 {
            figures += try await measure(state, seconds: isQuick ? 5 : 20)
        }
        return figures
    }

    private static func measure(_ state: State, seconds: Int) async throws -> [Figure] {
        guard let room = try VirtualRoom.find() else { throw BenchProblem("no virtual room; set VOICE_SHARED") }
        defer { room.close() }
        let services = try await SimulatedServices.start(ConversationScript(turns: []))
        let daemon = try room.daemon(services, activation: state.activation)
        defer { daemon.end() }
        try await Task.sleep(for: .seconds(state.settles))
        let cost = try await ProcessCost(daemon.id, for: seconds)
        await services.stop()
        return [
            Figure(
                "\(state.name): wake-ups per second", cost.wakeUps(), unit: "", atMost: state.wakeUps,
                note: cost.wakingThreads
            ).drawn(.wakeUps, as: state.name),
            Figure(
                "\(state.name): of them outside audio and network", cost.wakeUps(outside: paced), unit: "",
                atMost: mostOthers
            ),
            Figure("\(state.name): CPU, share of one core", cost.share, unit: "%", atMost: state.share)
                .drawn(.processor, as: state.name),
        ]
    }
}
