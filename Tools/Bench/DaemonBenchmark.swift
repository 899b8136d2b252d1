/// CPU and memory of the whole daemon while it hears and speaks at the same time, in its own process.
///
/// Compared with the same number of periods of canceller and resamplers alone: in a tight loop, where caches stay warm
/// and the clock high, and every 10 ms at the same time as the daemon, under its conditions. The services run in this
/// process and are not counted; the kernel's work to deliver a message on loopback is charged to its sender.
enum DaemonBenchmark {
    static let benchmark = Benchmark(
        name: "daemon", title: "The whole daemon in full duplex (model speaks, microphone streams)", run: run
    )

    /// Length of the speech, in s: 20 s are measured, after some ten that pass before.
    private static let speech = 60

    private static func run(_ isQuick: Bool) async throws -> [Figure] {
        let seconds = isQuick ? 5 : 20
        let model = try await SpeakingModel.start(seconds: speech)
        let room = try VirtualRoom.find()
        let daemon =
            try room.map { try $0.daemon(model.services) }
            ?? BenchProcess("/proc/self/exe", FileRoomDaemon.arguments(model.services))
        defer {
            daemon.end()
            room?.close()
        }
        try await model.ask(in: room)
        let before = try ProcessUsage(daemon.id)
        let begun = model.spoken
        // Runs at the same time, so that other load on the machine affects both.
        let alone = try PacedProcessing(periods: seconds * 100)
        let paced = try await alone.microseconds(after: .seconds(seconds))
        let after = try ProcessUsage(daemon.id)
        let spoken = model.spoken - begun
        daemon.end()
        await model.services.stop()
        guard spoken >= seconds * 8 else { throw BenchProblem("the model fell silent: \(spoken) deltas") }
        return try figures(
            before, after, seconds: Double(seconds), paced: paced, place: room == nil ? "file room" : "virtual card"
        )
    }

    private static func figures(
        _ before: ProcessUsage,
        _ after: ProcessUsage,
        seconds: Double,
        paced: Double,
        place: String
    ) throws -> [Figure] {
        let threads = after.use(since: before)
        let total = threads.reduce(0) { $0 + $1.seconds }
        let used = total * 1e6 / (seconds * 100)
        let bare = try BareProcessing.microseconds(periods: Int(seconds * 100), isPaced: false)
        let parts = threads.filter { $0.seconds > 0.0005 * seconds }
            .map { "\($0.name) \(($0.seconds * 1e4 / seconds).text)" }
        return [
            Figure("CPU of the daemon per 10 ms", used, unit: "us", note: parts.joined(separator: ", ")),
            Figure("canceller + resamplers alone, tight loop", bare, unit: "us"),
            Figure("canceller + resamplers alone, every 10 ms", paced, unit: "us"),
            Figure("daemon / alone in a tight loop", used / bare, unit: "", atMost: 1.5),
            Figure("daemon / alone every 10 ms", used / paced, unit: ""),
            Figure(
                "CPU of the daemon, share of one core", total / seconds * 100, unit: "%",
                note: "utime + stime \(((after.ticks - before.ticks) / seconds * 100).text) %"
            ),
            Figure("peak memory (VmHWM)", after.peakMegabytes, unit: "MB", atMost: 40, note: place),
        ]
    }
}
