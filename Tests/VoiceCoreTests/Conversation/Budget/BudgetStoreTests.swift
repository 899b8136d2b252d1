import FoundationEssentials
import Synchronization
import Testing

@testable import TestSupport
@testable import VoiceBase
@testable import VoiceConversation
@testable import VoiceCore

struct BudgetStoreTests {
    private let directory = FileManager.default.temporaryDirectory.path + "/budget-\(UUID().uuidString)/state"

    private func options(_ dollars: Double) -> Budget.Options {
        var options = Budget.Options()
        options.caps = [.day: BudgetCaps(money: dollars)]
        options.prices.audioOut = 1
        return options
    }

    private func tracker(_ log: LineLog, sent: SentAudio = SentAudio()) -> BudgetTracker {
        BudgetTracker(
            options(5),
            sent: sent,
            restored: BudgetStore.load(directory: directory, logger: log.logger),
            store: BudgetStore(directory: directory, logger: log.logger),
            clock: { ClockInstant(wall: 1_795_285_800, uptime: .seconds(10)) }
        )
    }

    private func response(_ id: String) -> ConversationEvent {
        .service(.charged(ServiceBill(id: id, .response(Usage(audioOut: 3_000_000)))))
    }

    @Test func keepsTheSentAudioOfTheDayOverARestart() async {
        let log = LineLog()
        let sent = SentAudio()
        let first = tracker(log, sent: sent)
        sent.add(samples: 200 * AudioFormat.wireRate, bytes: 13_000_000)
        #expect(first.status.day.sent.text == "3 min 20 s")
        await first.finish()
        let again = SentAudio()
        let second = tracker(log, sent: again)
        again.add(samples: AudioFormat.wireRate, bytes: 5)
        #expect(second.status.day.sent == .init(milliseconds: 201_000, bytes: 13_000_005))
    }

    @Test func aRestartDoesNotRenewABudget() async {
        let log = LineLog()
        var first = tracker(log)
        #expect(first.note(response("r1")).isEmpty)
        await first.finish()
        var second = tracker(log)
        #expect(second.status.day.dollars == 3)
        #expect(second.note(response("r2")).count == 1)
        await second.finish()
        var third = tracker(log)
        guard case .spent? = third.note().first else {
            Issue.record("a spent budget was handed out again")
            return
        }
        #expect(log.lines.isEmpty)
        try? FileManager.default.removeItem(atPath: directory)
    }

    @Test func statusShowsTheCurrentDay() {
        let wall = Atomic(1_795_285_800)
        var tracker = BudgetTracker(options(5)) {
            let now = wall.load(ordering: .relaxed)
            return ClockInstant(wall: now, uptime: .seconds(now))
        }
        _ = tracker.note(response("r1"))
        #expect(tracker.status.day.dollars == 3 && tracker.status.hour.dollars == 3)
        wall.store(1_795_285_800 + 3600, ordering: .relaxed)
        #expect(tracker.status.day.dollars == 3 && tracker.status.hour.dollars == 0)
        wall.store(1_795_285_800 + 86_400, ordering: .relaxed)
        #expect(tracker.status.day.dollars == 0)
        #expect(tracker.note(response("r2")).isEmpty, "looking has changed nothing")
    }

    /// What was spent is unknown: most of the day's budget counts as spent, and the file is kept for inspection.
    @Test func damageDoesNotRenewABudget() async throws {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let log = LineLog()
        let damage = Array("[hour]\nnumber = lots\n".utf8)
        try StateFile.write(damage, to: directory + "/budget.toml")
        var first = tracker(log)
        #expect(first.status.day.dollars == 4)
        #expect(log.lines.count == 1)
        #expect(log.lines.first?.contains("budget.toml") == true && log.lines.first?.contains("80 %") == true)
        #expect(try FileReader.system.read(directory + "/budget.toml.damaged", 100).bytes == damage)
        guard case .spent? = first.note(response("r1")).last else {
            Issue.record("a fifth of the budget was left, and more was spent")
            return
        }
        await first.finish()
        // A later start knows it.
        #expect(tracker(log).status.day.dollars == 7 && log.lines.count == 1)
        // Damaged again while the first damaged copy is still there: no budget is left.
        try StateFile.write([0], to: directory + "/budget.toml")
        let second = tracker(log)
        #expect(second.status.day.dollars == 5 && log.lines.last?.contains("100 %") == true)
        await second.finish()
    }

    /// A start that fails before a word was said must leave a file that the next one can read.
    @Test func assumedSpendingIsWrittenImmediately() async throws {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let log = LineLog()
        try StateFile.write([0], to: directory + "/budget.toml")
        _ = tracker(log)
        for _ in 0..<2000 {
            if case .known? = Optional(BudgetStore.load(directory: directory, logger: LineLog().logger)) { break }
            try await Task.sleep(for: .milliseconds(5))
        }
        #expect(tracker(log).status.day.dollars == 4)
    }

    /// Written while the clock was years ahead: it counts as today's and ends with the day, whenever the box is
    /// restarted.
    @Test func accountFromTheFutureEndsAtMidnight() {
        let ahead = BudgetAccount(number: 30_000)
        var saved = SavedBudget(hour: BudgetAccount(number: 720_000), day: ahead)
        saved.day.spending.micros = 5_000_000
        func budget(_ wall: Int) -> Budget {
            Budget(options(5), restored: .known(saved), at: ClockInstant(wall: wall, uptime: .zero))
        }
        #expect(budget(1_795_285_800).day.spending.dollars == 5)
        var next = budget(1_795_285_800)
        _ = next.note(at: ClockInstant(wall: 1_795_285_800 + 86_400, uptime: .seconds(1)))
        #expect(next.day.spending.dollars == 0)
        // Before the network has set the time nothing is known.
        #expect(budget(5).day.number == 30_000)
    }

    /// The disk was full at the time of writing, and no longer is.
    @Test func failedWriteIsRepeatedLater() async throws {
        let folder = FileManager.default.temporaryDirectory.path + "/budget-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try StateFile.write([1], to: folder)
        let saved = SavedBudget(hour: BudgetAccount(number: 1), day: BudgetAccount(number: 1))
        let store = BudgetStore(directory: folder, logger: LineLog().logger)
        await store.save(saved, sequence: 1)
        await store.flush()
        try FileManager.default.removeItem(atPath: folder)
        await store.flush()
        #expect(BudgetStore.load(directory: folder, logger: LineLog().logger) == .known(saved))
    }

    @Test func unwritableDiskStopsNothing() async {
        let log = LineLog()
        let store = BudgetStore(directory: "/proc/nowhere", logger: log.logger)
        var tracker = BudgetTracker(options(5), store: store)
        _ = tracker.note(response("r1"))
        await tracker.finish()
        #expect(log.lines.count == 1)
    }
}
