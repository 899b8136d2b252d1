internal import Glibc
import Logging
import VoiceAudio
import VoiceBase
import VoiceConversation
import VoiceCore
import VoiceSession
import VoiceSimulator

/// Hours of continuous conversation: the whole daemon in a room with echo, a user who interrupts, services that end the
/// session every hour.
///
///     this process: ScriptedUser <-> FileRoom <-> daemon          child: simulated service and agent
///
/// The room runs faster than real time, and so does everything that counts samples. Waits for a clock (the 12 s for an
/// answer, pauses before the next attempt to connect, pings) take real time.
struct Soak {
    private let options: SoakOptions
    private let counter = LogCounter()

    /// Returns nil if the arguments are for another command or invalid.
    init?(_ arguments: [String]) {
        guard arguments.first == "soak", let options = SoakOptions(Array(arguments.dropFirst())) else { return nil }
        self.options = options
    }

    /// Returns whether the soak passed.
    func run() async throws -> Bool {
        let child = try BenchProcess("/proc/self/exe", SoakServices.arguments(speed: options.speed), captures: true)
        let (realtimePort, agentPort) = try Self.ports(child)
        let conductor = SoakRoom(seed: options.seed, isPaced: options.speed > 1, feed: ServiceFeed(child.output))
        let room = try FileRoom(
            echo: .init(delayMilliseconds: 20, gainDecibels: -20, reverberationMilliseconds: 250, noiseDecibels: -65),
            speed: options.speed, listener: conductor.listen
        )
        let speed = options.speed
        let daemon = try SimulatedServices.daemon(
            realtimePort: realtimePort,
            agentPort: agentPort,
            room: room,
            logger: counter.logger,
            observer: .init(effect: { effect, _ in conductor.note(effect) })
        ) { settings in
            settings.audio.echoCanceller.echoCancellation = !options.withoutCanceller
            if options.withoutCanceller { settings.audio.echoCanceller.noiseSuppression = .off }
            settings.conversation.thinkingAfter = settings.conversation.thinkingAfter.map { $0 / speed }
        }
        conductor.attach(daemon)
        print("seed \(options.seed), at most \(options.speed.text) times real time, services in process \(child.id)")
        print(Self.head)
        fflush(nil)
        try await daemon.start()
        let (samples, reason) = await watch(conductor, daemon.ports.gauges)
        let figures = conductor.figures
        let dropped = await Self.dropped(daemon)
        await daemon.stop()
        child.end()
        if let reason { print("ended early: \(reason)") }
        let verdict = SoakVerdict(
            figures, samples: samples, options: options,
            slips: daemon.ports.gauges.counters.slips + daemon.ports.gauges.counters.lostPeriods, lost: dropped,
            overruns: daemon.ports.gauges.counters.microphoneOverruns
        )
        report(verdict, figures)
        if let path = options.json { try Self.write(verdict, reason, to: path) }
        return verdict.isGood && reason == nil
    }

    /// Samples the process once per minute of audio until the goal is reached; returns why it ended early, or nil.
    private func watch(_ conductor: SoakRoom, _ gauges: EngineGauges) async -> ([SoakVerdict.Sample], String?) {
        let began = Monotonic.now()
        var samples: [SoakVerdict.Sample] = []
        var lastProgress = (questions: 0, at: began)
        while true {
            try? await Task.sleep(for: .milliseconds(200))
            let figures = conductor.figures
            let minutes = Int(figures.seconds / 60)
            let now = Monotonic.now()
            let isEnough = figures.tally.bargeIns >= options.bargeIns && figures.seconds / 3600 >= options.hours
            if minutes > samples.count || isEnough {
                let health = ProcessHealth.now()
                samples.append(
                    .init(
                        hours: figures.seconds / 3600, megabytes: health.megabytes, threads: health.threads,
                        descriptors: health.descriptors
                    )
                )
                let isReported = samples.count <= 10 || samples.count.isMultiple(of: 10) || isEnough
                if isReported { report(figures, health, gauges, real: now - began) }
            }
            if isEnough { return (samples, nil) }
            if figures.tally.questions > lastProgress.questions {
                lastProgress = (figures.tally.questions, now)
            } else if now - lastProgress.at > .seconds(60) {
                return (samples, "no question was asked for a minute")
            }
            if figures.isOver { return (samples, "the services ended") }
            let failures = figures.selfInterruptions.count + figures.uplinkLost
            if failures >= 20 || figures.tally.missed >= 20 + figures.tally.bargeIns / 100 {
                return (samples, "20 failures are enough")
            }
            if let limit = options.limit, now - began > .seconds(limit * 60) { return (samples, "the time is up") }
        }
    }

