internal import VoiceAudio
internal import VoiceBase
internal import VoiceConversation

extension MediaFeed {
    /// The longest that media is kept quiet without a change of the conversation's state.
    private static let lease: UInt64 = 60_000_000_000

    /// Gives way to what the conversation does. Called at every change of its state; each call renews or ends the lease.
    /// - Parameter isHalf: the canceller cannot tell a talker from music: it keeps as low while the box listens as while
    ///   somebody speaks.
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
    /// The same, with media that gives way to the conversation.
    func ducking(_ media: MediaFeed, _ echo: EchoGauges) -> Self {
        let observed = effect
        return Self(
            effect: { effect, instant in
                if case .stateChanged(_, let next) = effect {
                    // While it learns it may yet turn out well, within seconds.
                    let duplex = EchoStatus(echo).state
                    media.follow(next, at: Monotonic.now(), isHalf: !duplex.isFull && duplex != .learning)
                }
                observed(effect, instant)
            },
            call: call,
            event: event
        )
    }
}
