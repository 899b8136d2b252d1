internal import Glibc

/// What the daemon costs beside a client on the official SDK (sdk_client.py), on the same virtual card, in turn. The client
/// has no echo canceller, stop words, agent or tools; neither starts further processes.
enum PeerBenchmark {
    static let benchmark = Benchmark(
        name: "peer", title: "The daemon beside a client on the official SDK, which has no echo canceller", run: run
    )

    private enum State: String, CaseIterable {
        case silent = "session open, silence"
        case speaking = "the model speaks"

        /// Target of the CPU time in percent of a core.
        var share: Double { self == .silent ? 1.5 : 3 }
    }

    private static func run(_ isQuick: Bool) async throws -> [Figure] {
        // Before anything is downloaded.
        guard VirtualRoom.isAvailable else { throw noRoom }
        let python = try BenchProcess.output("scripts/bench-peer", []).filter { !$0.isNewline }
        var figures: [Figure] = []
        for state in State.allCases {
            var ours: [Cost] = []
            var client: [Cost] = []
            for _ in 0..<(isQuick ? 1 : 3) {
                ours.append(try await measure(state) { try $0.daemon($1, activation: "mode = \"always\"") })
                client.append(try await measure(state) { try $0.client($1, python: python) })
            }
            figures += compare(state, ours, client)
        }
        return figures
    }

    private struct Cost {
        var process: ProcessCost
        /// Per second; nil if this machine does not count them.
        var systemCalls: Double?
    }

    private static let noRoom = BenchProblem("no virtual room; set VOICE_SHARED")

    private static func measure(
        _ state: State,
        _ start: (VirtualRoom, SimulatedServices) throws -> BenchProcess
    ) async throws -> Cost {
        guard let room = try VirtualRoom.find() else { throw noRoom }
        defer { room.close() }
        let model = try await SpeakingModel.start(seconds: 60)
        let result: Result<Cost, any Error>
        do {
            let program = try start(room, model.services)
            defer { program.end() }
            result = .success(try await measure(state, program, model, room))
        } catch {
            result = .failure(error)
        }
        await model.services.stop()
        return try result.get()
    }

    private static func measure(
        _ state: State,
        _ program: BenchProcess,
        _ model: SpeakingModel,
        _ room: VirtualRoom
    ) async throws -> Cost {
        let seconds = 10
        do {
            switch state {
            // The canceller rests after 15 s without sound.
            case .silent: try await Task.sleep(for: .seconds(25))
            case .speaking: try await model.ask(in: room)
            }
            let (heard, spoken) = (model.heard, model.spoken)
            let process = try await ProcessCost(program.id, for: seconds)
            let (chunks, deltas) = (model.heard - heard, model.spoken - spoken)
            guard chunks >= seconds * 45 else { throw BenchProblem("the microphone fell silent: \(chunks) chunks") }
            guard state == .silent || deltas >= seconds * 8 else {
                throw BenchProblem("the model fell silent: \(deltas) deltas")
            }
            // Afterwards, because counting costs time.
            return Cost(process: process, systemCalls: try await SystemCalls(program.id, for: 3)?.perSecond())
        } catch let problem as BenchProblem where program.output >= 0 {
            program.end()
            let reason = program.readAll().split(whereSeparator: \.isNewline).last ?? "it printed nothing"
            throw BenchProblem("\(problem): \(reason)")
        }
    }

    private static func compare(_ state: State, _ ours: [Cost], _ client: [Cost]) -> [Figure] {
        func figure(
            _ name: String,
            unit: String = "",
            atMost limit: Double? = nil,
            _ value: (Cost) -> Double?
        ) -> Figure {
            let (ours, client) = (Samples(ours.compactMap(value)), Samples(client.compactMap(value)))
            return Figure(
                "\(state.rawValue): \(name)", ours.median, unit: unit, atMost: limit, beside: client.median,
                note: "client \(client.median.text), ours / client \((ours.median / client.median).text)"
            )
        }
        let figures = [
            figure("CPU, share of one core", unit: "%", atMost: state.share) { $0.process.share }
                .drawn(.processor, as: state.rawValue),
            figure("wake-ups per second") { $0.process.wakeUps() }.drawn(.wakeUps, as: state.rawValue),
            figure("resident memory", unit: "MB") { $0.process.residentMegabytes },
        ]
        let areCounted = (ours + client).allSatisfy { $0.systemCalls != nil }
        return figures + (areCounted ? [figure("system calls per second") { $0.systemCalls }] : [])
    }
}

/// Counts the system calls of a process with perf, where it is installed and allowed.
private struct SystemCalls {
    private let perf: BenchProcess
    private let seconds: Int

    /// Returns nil without perf.
    init?(_ process: pid_t, for seconds: Int) async throws {
        let options = ["stat", "-x", ",", "-e", "raw_syscalls:sys_enter", "-p", "\(process)", "sleep", "\(seconds)"]
        guard let perf = try? BenchProcess("perf", options, captures: true) else { return nil }
        self.perf = perf
        self.seconds = seconds
        try await Task.sleep(for: .seconds(seconds))
    }

    /// Waits for the end of the count; nil if perf may not count.
    func perSecond() -> Double? {
        perf.readAll().split(separator: ",").first.flatMap { Double($0) }.map { $0 / Double(seconds) }
    }
}
