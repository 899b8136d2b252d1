import Testing

@testable import TestSupport
@testable import VoiceBase
@testable import VoiceConversation
@testable import VoiceCore

struct BudgetTests {
    /// 2026-11-21 20:30 at a place two hours ahead of UTC.
    private static let start = ClockInstant(wall: 1_795_285_800, offset: 7200, uptime: .seconds(1000))

    /// A budget under test control. One response costs a dollar, time passes on demand.
    private struct Purse {
        var budget: Budget
        var now: ClockInstant
        private var count = 0

        init(
            _ caps: [BudgetPeriod: BudgetCaps],
            saved: SavedBudget? = nil,
            at now: ClockInstant = BudgetTests.start,
            sessionMinute: Double = 0
        ) {
            var options = Budget.Options()
            options.caps = caps
            options.prices = PriceTable()
            options.prices.audioOut = 1
            options.prices.sessionMinute = sessionMinute
            self.now = now
            budget = Budget(options, restored: saved.map { .known($0) } ?? .nothing, at: now)
        }

        mutating func wait(_ seconds: Int) -> [BudgetSignal] {
            now.wall += seconds
            now.uptime += .seconds(seconds)
            return budget.note(at: now)
        }

        mutating func spend(_ dollars: Double = 1, response: String? = nil) -> [BudgetSignal] {
            count += 1
            let usage = Usage(audioOut: Int(dollars * 1e6))
            let outcome = ResponseOutcome(id: response ?? "r\(count)", status: .cancelled, usage: usage)
            return ConversationEvent.all(.responseDone(outcome)).flatMap { budget.note($0, at: now) }
        }

        mutating func enter(_ state: ConversationState) -> [BudgetSignal] {
            budget.note(effects: [.stateChanged(from: .idle, to: state)], at: now)
        }
    }

    /// A substitute service has its own prices.
    @Test func substituteIsChargedAtItsOwnPrices() {
        var options = Budget.Options()
        options.prices.sessionMinute = 0
        var other = PriceTable()
        other.sessionMinute = 0.05
        options.substitutePrices = [PriceTable(), other]
        var budget = Budget(options, at: Self.start)
        var now = Self.start
        func pass(_ effects: [ConversationEffect]) -> Double {
            now.uptime += .seconds(60)
            now.wall += 60
            _ = budget.note(effects: effects, at: now)
            return (budget.day.spending.dollars * 100).rounded()
        }
        #expect(pass([.stateChanged(from: .idle, to: .listening)]) == 0)
        #expect(pass([.choose(service: 2, isBeside: false)]) == 0)
        #expect(pass([.choose(service: 1, isBeside: true)]) == 5)
        #expect(pass([.choose(service: 1, isBeside: false)]) == 10)
        #expect(pass([]) == 10)
    }

    /// While the next session waits beside the one in use, both are charged, each at its own price.
    @Test(arguments: [ConversationEffect.promote, .dropBeside])
    func standbySessionIsCharged(end: ConversationEffect) {
        var options = Budget.Options()
        options.prices.sessionMinute = 0.05
        var other = PriceTable()
        other.sessionMinute = 0.03
        options.substitutePrices = [other]
        var budget = Budget(options, at: Self.start)
        var now = Self.start
        func minute(_ effects: [ConversationEffect]) -> Double {
            let before = budget.day.spending.dollars
            _ = budget.note(effects: effects, at: now)
            now.uptime += .seconds(60)
            now.wall += 60
            _ = budget.note(at: now)
            return ((budget.day.spending.dollars - before) * 100).rounded()
        }
        #expect(minute([.stateChanged(from: .idle, to: .listening)]) == 5)
        #expect(minute([.connectBeside]) == 10)
        #expect(minute([.dropBeside, .choose(service: 1, isBeside: true), .connectBeside]) == 8)
        #expect(minute([end]) == 5)
        #expect(minute([.stateChanged(from: .listening, to: .idle), .connectBeside]) == 3, "kept warm")
    }

