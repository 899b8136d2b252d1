internal import VoiceBase
package import VoiceBudget
internal import VoiceConversation

/// What conversations cost, and the end of the budget.
extension ConversationSession {
    /// What was spent; nil where nobody counts.
    package var spending: BudgetStatus? { budget?.status }

    /// Other limits and prices from now on; a budget that is spent by them ends the conversation, one that is not lets it
    /// begin again.
    func useBudget(_ options: Budget.Options) {
        spend()
        budget?.reconfigure(options)
        spend()
    }

    /// Charges what an event tells of, and lets the conversation know what the budget says to it.
    func spend(_ event: ConversationEvent? = nil, _ effects: [ConversationEffect] = []) {
        for signal in budget?.note(event, effects: effects) ?? [] {
            log.write(signal)
            let verdict: BudgetVerdict =
                switch signal {
                case .near: .near
                case .spent(let report): .spent(until: report.until)
                case .renewed: .renewed
                }
            take(.budget(verdict), at: Monotonic.now())
        }
    }

    /// Time passes for a budget though nothing happens: looks at it at once, then every twenty seconds.
    func watchBudget() -> Task<Void, Never>? {
        guard budget != nil else { return nil }
        spend()
        return Task { [weak self] in
            while (try? await Task.sleep(for: .seconds(20))) != nil { await self?.spend() }
        }
    }
}
