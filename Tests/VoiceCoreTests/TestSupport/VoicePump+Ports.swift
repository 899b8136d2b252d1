@testable import VoiceAudio
@testable import VoiceConversation
@testable import VoiceCore

extension VoicePump {
    /// - Parameter hasDevices: whether the voice goes to a loudspeaker that may be away.
    convenience init(
        _ ports: AudioPorts,
        hasDevices: Bool = false,
        options: Options,
        report: @escaping (ConversationEvent, Duration) -> Void
    ) {
        self.init(
            microphone: ports.microphone,
            voice: ports.voice,
            volumes: ports.volumes,
            loudspeaker: hasDevices ? ports.playback : nil,
            options: options,
            report: report
        )
    }
}
