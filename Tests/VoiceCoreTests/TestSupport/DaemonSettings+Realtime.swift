@testable import VoiceBase
@testable import VoiceConversation
@testable import VoiceCore
@testable import VoiceSession

extension DaemonSettings {
    /// The settings of a Realtime service.
    var realtime: RealtimeSettings {
        (service as? RealtimeService)?.settings ?? RealtimeSettings(instructions: "", tools: [])
    }
}
