import VoiceConversation
import VoiceCore

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
