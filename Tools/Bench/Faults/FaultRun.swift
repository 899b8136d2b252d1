internal import Glibc
import Logging
import VoiceBase
import VoiceSimulator

/// Hundreds or thousands of turns against services with every kind of fault, drawn from a seed.
///
///     ScriptedUser <-> FileRoom <-> daemon <-> simulated service and agent, all in this process, several times
///
/// With the Realtime service the room runs faster than real time. Waits for a clock (pauses before the next attempt to
/// connect, pings, limits) take real time and are set short here, so several daemons run in parallel. The other services
/// take their time from the audio, so their rooms run in real time, more of them in parallel.
struct FaultRun {
    private let options: FaultOptions
    private let log = LogCounter()

    /// Returns nil if the arguments are for another command or invalid.
    init?(_ arguments: [String]) {
        guard arguments.first == "faults", let options = FaultOptions(Array(arguments.dropFirst())) else { return nil }
        self.options = options
    }

    /// Returns whether there was no violation.
    func run() async throws -> Bool {
        // After a first short run, pools, resolvers and caches exist.
        let calm = FaultLedger(service: options.service, isVerbose: false)
        _ = try await lane(0, turns: 3, isTroubled: false, calm).run()
        let before = ProcessHealth.now()
        let ledgers = (0..<options.lanes).map { _ in
            FaultLedger(
                service: options.service, isVerbose: options.isVerbose && options.lanes == 1,
                traced: options.isStrict ? 100_000 : 6000
            )
        }
        print("seeds \(seed(0)) to \(seed(options.lanes - 1)), at most \(options.speed.text) times real time")
        let began = Monotonic.now()
        let reporter = Task { await follow(ledgers, since: began) }
        let problems = try await withThrowingTaskGroup(of: (Int, [String]).self) { group in
            for number in 0..<options.lanes {
                let share = (options.turns + number) / options.lanes
                let lane = lane(number, turns: share, isTroubled: options.isTroubled, ledgers[number])
                group.addTask { (number, try await lane.run()) }
            }
            return try await group.reduce(into: [Int: [String]]()) { $0[$1.0] = $1.1 }
        }
        reporter.cancel()
        let growth = await reporter.value.map { ProcessHealth.now().megabytes - $0 } ?? 0
        let leaks = await leaks(before)
        report(ledgers, real: Monotonic.now() - began, growth: growth)
        var isGood = leaks.isEmpty && growth <= Self.growthLimit
        for leak in leaks { print("VIOLATION: \(leak)") }
        if growth > Self.growthLimit { print("VIOLATION: memory grew by \(growth.text) MB") }
        for (number, ledger) in ledgers.enumerated() {
            var wrong = problems[number] ?? []
            if options.isStrict, !ledger.lostAnswers.isEmpty {
                wrong.append("answers were lost: \(ledger.lostAnswers.prefix(10))")
            }
            guard !wrong.isEmpty else { continue }
            isGood = false
            for story in wrong.map(ledger.story).filter({ !$0.isEmpty }) {
                for line in story { print("  \(line)") }
                print("  ...")
            }
            for line in ledger.trace { print("  \(line)") }
            for problem in wrong {
                print(
                    "VIOLATION: \(problem); again with --service \(options.service.rawValue) --seed \(seed(number)) "
                        + "--lanes 1 --speed \(options.speed.text)"
                )
            }
        }
        return isGood
    }

    /// Largest growth of memory after the first fifth, in MB; it includes the services' records.
    private static let growthLimit = 64.0

    private func seed(_ lane: Int) -> UInt64 { options.seed &+ UInt64(lane) &* 1_000_003 }

    private func lane(_ number: Int, turns: Int, isTroubled: Bool, _ ledger: FaultLedger) -> FaultLane {
        FaultLane(
            options: options, seed: seed(number), turns: turns, isTroubled: isTroubled, ledger: ledger,
            logger: log.logger
        )
    }

    /// Threads and descriptors that remain once everything has had time to end: six seconds at most.
    private func leaks(_ before: ProcessHealth) async -> [String] {
        var health = ProcessHealth.now()
        for _ in 0..<60 where health.threads > before.threads || health.descriptors > before.descriptors {
            try? await Task.sleep(for: .milliseconds(100))
            health = ProcessHealth.now()
        }
        var leaks: [String] = []
        if health.threads > before.threads {
            leaks.append("\(health.threads - before.threads) threads are left of \(ProcessHealth.threadNames)")
        }
        if health.descriptors > before.descriptors {
            leaks.append("\(health.descriptors - before.descriptors) descriptors are left")
        }
        return leaks
    }

    /// Prints the progress until cancelled; returns the memory in MB after a fifth of the run, nil if the run was too
    /// short.
    private func follow(_ ledgers: [FaultLedger], since began: Duration) async -> Double? {
        var early: Double?
        var next = began + .seconds(10)
        while !Task.isCancelled {
            try? await Task.sleep(for: .milliseconds(200))
            let now = Monotonic.now()
            let turns = ledgers.reduce(0) { $0 + $1.figures.tally.questions }
            let isLate = options.seconds.map { now - began > .seconds($0 / 5) } ?? false
            if early == nil, turns >= options.turns / 5 || isLate {
                early = ProcessHealth.now().megabytes
            }
            if now > next {
                next += .seconds(10)
                print(FaultReport(ledgers.map(\.figures)).line(now - began))
                fflush(nil)
            }
        }
        return early
    }

    private func report(_ ledgers: [FaultLedger], real: Duration, growth: Double) {
        let report = FaultReport(ledgers.map(\.figures))
        print(report.line(real))
        for line in report.table { print(line) }
        print("answers that were lost with their session: \(report.lostAnswers)")
        let health = ProcessHealth.now()
        print(
            "memory grew by \(growth.text) MB; \(health.threads) threads and \(health.descriptors) descriptors at the end"
        )
        guard options.isVerbose else { return }
        for line in report.transitions { print(line) }
        for trouble in log.troubles.first { print("log: \(trouble)") }
    }
}
