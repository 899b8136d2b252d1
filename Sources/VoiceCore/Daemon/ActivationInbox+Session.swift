internal import VoiceActivation
internal import VoiceConversation

extension ActivationInbox {
    /// An observer that also tells activation what it has to know of the conversation.
    package func watching(_ observer: ConversationSession.Observer) -> ConversationSession.Observer {
        .init(
            effect: { effect, instant in
                observer.effect(effect, instant)
                switch effect {
                case .stateChanged(_, let state): self.post(.conversation(state))
                case .note(.budgetSpent): self.post(.refused)
                default: break
                }
            },
            call: observer.call,
            event: { event in
                observer.event(event)
                for report in event.reports {
                    switch report {
                    case .userStarted(let start): self.post(.turnBegan(milliseconds: start))
                    case .userStopped(let end): self.post(.turnEnded(milliseconds: end))
                    default: break
                    }
                }
            }
        )
    }
}