    // MARK: Text

    private static let columns = [
        "audio", "real", "questions", "barge-ins", "missed", "self", "void", "heard", "unansw", "sessions", "RSS MB",
        "threads", "fds", "uplink", "underruns", "react", "log", "trouble",
    ]
    private static var head: String { columns.map { pad($0) }.joined() }

    private static func pad(_ text: String) -> String {
        String(repeating: " ", count: max(1, 10 - text.count)) + text
    }

    private func report(_ figures: SoakRoom.Figures, _ health: ProcessHealth, _ gauges: EngineGauges, real: Duration) {
        func clock(_ seconds: Int) -> String {
            "\(seconds / 3600):" + (seconds / 60 % 60 < 10 ? "0" : "") + "\(seconds / 60 % 60):"
                + (seconds % 60 < 10 ? "0" : "") + "\(seconds % 60)"
        }
        let tally = figures.tally
        let values = [
            clock(Int(figures.seconds)), clock(Int(real.components.seconds)), "\(tally.questions)",
            "\(tally.bargeIns)", "\(tally.missed)", "\(figures.selfInterruptions.count)", "\(tally.void)",
            "\(tally.heardOut)", "\(tally.unanswered)", "\(figures.sessions)", health.megabytes.text,
            "\(health.threads)", "\(health.descriptors)", "\(figures.uplinkDrift)",
            "\(gauges.counters.voiceUnderruns)",
            tally.bargeIns > 0 ? "\(tally.totalReaction / tally.bargeIns)" : "-", "\(counter.lines)",
            "\(counter.troubles.count)",
        ]
        print(values.map { Self.pad($0) }.joined())
        fflush(nil)
    }

    private func report(_ verdict: SoakVerdict, _ figures: SoakRoom.Figures) {
        print("")
        for criterion in verdict.criteria {
            let word = criterion.isMet.map { $0 ? "ok   " : "WRONG" } ?? "?    "
            print("\(word) \(criterion.name): \(criterion.value) (wanted \(criterion.wanted))")
        }
        let tally = figures.tally
        print(
            "      an interruption took \(tally.totalReaction / max(1, tally.bargeIns)) ms on average, "
                + "\(tally.longestReaction) ms at most"
        )
        if !figures.misses.isEmpty {
            print("      sessions began at \(figures.sessionStarts.prefix(50)) ms")
            print("      interruptions missed until \(figures.misses.prefix(20)) ms")
        }
        for moment in figures.selfInterruptions.prefix(10) { print("      heard itself at \(moment) ms") }
        for error in figures.errors.prefix(5) { print("      the service said: \(error)") }
        if !figures.trace.isEmpty { print("      before the first failures:") }
        for line in figures.trace { print("        \(line)") }
        for trouble in counter.troubles.first { print("      log: \(trouble)") }
    }

    private static func write(_ verdict: SoakVerdict, _ reason: String?, to path: String) throws {
        let criteria = verdict.criteria.map { criterion -> SimulatedJSON in
            [
                "name": .string(criterion.name), "value": .string(criterion.value), "wanted": .string(criterion.wanted),
                "met": criterion.isMet.map { .bool($0) } ?? .null,
            ]
        }
        let summary: SimulatedJSON = [
            "good": .bool(verdict.isGood && reason == nil), "ended_early": reason.map { .string($0) } ?? .null,
            "criteria": .array(criteria),
        ]
        guard let file = fopen(path, "w") else { throw BenchProblem("\(path): errno \(errno)") }
        defer { fclose(file) }
        fputs(summary.text + "\n", file)
    }

    // MARK: Parts

    /// Reads the ports from the first line of the services.
    private static func ports(_ child: BenchProcess) throws -> (Int, Int) {
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while line.count < 100, read(child.output, &byte, 1) == 1, byte != UInt8(ascii: "\n") { line.append(byte) }
        let parts = String(decoding: line, as: UTF8.self).split(separator: " ")
        guard parts.count == 3, parts[0] == "p", let realtime = Int(parts[1]), let agent = Int(parts[2]) else {
            throw BenchProblem("the services do not start: \(String(decoding: line, as: UTF8.self))")
        }
        return (realtime, agent)
    }

    /// Number of microphone chunks that the socket did not accept.
    private static func dropped(_ daemon: VoiceDaemon) async -> Int {
        let dropped = Promise<Int>()
        daemon.pump.perform { dropped.give($0.uplink.chunksDropped) }
        return await dropped.wait()
    }
}
