package import VoiceBase

/// Counts the cost and the talk time of conversations, and reports when a limit is near or reached.
///
/// Costs come from the usage the service reports with each response, including cancelled ones, and with each transcribed
/// turn; for services that charge by time, from the time a session is open. Usage a broken connection had not reported yet
/// is unknown. A pure value: the caller passes in the time.
package struct Budget: Sendable {
    package struct Options: Equatable, Sendable {
        package var caps: [BudgetPeriod: BudgetCaps] = [:]
        /// Prices of the preferred service, and of its substitutes.
        package var prices = PriceTable()
        package var substitutePrices: [PriceTable] = []
        /// Share of a budget after which the user is notified.
        package var notice = 0.8
        /// Silence that ends a conversation.
        package var pause = Duration.seconds(120)

        package init() {}
    }

    private var options: Options
    package private(set) var hour: BudgetAccount
    package private(set) var day: BudgetAccount
    package private(set) var conversation = BudgetAccount.Spending()
    /// The service of the conversation: 0 for the preferred one.
    private var service = 0
    /// The service of the next session beside it, and whether that session is open.
    private var besideService = 0
    private var isBesideOpen = false
    private var state = ConversationState.idle
    private var latest: Duration
    private var latestTalk: Duration
    /// The latest charged responses and turns: events may arrive twice.
    private var charged: [String] = []
    private var blocking: [BudgetPeriod] = []
    /// When the budget is renewed, in local time; nil unless it is spent.
    package private(set) var spentUntil: String?

    /// - Parameter restored: the accounts from before a restart.
    package init(_ options: Options, restored: RestoredBudget = .nothing, at now: ClockInstant) {
        self.options = options
        let saved = restored.accounts(options.caps, at: now)
        hour = saved.hour
        day = saved.day
        latest = now.uptime
        latestTalk = now.uptime
    }

    /// Replaces limits and prices; spending stays. A limit that is far away again is reported again when it is near.
    package mutating func reconfigure(_ options: Options) {
        self.options = options
        for period in BudgetPeriod.allCases where part(of: period) < options.notice {
            self[keyPath: Self.spending(in: period)].isReported = false
        }
    }

    /// Whether a limit in money ends a day.
    package var limitsDay: Bool { limit(of: .day) != nil }

    /// In dollars; nil without a limit in money.
    func limit(of period: BudgetPeriod) -> Double? { options.caps[period].map(\.money).flatMap { $0 > 0 ? $0 : nil } }

    /// Counts microphone audio that has left this machine.
    mutating func sent(_ amount: SentAudio.Amount) {
        each { $0.sent = $0.sent + amount }
    }

    /// The accounts to be saved.
    package var saved: SavedBudget { SavedBudget(hour: hour, day: day) }

    /// Notes an event and its effects, or only the passing of time.
    package mutating func note(
        _ event: ConversationEvent? = nil,
        effects: [ConversationEffect] = [],
        at now: ClockInstant
    ) -> [BudgetSignal] {
        pass(to: now)
        for effect in effects { follow(effect) }
        if case .service(.charged(let bill)) = event { charge(bill) }
        if isTalking || state == .waitingForJarvis { latestTalk = now.uptime }
        if state == .idle, !isSpent(.conversation) { conversation = .init() }
        return signals(at: now)
    }

    /// Which sessions are open, of which service.
    private mutating func follow(_ effect: ConversationEffect) {
        switch effect {
        case .choose(let index, isBeside: false): service = index
        case .choose(let index, isBeside: true): besideService = index
        case .connectBeside: isBesideOpen = true
        case .promote, .dropBeside: isBesideOpen = false
        case .stateChanged(_, let next): state = next
        default: break
        }
    }

    /// The user or the box speaks, or a response is awaited; an agent at work in silence costs nothing.
    private var isTalking: Bool {
        switch state {
        case .userSpeaking, .processing, .fillerSpeaking, .aiSpeaking: true
        case .idle, .connecting, .listening, .waitingForJarvis, .error: false
        }
    }

    private func prices(of service: Int) -> PriceTable {
        let others = options.substitutePrices
        return others.indices.contains(service - 1) ? others[service - 1] : options.prices
    }

    private var isOpen: Bool {
        switch state {
        case .idle, .connecting, .error: false
        case .listening, .userSpeaking, .processing, .fillerSpeaking, .waitingForJarvis, .aiSpeaking: true
        }
    }

    private mutating func pass(to now: ClockInstant) {
        let gone = max(now.uptime - latest, .zero)
        latest = max(latest, now.uptime)
        var cost = isOpen ? prices(of: service).cost(ofSession: gone) : 0
        if isBesideOpen { cost += prices(of: besideService).cost(ofSession: gone) }
        let talk = isTalking ? gone : .zero
        each { spending in
            spending.micros += cost
            spending.talk += talk
        }
        hour.roll(to: now, length: 3600)
        day.roll(to: now, length: 86_400)
        if !isTalking, state != .waitingForJarvis, now.uptime - latestTalk >= options.pause { conversation = .init() }
    }

    private mutating func each(_ body: (inout BudgetAccount.Spending) -> Void) {
        for period in BudgetPeriod.allCases { body(&self[keyPath: Self.spending(in: period)]) }
    }

    private mutating func charge(_ bill: ServiceBill) {
        guard isNew(bill.id) else { return }
        let cost =
            switch bill.usage {
            case .response(let usage): prices(of: service).cost(of: usage)
            case .transcription(let usage): prices(of: service).cost(of: usage)
            }
        each { $0.micros += Double(cost) }
    }

    private mutating func isNew(_ id: String) -> Bool {
        guard !charged.contains(id) else { return false }
        charged.append(id)
        if charged.count > 64 { charged.removeFirst() }
        return true
    }

    // MARK: Caps

    private static func spending(in period: BudgetPeriod) -> WritableKeyPath<Self, BudgetAccount.Spending> {
        switch period {
        case .conversation: \.conversation
        case .hour: \.hour.spending
        case .day: \.day.spending
        }
    }

    private func spending(in period: BudgetPeriod) -> BudgetAccount.Spending {
        self[keyPath: Self.spending(in: period)]
    }

    /// The spent share of a budget, of money or talk, whichever is larger; 0 without a limit.
    private func part(of period: BudgetPeriod) -> Double {
        guard let caps = options.caps[period] else { return 0 }
        let spending = spending(in: period)
        return max(
            caps.money > 0 ? spending.dollars / caps.money : 0, caps.minutes > 0 ? spending.minutes / caps.minutes : 0
        )
    }

    private func isSpent(_ period: BudgetPeriod) -> Bool { part(of: period) >= 1 }

    private mutating func signals(at now: ClockInstant) -> [BudgetSignal] {
        var result: [BudgetSignal] = []
        for period in BudgetPeriod.allCases where part(of: period) >= options.notice {
            guard !spending(in: period).isReported else { continue }
            self[keyPath: Self.spending(in: period)].isReported = true
            if !isSpent(period) { result.append(.near(report(on: period, at: now))) }
        }
        let spent = BudgetPeriod.allCases.filter(isSpent)
        if spent != blocking {
            blocking = spent
            // Report the one that lasts longest.
            let reports = spent.map { report(on: $0, at: now) }
            let latest = reports.max { $0.end < $1.end }
            spentUntil = latest?.until
            result.append(latest.map { .spent($0) } ?? .renewed)
        }
        return result
    }

    private func report(on period: BudgetPeriod, at now: ClockInstant) -> BudgetReport {
        let spending = spending(in: period)
        let end =
            switch period {
            case .conversation:
                now.wall + Int((options.pause - (now.uptime - latestTalk)).components.seconds)
            case .hour: hour.end(at: now, length: 3600)
            case .day: day.end(at: now, length: 86_400)
            }
        return BudgetReport(
            period: period, dollars: spending.dollars, minutes: spending.minutes,
            caps: options.caps[period] ?? BudgetCaps(), end: end, until: now.text(of: end)
        )
    }
}
