internal import VoiceAudio
internal import VoiceBudget
internal import VoiceConversation
internal import VoiceNetwork

extension VoiceDaemon {
    /// For the service manager; the counts of the loops are the caller's.
    package var serviceSnapshot: ServiceSnapshot {
        get async {
            let status = await status
            var snapshot = ServiceSnapshot(
                conversation: status.conversation,
                microphone: status.microphone,
                loudspeaker: status.loudspeaker,
                hasDevices: hasDevices
            )
            snapshot.isMicrophoneMuted = ports.requests.isMicrophoneMuted
            if let trouble = await session.reach.trouble, trouble.isRefusal { snapshot.refusal = trouble.reason }
            snapshot.budgetSpentUntil = status.spending?.spentUntil
            snapshot.captured = ports.capture.frames
            snapshot.cycles = ports.gauges.counters.cycles
            return snapshot
        }
    }

    /// False where the sound comes from files, which are always there.
    package var hasDevices: Bool {
        if case .alsa = settings.audio.source { true } else { false }
    }

    /// Runs `body` on the network thread soon.
    package nonisolated func onNetworkThread(_ body: @escaping @Sendable () -> Void) {
        network.enqueue(body)
    }

    /// The observer that was asked for, and the daemon's events beside it.
    static func observer(
        _ observer: ConversationSession.Observer,
        events: DaemonEvents
    ) -> ConversationSession.Observer {
        .init(
            effect: { effect, instant in
                observer.effect(effect, instant)
                if let event = DaemonEvent(effect) { events.post(event) }
            },
            call: observer.call,
            event: observer.event
        )
    }
}
