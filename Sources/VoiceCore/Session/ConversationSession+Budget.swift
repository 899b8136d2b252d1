internal import VoiceBase
package import VoiceConversation

/// The cost of conversations, and what happens when the budget is spent.
extension ConversationSession {
    /// What has been spent; nil without a budget tracker.
    package var spending: BudgetStatus? { budget?.status }

    /// Applies new limits and prices. If they make the budget spent, the conversation ends; otherwise it may begin again.
    package func useBudget(_ options: Budget.Options) {
        spend()
        budget?.reconfigure(options)
        spend()
    }

    /// Charges an event and its effects, and passes the budget's verdict to the conversation.
    package func spend(_ event: ConversationEvent? = nil, _ effects: [ConversationEffect] = []) {
        for signal in budget?.note(event, effects: effects) ?? [] {
            log.write(signal)
            let verdict: BudgetVerdict =
                switch signal {
                case .near: .near
                case .spent(let report): .spent(until: report.until)
                case .renewed: .renewed
                }
            receive(.budget(verdict), at: Monotonic.now())
        }
    }

    /// Lets the budget see time pass when no events arrive: checks immediately, then every twenty seconds.
    func watchBudget() -> Task<Void, Never>? {
        guard budget != nil else { return nil }
        spend()
        return Task { [weak self] in
            while (try? await Task.sleep(for: .seconds(20))) != nil { await self?.spend() }
        }
    }
}
