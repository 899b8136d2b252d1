/// When conversations begin and end, for signals, buttons and the control socket.
extension VoiceDaemon {
    static func activation(
        _ settings: ActivationSettings,
        _ parts: ActivationKeeper.Parts,
        inbox: ActivationInbox,
        sound: SoundKeeper
    ) -> ActivationKeeper {
        ActivationKeeper(parts, options: settings.machine, inbox: inbox)
    }

    /// Calls: opens a conversation, or takes the word from the box while it speaks.
    package nonisolated func activate(_ trigger: ActivationTrigger = .command) {
        activation.inbox.post(.activate(trigger))
    }

    /// "Stop": silences what is being said; where nothing is, ends the conversation.
    package nonisolated func stopTalking() {
        activation.inbox.post(.stop)
    }

    /// Ends the conversation.
    package nonisolated func endConversation() {
        activation.inbox.post(.end)
    }

    package nonisolated func setActivationMode(_ mode: ActivationMode) {
        activation.inbox.post(.setMode(mode))
    }

    /// Closes the capture device, or opens it again.
    package nonisolated func setMicrophoneMuted(_ isMuted: Bool) {
        activation.inbox.post(.mute(isMuted))
    }

    package var activationStatus: ActivationStatus {
        get async { await activation.status }
    }
}