    /// The reports in short.
    private func reported(_ signals: [BudgetSignal]) -> [String] {
        signals.map { signal in
            switch signal {
            case .near(let report): "near \(report.period) \(report.amounts) until \(report.until)"
            case .spent(let report): "spent \(report.period) \(report.amounts) until \(report.until)"
            case .renewed: "renewed"
            }
        }
    }

    @Test func noticeComesOnceBeforeTheLimit() {
        var purse = Purse([.hour: BudgetCaps(money: 10)])
        #expect(purse.spend(7.9).isEmpty)
        #expect(reported(purse.spend(0.1)) == ["near hour $8.00 of $10.00 until 21:00"])
        #expect(purse.spend(1).isEmpty)
        #expect(reported(purse.spend(1)) == ["spent hour $10.00 of $10.00 until 21:00"])
        #expect(purse.spend(1).isEmpty)
        #expect(purse.wait(29 * 60).isEmpty)
        #expect(reported(purse.wait(60)) == ["renewed"])
        #expect(purse.budget.hour.spending.dollars == 0)
        #expect(purse.budget.day.spending.dollars == 11)
    }

    @Test func changedLimitsApplyToEarlierSpending() {
        var purse = Purse([.hour: BudgetCaps(money: 10)])
        #expect(reported(purse.spend(10)) == ["spent hour $10.00 of $10.00 until 21:00"])
        var options = Budget.Options()
        options.prices = PriceTable()
        options.prices.audioOut = 1
        options.caps = [.hour: BudgetCaps(money: 20)]
        purse.budget.reconfigure(options)
        #expect(reported(purse.wait(1)) == ["renewed"])
        #expect(reported(purse.spend(6)) == ["near hour $16.00 of $20.00 until 21:00"])
        options.caps = [.hour: BudgetCaps(money: 5)]
        purse.budget.reconfigure(options)
        #expect(reported(purse.wait(1)) == ["spent hour $16.00 of $5.00 until 21:00"])
        options.caps = [:]
        purse.budget.reconfigure(options)
        #expect(reported(purse.wait(1)) == ["renewed"])
    }

    @Test func repeatedResponseIsChargedOnce() {
        var purse = Purse([:])
        _ = purse.spend(1, response: "r")
        _ = purse.spend(1, response: "r")
        #expect(purse.budget.day.spending.dollars == 1)
    }

    @Test func theDayEndsAtMidnightWhereTheBoxIs() {
        var purse = Purse([.day: BudgetCaps(money: 1)])
        #expect(reported(purse.spend()) == ["spent day $1.00 of $1.00 until tomorrow 00:00"])
        #expect(purse.wait(3 * 3600 + 1799).isEmpty)
        #expect(reported(purse.wait(1)) == ["renewed"])
    }

