internal import Glibc
import Logging
internal import Synchronization
import VoiceCore
import VoiceSimulator

/// Thousands of turns against services that make every kind of trouble, drawn from a seed.
///
///     ScriptedUser <-> FileRoom <-> daemon <-> simulated service and agent, all in this process
///
/// The room runs faster than real time. What waits for a clock (pauses before the next attempt to connect, pings, limits)
/// waits for the real one, and is set short here.
struct FaultRun {
    private let options: FaultOptions
    private let log = LogCounter()

    /// Nil where the arguments ask for something else, or for what cannot be.
    init?(_ arguments: [String]) {
        guard arguments.first == "faults", let options = FaultOptions(Array(arguments.dropFirst())) else { return nil }
        self.options = options
    }

    /// Returns whether everything held.
    func run() async throws -> Bool {
        // Pools, resolvers and caches are there after a first short run.
        _ = try await converse(turns: 3, isTroubled: false, ledger: FaultLedger(isVerbose: false))
        let before = ProcessHealth.now()
        let ledger = FaultLedger(isVerbose: options.isVerbose)
        print("seed \(options.seed), at most \(options.speed.text) times real time")
        let outcome = try await converse(turns: options.turns, isTroubled: true, ledger: ledger)
        var problems = outcome.problems
        let after = await Self.settled(before)
        if after.threads > before.threads { problems.append("\(after.threads - before.threads) threads are left") }
        if after.descriptors > before.descriptors {
            problems.append("\(after.descriptors - before.descriptors) descriptors are left")
        }
        if outcome.growth > 64 { problems.append("memory grew by \(outcome.growth.text) MB") }
        if options.isStrict, !ledger.lostAnswers.isEmpty {
            problems.append("answers were lost: \(ledger.lostAnswers.prefix(10))")
        }
        report(ledger, outcome, after)
        guard !problems.isEmpty else { return true }
        for line in ledger.trace { print("  \(line)") }
        for problem in problems { print("VIOLATION with seed \(options.seed): \(problem)") }
        return false
    }

    private struct Outcome {
        var problems: [String] = []
        var tally = ScriptedUser.Tally()
        var real = Duration.zero
        /// Resident memory at the end less that after a fifth of the turns, in MB.
        var growth = 0.0
    }

    /// One daemon from its start to its end.
    private func converse(turns: Int, isTroubled: Bool, ledger: FaultLedger) async throws -> Outcome {
        let services = try await FaultServices.start(
            seed: isTroubled ? options.seed : nil,
            speed: options.speed,
            ledger: ledger
        )
        let user = FaultRoom(seed: options.seed, ledger: ledger)
        weak var pipes: AudioPipes?
        var outcome = Outcome()
        do {
            let room = try FileRoom(speed: options.speed, listener: user.listen)
            let daemon = try services.daemon(room: room, speed: options.speed, logger: log.logger) { effect in
                ledger.note(effect)
                user.note(effect)
            }
            pipes = daemon.pipes
            try await daemon.start()
            outcome = await watch(turns, isTroubled, daemon, user, ledger, services)
            ledger.end()
            await daemon.stop()
        }
        await services.stop()
        outcome.tally = user.tally
        // Whoever still holds the pipes is a task or a thread that has not ended.
        for _ in 0..<100 where pipes != nil { try await Task.sleep(for: .milliseconds(20)) }
        if pipes != nil { outcome.problems.append("something of the daemon is still there after its end") }
        return outcome
    }

    private func watch(
        _ turns: Int,
        _ isTroubled: Bool,
        _ daemon: VoiceDaemon,
        _ user: FaultRoom,
        _ ledger: FaultLedger,
        _ services: FaultServices
    ) async -> Outcome {
        var outcome = Outcome()
        let began = Monotonic.now()
        var random = SplitMix(seed: options.seed &+ 77)
        var early: Double?
        var nextCommand = began + .seconds(2)
        var nextLine = began + .seconds(10)
        var lastProgress = (questions: 0, at: began)
        while outcome.problems.isEmpty {
            try? await Task.sleep(for: .milliseconds(20))
            let now = Monotonic.now()
            let tally = user.tally
            if let violation = ledger.check() { outcome.problems.append(violation) }
            if tally.questions > lastProgress.questions {
                lastProgress = (tally.questions, now)
            } else if now - lastProgress.at > .seconds(40) {
                outcome.problems.append("the user was not heard for 40 s")
            }
            if early == nil, tally.questions >= turns / 5 { early = ProcessHealth.now().megabytes }
            if tally.questions >= turns { break }
            if isTroubled, let seconds = options.seconds, now - began > .seconds(seconds) { break }
            if isTroubled, now > nextCommand {
                nextCommand = now + .milliseconds(Int.random(in: 500...4000, using: &random))
                await command(daemon, ledger, &random)
            }
            if isTroubled, now > nextLine {
                nextLine += .seconds(10)
                tell(tally, ledger.figures, now - began)
            }
        }
        outcome.real = Monotonic.now() - began
        if outcome.problems.isEmpty {
            services.calmDown()
            outcome.problems += await Self.recovers(user, ledger)
        }
        if let early { outcome.growth = ProcessHealth.now().megabytes - early }
        return outcome
    }

