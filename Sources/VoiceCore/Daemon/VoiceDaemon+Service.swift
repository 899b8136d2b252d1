internal import VoiceActivation
internal import VoiceAudio
internal import VoiceBase
internal import VoiceConversation
internal import VoiceSession

extension VoiceDaemon {
    /// For the service manager; the caller fills in the counts of the loops.
    package var serviceSnapshot: ServiceSnapshot {
        get async {
            let status = await status
            var snapshot = ServiceSnapshot(
                conversation: status.conversation, microphone: status.microphone, loudspeaker: status.loudspeaker,
                hasDevices: hasDevices
            )
            snapshot.isMicrophoneMuted = ports.requests.isMicrophoneMuted
            snapshot.awaitsCall = settings.activation.machine.mode != .always
            snapshot.health = await health(snapshot, status.spending)
            snapshot.captured = ports.capture.frames
            snapshot.cycles = ports.gauges.counters.cycles
            return snapshot
        }
    }

    /// False if audio comes from files, which are always available.
    package var hasDevices: Bool {
        if case .alsa = settings.audio.source { true } else { false }
    }
}

extension ConversationSession.Observer {
    /// Posts the daemon's events.
    static func publishing(_ events: DaemonEvents) -> Self {
        Self(
            effect: { effect, _ in if let event = DaemonEvent(effect) { events.post(event) } },
            event: { event in
                guard case .service(.charged(let bill)) = event, case .response(let usage) = bill.usage else { return }
                events.note { history, _ in history.used(usage) }
            },
            transcript: { line in
                events.note { if let line { $0.said(line, at: $1) } else { $0.forgetTranscript() } }
            }
        )
    }
}
