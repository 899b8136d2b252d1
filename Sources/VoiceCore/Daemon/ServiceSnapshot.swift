package import VoiceAudio
package import VoiceBase
package import VoiceConversation

/// The health of the daemon's parts at one instant, for the service manager.
package struct ServiceSnapshot: Sendable, Equatable {
    package var conversation: ConversationState
    package var microphone: DeviceState = .running
    package var loudspeaker: DeviceState = .running
    /// Whether audio uses devices, which can be lost; files are always available.
    package var hasDevices: Bool = true
    package var isMicrophoneMuted = false
    /// Whether a conversation begins only when it is called for.
    package var awaitsCall = false
    /// The parts that work now.
    package var health = Health()
    /// Progress counters of the parts: frames of the microphone, cycles of the audio thread, turns of the
    /// conversation's loop, turns of the network thread.
    package var captured: UInt64 = 0
    package var cycles: UInt64 = 0
    package var conversationTurns: UInt64 = 0
    package var networkTurns: UInt64 = 0

    package enum Side: String { case microphone, loudspeaker }

    /// The fault of a device; nil if there is none, or if the device is not in use.
    package func problem(of side: Side) -> String? {
        guard hasDevices, side == .loudspeaker || !isMicrophoneMuted else { return nil }
        switch side == .microphone ? microphone : loudspeaker {
        case .waiting(let reason): return "no \(side): \(reason)"
        case .lost(let reason): return "\(side) lost: \(reason)"
        case .silent: return "\(side) delivers only silence: unmute it"
        case .running, .resting: return nil
        }
    }

    /// The same for the health: a device that was just lost is often back in a second.
    func sign(of side: Side) -> HealthSigns.Device? {
        guard problem(of: side) != nil else { return nil }
        switch side == .microphone ? microphone : loudspeaker {
        case .waiting(let reason):
            return .init(problem: "no \(side) (\(reason))", fix: "connect one, or \(Health.Problem.askDoctor)")
        case .lost(let reason):
            return .init(problem: "the \(side) is gone (\(reason))", fix: "connect it again", mayPass: true)
        case .silent: return .init(problem: "the \(side) delivers only silence", fix: "unmute it")
        case .running, .resting: return nil
        }
    }

    /// The status as one line for people: how well the box is, and what it does.
    package var text: String {
        let activity =
            switch conversation {
            case .idle: isMicrophoneMuted ? "muted" : "idle, no conversation"
            case .connecting: "connecting to the voice service"
            case .listening: isMicrophoneMuted ? "muted" : "listening"
            case .userSpeaking: "hearing you"
            case .processing: "preparing an answer"
            case .fillerSpeaking: "speaking, the agent is at work"
            case .waitingForJarvis: "the agent is at work"
            case .aiSpeaking: "speaking"
            case .error: "no conversation"
            }
        // While it connects, this is not known yet.
        if health.level == .well {
            return conversation == .connecting ? "Getting ready: \(activity)" : "\(health.text): \(activity)"
        }
        return isMicrophoneMuted ? "\(health.text); muted" : health.text
    }

    /// Whether both devices run and a session is open or not wanted.
    var isUp: Bool {
        switch conversation {
        case .connecting, .error: false
        default: !hasDevices || (microphone.isOpen || isMicrophoneMuted) && loudspeaker.isOpen
        }
    }
}
