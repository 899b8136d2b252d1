package import VoiceAudio
package import VoiceConversation

/// The health of the daemon's parts at one instant, for the service manager.
package struct ServiceSnapshot: Sendable, Equatable {
    package var conversation: ConversationState
    package var microphone: DeviceState = .running
    package var loudspeaker: DeviceState = .running
    /// Whether audio uses devices, which can be lost; files are always available.
    package var hasDevices: Bool = true
    package var isMicrophoneMuted = false
    /// Why the voice service refused the latest conversation; nil while one is open.
    package var refusal: String?
    package var budgetSpentUntil: String?
    /// The problem that the clock of the machine is not set; nil if it is.
    package var clockUnset: String?
    /// What was lost of the saved timers and alarms at the start; nil if nothing was.
    package var timersLost: String?
    /// Why a wake word, which is all that opens a conversation, is not recognised.
    package var wordsUnheard: String?
    /// Progress counters of the parts: frames of the microphone, cycles of the audio thread, turns of the
    /// conversation's loop, turns of the network thread.
    package var captured: UInt64 = 0
    package var cycles: UInt64 = 0
    package var conversationTurns: UInt64 = 0
    package var networkTurns: UInt64 = 0

    /// Descriptions of what is missing; empty if nothing is.
    package var lacks: [String] {
        var lacks: [String] = []
        if case .error(let reason) = conversation {
            lacks.append("the voice service refuses the connection: \(reason)")
        } else if conversation == .idle, let refusal {
            lacks.append("the voice service refused the connection: \(refusal)")
        }
        lacks += [Side.microphone, .loudspeaker].compactMap { problem(of: $0) }
        if let clockUnset { lacks.append(clockUnset) }
        if let until = budgetSpentUntil { lacks.append("the budget is spent until \(until)") }
        if let timersLost { lacks.append("earlier timers and alarms are lost: \(timersLost)") }
        if let wordsUnheard { lacks.append("no wake word is recognised: \(wordsUnheard)") }
        return lacks
    }

    package enum Side: String { case microphone, loudspeaker }

    /// What is wrong with a device; nil if nothing is, or if the device is not in use.
    package func problem(of side: Side) -> String? {
        guard hasDevices, side == .loudspeaker || !isMicrophoneMuted else { return nil }
        switch side == .microphone ? microphone : loudspeaker {
        case .waiting(let reason): return "no \(side): \(reason)"
        case .lost(let reason): return "\(side) lost: \(reason)"
        case .silent: return "\(side) delivers only silence"
        case .running, .resting: return nil
        }
    }

    /// The status as one line for people.
    package var text: String {
        let activity =
            switch conversation {
            case .idle: isMicrophoneMuted ? "Muted" : "Idle, no conversation"
            case .connecting: "Connecting to the voice service"
            case .listening: isMicrophoneMuted ? "Muted" : "Listening"
            case .userSpeaking: "Hearing you"
            case .processing: "Preparing an answer"
            case .fillerSpeaking: "Speaking, the agent is at work"
            case .waitingForJarvis: "The agent is at work"
            case .aiSpeaking: "Speaking"
            case .error: "No conversation"
            }
        let lacks = lacks
        return lacks.isEmpty ? activity : "\(activity); degraded: \(lacks.joined(separator: "; "))"
    }

    /// Whether both devices run and a session is open or not wanted.
    var isUp: Bool {
        switch conversation {
        case .connecting, .error: false
        default: !hasDevices || (microphone.isOpen || isMicrophoneMuted) && loudspeaker.isOpen
        }
    }
}
