internal import VoiceBase

/// A change in the state of a budget.
package enum BudgetSignal: Equatable, Sendable {
    /// Most of the budget is spent; reported once per period.
    case near(BudgetReport)
    /// The budget is spent.
    case spent(BudgetReport)
    /// The budget is available again.
    case renewed
}

/// The state of a period's budget.
package struct BudgetReport: Equatable, Sendable {
    package var period: BudgetPeriod
    package var dollars: Double
    /// Minutes of talk.
    package var minutes: Double
    package var caps: BudgetCaps
    /// When the period ends, in Unix time and in local time.
    package var end: Int
    package var until: String
}

extension BudgetReport {
    /// "$8.02 of $10.00", "25.0 of 30 min", or both.
    package var amounts: String {
        var parts: [String] = []
        if caps.money > 0 { parts.append("$\(Self.text(dollars)) of $\(Self.text(caps.money))") }
        if caps.minutes > 0 { parts.append("\(Self.text(minutes)) of \(Self.text(caps.minutes)) min") }
        return parts.joined(separator: ", ")
    }

    /// Formats a value with two decimals.
    package static func text(_ value: Double) -> String {
        let hundredths = Int((min(max(0, value), 1e12) * 100).rounded())
        let rest = hundredths % 100
        return "\(hundredths / 100)." + (rest < 10 ? "0" : "") + "\(rest)"
    }
}

/// The accounts found at startup.
///
/// Damage must not renew a budget. If the accounts are unreadable, 80 % of every limit counts as spent, so that the daemon
/// can still speak a little; if another damaged file is already set aside, all of it does.
package enum RestoredBudget: Equatable, Sendable {
    /// The first start.
    case nothing
    case known(SavedBudget)
    /// - isAgain: whether another damaged file had already been set aside.
    case damaged(isAgain: Bool)

    /// The share of every limit that counts as spent, 0 to 1.
    var assumedShare: Double {
        switch self {
        case .nothing, .known: 0
        case .damaged(let isAgain): isAgain ? 1 : 0.8
        }
    }

    /// Returns the accounts to continue with.
    func accounts(_ caps: [BudgetPeriod: BudgetCaps], at now: ClockInstant) -> SavedBudget {
        if case .known(let saved) = self {
            var saved = saved
            saved.hour.bringBack(to: now, length: 3600)
            saved.day.bringBack(to: now, length: 86_400)
            return saved
        }
        func account(_ period: BudgetPeriod, _ length: Int) -> BudgetAccount {
            var account = BudgetAccount(number: now.number(of: length))
            let caps = caps[period] ?? BudgetCaps()
            account.spending.micros = (max(0, caps.money) * 1e6 * assumedShare).rounded(.up)
            account.spending.talk = .milliseconds((max(0, min(caps.minutes, 1e6)) * 60_000 * assumedShare).rounded(.up))
            return account
        }
        return SavedBudget(hour: account(.hour, 3600), day: account(.day, 86_400))
    }
}
