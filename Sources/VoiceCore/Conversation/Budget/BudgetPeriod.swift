/// The periods with a budget of their own.
package enum BudgetPeriod: String, CaseIterable, Sendable {
    /// Ends after two minutes without talk, or when the session closes before its budget is spent.
    case conversation
    /// From one full hour of the local clock to the next.
    case hour
    /// From midnight to midnight, local time.
    case day

    /// Length in seconds; nil for the conversation.
    var seconds: Int? {
        switch self {
        case .conversation: nil
        case .hour: 3600
        case .day: 86_400
        }
    }
}

/// Limits of a period; 0 for no limit.
package struct BudgetCaps: Equatable, Sendable {
    /// US dollars.
    package var money: Double
    /// Minutes of talk: the time in which the user speaks, waits for the first word, or is being answered.
    package var minutes: Double

    package init(money: Double = 0, minutes: Double = 0) {
        self.money = money
        self.minutes = minutes
    }
}
