package import VoiceBase

/// A budget with its clock and its store.
package struct BudgetTracker: Sendable {
    private var budget: Budget
    private let store: BudgetStore?
    private let clock: @Sendable () -> ClockInstant
    private var stored: SavedBudget
    private var sequence = 0
    private let sent: SentAudio
    /// The part of it that the budget contains.
    private var counted = SentAudio.Amount()

    package init(
        _ options: Budget.Options,
        sent: SentAudio = SentAudio(),
        restored: RestoredBudget = .nothing,
        store: BudgetStore? = nil,
        clock: @escaping @Sendable () -> ClockInstant = ClockInstant.awake
    ) {
        budget = Budget(options, restored: restored, at: clock())
        stored = budget.saved
        self.sent = sent
        self.store = store
        self.clock = clock
        guard case .damaged = restored, let store else { return }
        // Save immediately: if this start fails before the first word, the next must not find the damage again.
        Task { [stored] in
            await store.save(stored, sequence: 0)
            await store.flush()
        }
    }

    package mutating func reconfigure(_ options: Budget.Options) { budget.reconfigure(options) }

    package mutating func note(_ event: ConversationEvent? = nil, effects: [ConversationEffect] = []) -> [BudgetSignal]
    {
        let signals = budget.note(event, effects: effects, at: clock())
        let total = sent.total
        budget.sent(total - counted)
        counted = total
        let saved = budget.saved
        if let store, saved.isWorthWriting(after: stored) {
            stored = saved
            sequence += 1
            Task { [sequence] in await store.save(saved, sequence: sequence) }
        }
        return signals
    }

    /// Writes pending changes.
    package func finish() async {
        var last = budget
        last.sent(sent.total - counted)
        await store?.save(last.saved, sequence: sequence + 1)
        await store?.flush()
    }

    /// The spending of the current hour and day, even if nothing has happened in them.
    package var status: BudgetStatus {
        var present = budget
        _ = present.note(nil, effects: [], at: clock())
        present.sent(sent.total - counted)
        return BudgetStatus(
            hour: present.hour.spending, day: present.day.spending, spentUntil: present.spentUntil,
            limitsDay: present.limitsDay, hourLimit: present.limit(of: .hour), dayLimit: present.limit(of: .day)
        )
    }
}

/// Spending, for a log line.
package struct BudgetStatus: Equatable, Sendable {
    package var hour: BudgetAccount.Spending
    package var day: BudgetAccount.Spending
    /// When the budget is renewed, in local time; nil unless it is spent.
    package var spentUntil: String?
    /// Whether a limit in money ends a day.
    package var limitsDay = false
    /// In dollars; nil without a limit in money.
    package var hourLimit: Double?
    package var dayLimit: Double?
}

extension SavedBudget {
    /// Whether a change is worth a write: changes of 1000 microdollars or 10 s of talk, since every write wears the memory
    /// card.
    fileprivate func isWorthWriting(after last: SavedBudget) -> Bool {
        hour.number != last.hour.number || day.number != last.day.number
            || day.spending.isReported != last.day.spending.isReported
            || hour.spending.isReported != last.hour.spending.isReported
            || day.spending.micros - last.day.spending.micros >= 1000
            || day.spending.talk - last.day.spending.talk >= .seconds(10)
            || day.spending.sent.milliseconds - last.day.spending.sent.milliseconds >= 60_000
    }
}
