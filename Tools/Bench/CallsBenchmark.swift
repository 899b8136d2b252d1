internal import Synchronization
import VoiceAudio
import VoiceBase
import VoiceCore
import VoiceSession
import VoiceSimulator

/// The daemon's own share of a tool call, with everything real except the sound card, the service and the agent.
///
/// One question follows another, each spoken once the previous one has its answer, while the microphone streams: the
/// threads go to sleep in between, as in a conversation.
enum CallsBenchmark {
    static let benchmark = Benchmark(
        name: "calls", title: "Tool call, daemon's share (agent without delay, loopback)", run: run
    )

    private static func run(_ isQuick: Bool) async throws -> [Figure] {
        let wanted = isQuick ? 20 : 100
        var script = ConversationScript()
        script.turns = (0..<wanted).map { number in
            .init(
                transcript: "Question number \(number)",
                action: .callOnly(tool: "ask_jarvis", arguments: ["query": .string("Question number \(number)")])
            )
        }
        let services = try await SimulatedServices.start(script) {
            $0.speed = 0
            $0.responseLatencyMilliseconds = 30
        }
        let timings = Mutex<[CallTiming]>([])
        let room = try FileRoom()
        let daemon = try services.daemon(
            room: room,
            observer: .init(call: { timing in timings.withLock { $0.append(timing) } })
        )
        return try await measured(services, daemon, room, wanted: wanted) { timings.withLock { $0 } }
    }

    private static func measured(
        _ services: SimulatedServices,
        _ daemon: VoiceDaemon,
        _ room: FileRoom,
        wanted: Int,
        _ read: () -> [CallTiming]
    ) async throws -> [Figure] {
        try await daemon.start()
        try await daemon.isListening()
        for count in 1...wanted {
            room.say(SimulatedServices.question())
            for _ in 0..<200 where read().count < count { try await Task.sleep(for: .milliseconds(50)) }
        }
        await daemon.stop()
        await services.stop()
        let timings = read()
        guard timings.count >= wanted else { throw BenchProblem("\(timings.count) of \(wanted) calls were answered") }
        let dispatch = timings.compactMap { $0.dispatch?.fractionalMilliseconds }
        let delivery = timings.compactMap { $0.delivery?.fractionalMilliseconds }
        let first = timings.first?.dispatch?.fractionalMilliseconds ?? .nan
        return [
            Figure("call complete -> first byte of the request", Samples(dispatch), unit: "ms", below: 1),
            Figure("reply complete -> output on the socket", Samples(delivery), unit: "ms", below: 1),
            Figure("the first call, which also connects", first, unit: "ms"),
        ]
    }
}
