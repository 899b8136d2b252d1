/// The stretches of time that have a budget of their own.
package enum BudgetPeriod: String, CaseIterable, Sendable {
    /// Ends with two minutes without talk, or when the session is closed before its budget is spent.
    case conversation
    /// From one full hour of the local clock to the next.
    case hour
    /// From midnight to midnight, local time.
    case day

    /// Length by the clock; nil for the conversation.
    var seconds: Int? {
        switch self {
        case .conversation: nil
        case .hour: 3600
        case .day: 86_400
        }
    }
}

/// What may be spent in a period; 0 for no limit.
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

/// One instant by every clock that a budget goes by.
package struct BudgetInstant: Equatable, Sendable {
    /// Unix time in seconds.
    package var wall: Int
    /// Seconds by which local time is ahead of UTC.
    package var offset: Int
    /// Monotonic.
    package var uptime: Duration

    package init(wall: Int, offset: Int = 0, uptime: Duration) {
        self.wall = wall
        self.offset = offset
        self.uptime = uptime
    }

    /// Whether the clock has been set at all: it shows a time after this program was begun.
    var isPlausible: Bool { wall >= 1_735_689_600 }

    /// The number of the period of `seconds` that it is in, counted in local time.
    func number(of seconds: Int) -> Int {
        let local = wall + offset
        return local >= 0 ? local / seconds : -((seconds - 1 - local) / seconds)
    }

    /// "14:00" or "tomorrow 00:00", for a time not far away.
    func text(of wall: Int) -> String {
        let local = wall + offset
        let minutes = ((local / 60) % 1440 + 1440) % 1440
        let (hour, minute) = (minutes / 60, minutes % 60)
        let clock = (hour < 10 ? "0" : "") + "\(hour):" + (minute < 10 ? "0" : "") + "\(minute)"
        let there = BudgetInstant(wall: wall, offset: offset, uptime: .zero)
        return there.number(of: 86_400) > number(of: 86_400) ? "tomorrow \(clock)" : clock
    }
}
