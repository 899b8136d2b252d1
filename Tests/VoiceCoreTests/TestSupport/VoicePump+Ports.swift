@testable import VoiceAudio
@testable import VoiceBase
@testable import VoiceConversation
@testable import VoiceCore
@testable import VoiceSession

extension VoicePump {
    /// - Parameter hasDevices: whether the voice goes to a loudspeaker that may be away.
    convenience init(
        _ ports: AudioPorts,
        hasDevices: Bool = false,
        options: Options,
        uptime: @escaping () -> Duration = Monotonic.now,
        report: @escaping (ConversationEvent, Duration) -> Void
    ) {
        self.init(
            microphone: ports.microphone, voice: ports.voice, volumes: ports.volumes,
            loudspeaker: hasDevices ? ports.playback : nil, options: options, uptime: uptime, report: report
        )
    }
}
