internal import Synchronization
import VoiceSimulator

/// A model that answers the first question with a long speech, in real time. Counts the sound on the wire.
struct SpeakingModel: Sendable {
    let services: SimulatedServices
    private let traffic: Traffic

    static func start(seconds: Int) async throws -> SpeakingModel {
        let traffic = Traffic()
        let services = try await SimulatedServices.start(
            script(seconds: seconds),
            configure: {
                // Slightly faster than real time throughout; the residual echo must not interrupt the speech.
                $0.speed = 1.05
                $0.thresholdDecibels = -35
            },
            events: { event in
                switch event {
                case .client(_, let value) where value["type"]?.string == "input_audio_buffer.append":
                    traffic.chunks.wrappingAdd(1, ordering: .relaxed)
                case .server(_, let value) where value["type"]?.string == "response.output_audio.delta":
                    traffic.deltas.wrappingAdd(1, ordering: .relaxed)
                default: break
                }
            }
        )
        return SpeakingModel(services: services, traffic: traffic)
    }

    /// Chunks of 20 ms that the microphone has sent.
    var heard: Int { traffic.chunks.load(ordering: .relaxed) }
    /// Deltas of 100 ms that the model has spoken.
    var spoken: Int { traffic.deltas.load(ordering: .relaxed) }

    /// Asks, unless the daemon in a room of files does so itself; returns when the model speaks.
    func ask(in room: VirtualRoom?) async throws {
        if let room {
            try await wait("the microphone does not stream") { heard >= 50 }
            try room.ask()
        }
        try await wait("the model does not speak") { spoken >= 10 }
        // By then the buffers have their final size, and the canceller knows the room.
        try await Task.sleep(for: .seconds(10))
    }

    private func wait(_ problem: String, until isReached: () -> Bool) async throws {
        for _ in 0..<200 where !isReached() { try await Task.sleep(for: .milliseconds(50)) }
        guard isReached() else { throw BenchProblem(problem) }
    }

    static func script(seconds: Int) -> ConversationScript {
        ConversationScript(turns: [.init(transcript: "What is on today", action: .say(words(seconds: seconds)))])
    }

    /// Words that the tone voice speaks for about `seconds`.
    static func words(seconds: Int) -> String {
        // Five syllables: 360 ms, followed by 40 ms of silence.
        Array(repeating: "information", count: seconds * 5 / 2).joined(separator: " ")
    }

    private final class Traffic: Sendable {
        let chunks = Atomic<Int>(0)
        let deltas = Atomic<Int>(0)
    }
}
