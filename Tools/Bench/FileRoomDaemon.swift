import VoiceAudio
import VoiceConversation
import VoiceCore

/// The daemon in its own process, in a room of files: replaces `jarvis-voiced run`, which needs a sound card.
struct FileRoomDaemon {
    private static let option = "--daemon"

    private let realtimePort: Int
    private let agentPort: Int

    /// Returns nil if the arguments are for another command.
    init?(_ arguments: [String]) {
        guard arguments.count == 3, arguments[0] == Self.option, let realtime = Int(arguments[1]),
            let agent = Int(arguments[2])
        else { return nil }
        realtimePort = realtime
        agentPort = agent
    }

    static func arguments(_ services: SimulatedServices) -> [String] {
        [option, "\(services.realtimePort)", "\(services.agentPort)"]
    }

    /// Asks one question and keeps listening, until killed or for two minutes.
    func run() async throws {
        let room = try FileRoom(echo: .init(delayMilliseconds: 30, gainDecibels: -25))
        let daemon = try SimulatedServices.daemon(realtimePort: realtimePort, agentPort: agentPort, room: room)
        try await daemon.start()
        try await daemon.isListening()
        room.say(SimulatedServices.question())
        try await Task.sleep(for: .seconds(120))
        await daemon.stop()
    }
}

extension VoiceDaemon {
    /// Waits until the conversation has begun.
    func isListening() async throws {
        for _ in 0..<200 {
            if await state == .listening { return }
            try await Task.sleep(for: .milliseconds(20))
        }
        throw BenchProblem("the daemon does not listen after 4 s, it is \(await state)")
    }
}