    @Test func latestRenewalIsReported() {
        var purse = Purse([.hour: BudgetCaps(money: 1), .day: BudgetCaps(money: 2)])
        #expect(reported(purse.spend(1)) == ["spent hour $1.00 of $1.00 until 21:00"])
        #expect(
            reported(purse.spend(1)).last == "spent day $2.00 of $2.00 until tomorrow 00:00"
        )
        // The hour has ended, the day has not.
        #expect(reported(purse.wait(1800)) == ["spent day $2.00 of $2.00 until tomorrow 00:00"])
    }

    @Test func minutesCountTalkOnly() {
        var purse = Purse([.day: BudgetCaps(minutes: 10)])
        for state in [ConversationState.listening, .waitingForJarvis, .connecting, .error("x"), .idle] {
            #expect(purse.enter(state).isEmpty)
            #expect(purse.wait(3000).isEmpty)
        }
        #expect(purse.budget.day.spending.minutes == 0)
        for state in [ConversationState.userSpeaking, .processing, .fillerSpeaking] {
            #expect(purse.enter(state).isEmpty)
            #expect(purse.wait(120).isEmpty)
        }
        #expect(purse.enter(.aiSpeaking).isEmpty)
        #expect(reported(purse.wait(120)) == ["near day 8.00 of 10.00 min until tomorrow 00:00"])
        #expect(reported(purse.wait(120)) == ["spent day 10.00 of 10.00 min until tomorrow 00:00"])
    }

    @Test func openSessionCostsIfTimeIsCharged() {
        var purse = Purse([.hour: BudgetCaps(money: 1)], sessionMinute: 0.05)
        _ = purse.enter(.idle)
        _ = purse.wait(600)
        #expect(purse.budget.day.spending.dollars == 0)
        _ = purse.enter(.listening)
        _ = purse.wait(600)
        #expect(abs(purse.budget.day.spending.dollars - 0.5) < 1e-9)
    }

    @Test func aConversationEndsWithSilence() {
        var purse = Purse([.conversation: BudgetCaps(money: 2)])
        _ = purse.enter(.userSpeaking)
        _ = purse.enter(.listening)
        _ = purse.spend(1)
        #expect(purse.wait(121).isEmpty)
        _ = purse.enter(.userSpeaking)
        _ = purse.enter(.listening)
        #expect(purse.spend(1).isEmpty)
        #expect(reported(purse.spend(1)) == ["spent conversation $2.00 of $2.00 until 20:34"])
        // The conversation is closed, and the next may begin after the same silence.
        #expect(purse.enter(.idle).isEmpty)
        #expect(purse.wait(119).isEmpty)
        #expect(reported(purse.wait(1)) == ["renewed"])
    }

    @Test func aClosedConversationIsOver() {
        var purse = Purse([.conversation: BudgetCaps(money: 2)])
        _ = purse.enter(.listening)
        _ = purse.spend(1)
        _ = purse.enter(.idle)
        _ = purse.enter(.listening)
        #expect(purse.spend(1).count == 0)
    }

    // MARK: Clocks

    @Test(arguments: [1, 1800, 86_400, 86_400 * 400])
    func clockSetBackRenewsNoBudget(seconds: Int) {
        var purse = Purse([.hour: BudgetCaps(money: 1), .day: BudgetCaps(money: 1)])
        _ = purse.spend(1)
        purse.now.wall -= seconds
        let signals = purse.budget.note(at: purse.now)
        #expect(!signals.contains(.renewed))
        #expect(purse.budget.day.spending.dollars == 1)
        // Corrected within the hour.
        purse.now.wall += seconds
        #expect(!purse.budget.note(at: purse.now).contains(.renewed))
        #expect(purse.budget.day.spending.dollars == 1)
    }

    @Test func clockFarAheadDoesNotCloseTheBoxForYears() {
        var late = Self.start
        late.wall += 86_400 * 3000
        var purse = Purse([.day: BudgetCaps(money: 1)], at: late)
        _ = purse.spend(1)
        purse.now.wall = Self.start.wall
        let signals = purse.budget.note(at: purse.now)
        #expect(!signals.contains(.renewed))
        #expect(!purse.wait(86_399).contains(.renewed))
        #expect(purse.wait(1) == [.renewed])
    }

    @Test func boxWithoutAClockRemembersTheDay() {
        var purse = Purse([.day: BudgetCaps(money: 1)])
        _ = purse.spend(1)
        // Restarted with last month's time, which is corrected a minute later.
        var early = purse.now
        early.wall -= 86_400 * 30
        early.uptime = .seconds(5)
        var again = Purse([.day: BudgetCaps(money: 1)], saved: purse.budget.saved, at: early)
        #expect(reported(again.budget.note(at: early)).first?.hasPrefix("spent day $1.00") == true)
        again.now.wall = purse.now.wall + 60
        again.now.uptime += .seconds(60)
        #expect(!again.budget.note(at: again.now).contains(.renewed))
    }

    // MARK: Restart

    @Test func spendingSurvivesARestart() throws {
        var purse = Purse([.hour: BudgetCaps(money: 10), .day: BudgetCaps(money: 10)])
        _ = purse.spend(8.5)
        let saved = try SavedBudget(parsing: Array(purse.budget.saved.text.utf8))
        #expect(saved == purse.budget.saved)
        var again = Purse([.hour: BudgetCaps(money: 10), .day: BudgetCaps(money: 10)], saved: saved, at: purse.now)
        // The notice was given before the restart.
        #expect(again.budget.note(at: again.now).isEmpty)
        #expect(reported(again.spend(1.5)).count == 1)
    }

    /// A box without a clock, whose clock is set some time after the start: dollars of the day and the hour then. `saved`: days
    /// and hours from today of the last account, with 3 dollars in each.
    @Test(arguments: [
        (saved: Optional<Int>.none, shows: 0, uptime: 60, day: 2.0, hour: 2.0),
        (nil, 1_388_534_400, 60, 2, 2),
        (nil, 0, 4000, 2, 0), (nil, 0, 90_000, 0, 0),
        (-1, 0, 60, 2, 2), (-1, 1_388_534_400, 4000, 2, 0), (-30, 0, 60, 2, 2),
        (0, 0, 60, 5, 5), (0, 0, 90_000, 0, 0),
    ])
    func spendingBeforeTheClockIsSetCountsForThatPeriod(
        saved: Int?,
        shows: Int,
        uptime: Int,
        day: Double,
        hour: Double
    ) {
        let set = Self.start
        let last = saved.map { days in
            var account = SavedBudget(
                hour: BudgetAccount(number: set.number(of: 3600) + days),
                day: BudgetAccount(number: set.number(of: 86_400) + days)
            )
            account.hour.spending.micros = 3e6
            account.day.spending.micros = 3e6
            return account
        }
        var purse = Purse(
            [.day: BudgetCaps(money: 100)], saved: last,
            at: ClockInstant(wall: shows, offset: 7200, uptime: .seconds(5))
        )
        _ = purse.spend(2)
        for _ in 0..<10 { _ = purse.wait(uptime / 10) }
        purse.now.wall = set.wall
        _ = purse.wait(1)
        #expect((purse.budget.day.spending.dollars, purse.budget.hour.spending.dollars) == (day, hour))
        #expect(purse.budget.day.number == set.number(of: 86_400))
        #expect(purse.budget.hour.number == set.number(of: 3600))
        // The new periods are ordinary ones.
        _ = purse.spend(1)
        _ = purse.wait(86_400)
        #expect((purse.budget.day.spending.dollars, purse.budget.hour.spending.dollars) == (0, 0))
    }

    @Test func spentBudgetStaysSpentWhenTheClockIsSet() {
        var purse = Purse([.day: BudgetCaps(money: 1)], at: ClockInstant(wall: 30, uptime: .seconds(30)))
        #expect(reported(purse.spend(2)).count == 1)
        purse.now.wall = Self.start.wall
        #expect(purse.wait(5).isEmpty)
        #expect(purse.budget.spentUntil != nil)
        #expect(purse.wait(86_400).contains(.renewed))
    }

    @Test(arguments: [
        "", "[hour]\nnumber = 1\n", "[hour",
        "[hour]\nnumber = 900000000000000\nmicrousd = 0\ntalk_ms = 0\nreported = false\n",
        "[hour]\nnumber = -1\nmicrousd = 0\ntalk_ms = 0\nreported = false\n",
        "[hour]\nnumber = 1\nmicrousd = 0.5\ntalk_ms = 0\nreported = false\n[day]\nnumber = 1\n",
    ])
    func aDamagedFileIsRefused(text: String) {
        #expect(throws: Unreadable.self) { try SavedBudget(parsing: Array(text.utf8)) }
    }

    @Test func randomBytesOfTheFileDoNotTrap() {
        var generator = SeededGenerator(seed: 5)
        let day = BudgetAccount(number: 20_000)
        let whole = Array(SavedBudget(hour: BudgetAccount(number: 480_000), day: day).text.utf8)
        for _ in 0..<2000 {
            var bytes = whole
            for _ in 0..<Int.random(in: 1...5, using: &generator) {
                bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
            }
            guard let saved = try? SavedBudget(parsing: bytes) else { continue }
            var purse = Purse([.day: BudgetCaps(money: 1)], saved: saved)
            _ = purse.spend(1)
        }
    }
}