    /// The user's commands come at any time as well.
    private func command(_ daemon: VoiceDaemon, _ ledger: FaultLedger, _ random: inout SplitMix) async {
        if Int.random(in: 0..<4, using: &random) > 0 {
            ledger.note(FaultKind.commandedToBeQuiet)
            daemon.post(.interrupt)
        } else {
            ledger.note(FaultKind.sentAway)
            daemon.post(.deactivate)
            try? await Task.sleep(for: .milliseconds(Int.random(in: 0...100, using: &random)))
            daemon.post(.activate)
        }
    }

    /// With the trouble at its end, a question is answered as if nothing had been, and everything that was begun ends.
    private static func recovers(_ user: FaultRoom, _ ledger: FaultLedger) async -> [String] {
        let heard = user.tally.heardOut
        for _ in 0..<1000 where user.tally.heardOut < heard + 2 {
            if let violation = ledger.check() { return [violation] }
            try? await Task.sleep(for: .milliseconds(20))
        }
        guard user.tally.heardOut >= heard + 2 else { return ["no answer was heard after the trouble"] }
        user.leave()
        for _ in 0..<1000 where !ledger.isSettled {
            if let violation = ledger.check() { return [violation] }
            try? await Task.sleep(for: .milliseconds(20))
        }
        return ledger.isSettled ? [] : ["calls or faults are open after 20 s of peace"]
    }

    /// The process once what ends by itself has ended, for at most six seconds.
    private static func settled(_ before: ProcessHealth) async -> ProcessHealth {
        var health = ProcessHealth.now()
        for _ in 0..<60 where health.threads > before.threads || health.descriptors > before.descriptors {
            try? await Task.sleep(for: .milliseconds(100))
            health = ProcessHealth.now()
        }
        return health
    }

    // MARK: Text

    private func tell(_ tally: ScriptedUser.Tally, _ figures: FaultLedger.Figures, _ real: Duration) {
        let faults = figures.counts.values.reduce(0, +)
        print(
            "\(real.components.seconds) s: \(tally.questions) turns, \(faults) faults, \(figures.sessions) sessions, "
                + "\(figures.calls) calls, \(tally.bargeIns) barge-ins, \(ProcessHealth.now().megabytes.text) MB"
        )
        fflush(nil)
    }

    private func report(_ ledger: FaultLedger, _ outcome: Outcome, _ health: ProcessHealth) {
        let figures = ledger.figures
        tell(outcome.tally, figures, outcome.real)
        func pad(_ text: String, _ width: Int) -> String {
            String(repeating: " ", count: max(0, width - text.count)) + text
        }
        print("\(pad("fault", 22)) \(pad("times", 7)) \(pad("median ms", 10)) \(pad("p99", 8)) \(pad("longest", 8))")
        for kind in FaultKind.allCases {
            let times = Samples(figures.recoveries[kind] ?? [])
            let cells =
                times.count > 0 ? [times.median, times.p99, times.maximum].map { "\(Int($0))" } : ["-", "-", "-"]
            print(
                "\(pad(kind.rawValue, 22)) \(pad("\(figures.counts[kind] ?? 0)", 7)) \(pad(cells[0], 10)) "
                    + "\(pad(cells[1], 8)) \(pad(cells[2], 8))"
            )
        }
        print("answers that were lost with their session: \(figures.lostAnswers) of \(figures.calls)")
        print("memory grew by \(outcome.growth.text) MB; \(health.threads) threads, \(health.descriptors) descriptors")
        if options.isVerbose {
            for (name, count) in figures.transitions.sorted(by: { $0.key < $1.key }) { print("\(name): \(count)") }
            for trouble in log.troubles.first { print("log: \(trouble)") }
        }
    }
}
