/// What a budget wants known.
package enum BudgetSignal: Equatable, Sendable {
    /// Most of it is spent; told once in a period.
    case near(BudgetReport)
    /// It is spent.
    case spent(BudgetReport)
    /// There is something to spend again.
    case renewed
}

/// The state of a period's budget.
package struct BudgetReport: Equatable, Sendable {
    package var period: BudgetPeriod
    package var dollars: Double
    /// Of talk.
    package var minutes: Double
    package var caps: BudgetCaps
    /// When the period ends, in Unix time, and as the local clock shows it.
    package var end: Int
    package var until: String
}

extension BudgetReport {
    /// "$8.02 of $10.00", "25.0 of 30 min", or both.
    var amounts: String {
        var parts: [String] = []
        if caps.money > 0 { parts.append("$\(Self.text(dollars)) of $\(Self.text(caps.money))") }
        if caps.minutes > 0 { parts.append("\(Self.text(minutes)) of \(Self.text(caps.minutes)) min") }
        return parts.joined(separator: ", ")
    }

    /// With two decimals.
    static func text(_ value: Double) -> String {
        let hundredths = Int((min(max(0, value), 1e12) * 100).rounded())
        let rest = hundredths % 100
        return "\(hundredths / 100)." + (rest < 10 ? "0" : "") + "\(rest)"
    }
}
