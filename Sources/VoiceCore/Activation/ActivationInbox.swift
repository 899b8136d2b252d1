/// Where the events of activation are put, in their order, by whoever sees them.
///
/// The bound is far above what minutes bring; what does not fit is lost, the newest first.
package final class ActivationInbox: Sendable {
    let events: AsyncStream<ActivationEvent>
    private let continuation: AsyncStream<ActivationEvent>.Continuation

    package init() {
        (events, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(1024))
    }

    package func post(_ event: ActivationEvent) {
        continuation.yield(event)
    }

    package func close() {
        continuation.finish()
    }

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
                switch event {
                case .server(.speechStarted(_, let start)): self.post(.turnBegan(milliseconds: start))
                case .server(.speechStopped(_, let end)): self.post(.turnEnded(milliseconds: end))
                default: break
                }
            }
        )
    }
}
