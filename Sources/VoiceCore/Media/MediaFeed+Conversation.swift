extension MediaFeed {
    /// The longest that media is kept quiet without a change of the conversation's state.
    private static let lease: UInt64 = 60_000_000_000

    /// Gives way to what the conversation does. Called at every change of its state; each call renews or ends the lease.
    func follow(_ state: ConversationState, at now: Duration) {
        let components = now.components
        let nanoseconds = UInt64(components.seconds) * 1_000_000_000 + UInt64(components.attoseconds / 1_000_000_000)
        duck(Self.duck(in: state), until: nanoseconds + Self.lease)
    }

    private static func duck(in state: ConversationState) -> Duck {
        switch state {
        case .userSpeaking: .user
        case .processing, .fillerSpeaking, .waitingForJarvis, .aiSpeaking: .voice
        case .idle, .connecting, .listening, .error: .nobody
        }
    }
}

extension ConversationSession.Observer {
    /// The same, with media that gives way to the conversation.
    func ducking(_ pipes: AudioPipes) -> Self {
        let observed = effect
        return Self(
            effect: { effect, instant in
                if case .stateChanged(_, let next) = effect { pipes.media.follow(next, at: Monotonic.now()) }
                observed(effect, instant)
            },
            call: call,
            event: event
        )
    }
}
