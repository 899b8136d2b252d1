import FoundationEssentials
import Synchronization
import Testing

@testable import VoiceCore

struct BudgetStoreTests {
    private let directory = FileManager.default.temporaryDirectory.path + "/budget-\(UUID().uuidString)/state"

    private func options(_ dollars: Double) -> Budget.Options {
        var options = Budget.Options()
        options.caps = [.day: BudgetCaps(money: dollars)]
        options.prices.audioOut = 1
        return options
    }

    private func keeper(_ log: LineLog) -> BudgetKeeper {
        BudgetKeeper(
            options(5),
            saved: BudgetStore.load(directory: directory, logger: log.logger),
            store: BudgetStore(directory: directory, logger: log.logger),
            clock: { BudgetInstant(wall: 1_795_285_800, uptime: .seconds(10)) }
        )
    }

    private func response(_ id: String) -> ConversationEvent {
        .server(.responseDone(ResponseOutcome(id: id, status: .completed, usage: Usage(audioOut: 3_000_000))))
    }

    @Test func aRestartDoesNotRenewABudget() async {
        let log = LineLog()
        var first = keeper(log)
        #expect(first.note(response("r1")).isEmpty)
        await first.finish()
        var second = keeper(log)
        #expect(second.status.day.dollars == 3)
        #expect(second.note(response("r2")).count == 1)
        await second.finish()
        var third = keeper(log)
        guard case .spent? = third.note().first else {
            Issue.record("a spent budget was handed out again")
            return
        }
        #expect(log.lines.isEmpty)
        try? FileManager.default.removeItem(atPath: directory)
    }

    @Test func theStatusIsThatOfThePresentDay() {
        let wall = Atomic(1_795_285_800)
        var keeper = BudgetKeeper(options(5)) {
            let now = wall.load(ordering: .relaxed)
            return BudgetInstant(wall: now, uptime: .seconds(now))
        }
        _ = keeper.note(response("r1"))
        #expect(keeper.status.day.dollars == 3 && keeper.status.hour.dollars == 3)
        wall.store(1_795_285_800 + 3600, ordering: .relaxed)
        #expect(keeper.status.day.dollars == 3 && keeper.status.hour.dollars == 0)
        wall.store(1_795_285_800 + 86_400, ordering: .relaxed)
        #expect(keeper.status.day.dollars == 0)
        #expect(keeper.note(response("r2")).isEmpty, "looking has changed nothing")
    }

    @Test func aDamagedFileIsToldOfAndCountingBeginsAnew() async throws {
        let log = LineLog()
        try StateFile.write(Array("[hour]\nnumber = lots\n".utf8), to: directory + "/budget.toml")
        let keeper = keeper(log)
        #expect(keeper.status.day.dollars == 0)
        #expect(log.lines.count == 1)
        #expect(log.lines.first?.contains("budget.toml") == true)
        try? FileManager.default.removeItem(atPath: directory)
    }

    @Test func aDiskThatCannotBeWrittenStopsNothing() async {
        let log = LineLog()
        let store = BudgetStore(directory: "/proc/nowhere", logger: log.logger)
        var keeper = BudgetKeeper(options(5), store: store)
        _ = keeper.note(response("r1"))
        await keeper.finish()
        #expect(log.lines.count == 1)
    }
}
