internal import VoiceAudio
internal import VoiceBase
internal import VoiceConversation
internal import VoiceSession

extension MediaFeed {
    /// Maximum time that media stays ducked without a change of the conversation's state, in ns.
    private static let lease: UInt64 = 60_000_000_000

    /// Ducks media according to the state of the conversation. Called at every change of state; each call renews or
    /// ends the lease.
    /// - Parameter isHalf: whether the canceller cannot tell a talker from music: media is then as low while the box
    ///   listens as while the user speaks.
    func follow(_ state: ConversationState, at now: Duration, isHalf: Bool = false) {
        let components = now.components
        let nanoseconds = UInt64(components.seconds) * 1_000_000_000 + UInt64(components.attoseconds / 1_000_000_000)
        duck(Self.duck(in: state, isHalf: isHalf), until: nanoseconds + Self.lease)
    }

    private static func duck(in state: ConversationState, isHalf: Bool) -> Duck {
        switch state {
        case .userSpeaking: .user
        case .processing, .fillerSpeaking, .waitingForJarvis, .aiSpeaking: .voice
        case .listening where isHalf: .user
        case .idle, .connecting, .listening, .error: .nobody
        }
    }
}

extension ConversationSession.Observer {
    /// Ducks media.
    static func ducking(_ media: MediaFeed, _ gauges: EngineGauges) -> Self {
        Self(effect: { effect, _ in
            guard case .stateChanged(_, let next) = effect else { return }
            // While the canceller is still learning, full duplex may be seconds away: do not duck yet.
            let status = gauges.echo
            media.follow(next, at: Monotonic.now(), isHalf: !status.isFull && status.state != .learning)
        })
    }
}
