import FoundationEssentials
import Testing

@testable import VoiceBase
@testable import VoiceCore

/// How much microphone audio has left, as reported to the user.
struct EgressBookTests {
    /// So many seconds after the beginning of a day of 2026, by UTC.
    private func instant(_ seconds: Int) -> ClockInstant {
        ClockInstant(wall: 1_795_219_200 + seconds, offset: 3600, uptime: .zero)
    }

    @Test func soundIsCountedByConversationAndOpener() {
        var book = EgressBook()
        book.begin(by: "word")
        #expect(book.today(instant(1000)).isEmpty, "a call alone sends nothing")
        for _ in 0..<50 { book.sent(samples: 480, bytes: 1300, at: instant(1000)) }
        book.begin(by: "button")
        book.sent(samples: 24_000, bytes: 65_000, at: instant(2000))
        let today = book.today(instant(2001))
        #expect(today.map(\.opener) == ["word", "button"])
        #expect(today.map(\.seconds) == [1, 1])
        let json = ControlCommand.json(egress: today)
        #expect(json["text"] == "2.0 s, 130000 bytes of microphone audio sent today: 1.0 s by button, 1.0 s by word")
        #expect(json["bytes"] == .integer(130_000))
    }

    @Test func aNewDayBeginsAtLocalMidnight() {
        var book = EgressBook()
        // 23:59:59 and 00:00:00 on a clock that is one hour ahead of UTC.
        book.sent(samples: 480, bytes: 1, at: instant(82_799))
        book.sent(samples: 960, bytes: 2, at: instant(82_800))
        #expect(book.today(instant(82_801)).map(\.samples) == [960])
        #expect(book.today(instant(200_000)).isEmpty)
    }

    @Test func ofManyConversationsNothingIsLost() {
        var book = EgressBook()
        for _ in 0..<1000 {
            book.begin(by: "word")
            book.sent(samples: 480, bytes: 7, at: instant(1000))
        }
        let today = book.today(instant(1000))
        #expect(today.count == EgressBook.mostConversations)
        #expect(today.reduce(0) { $0 + $1.bytes } == 7000)
        #expect(today.first?.opener == "earlier" && today.first?.began == nil)
    }

    @Test func aClockThatIsPutBackBeginsNoDay() {
        var book = EgressBook()
        book.sent(samples: 480, bytes: 1, at: ClockInstant(wall: 1_795_285_800, uptime: .zero))
        // As after a start without a real-time clock: 1970 until the network sets the time.
        #expect(book.today(ClockInstant(wall: 5, uptime: .seconds(1))).count == 1)
        #expect(book.today(ClockInstant(wall: 1_795_285_900, uptime: .seconds(2))).count == 1)
        #expect(book.today(ClockInstant(wall: 1_795_372_200, uptime: .seconds(3))).isEmpty)
    }

    @Test func whatLeftBeforeTheClockWasSetLeftToday() {
        var book = EgressBook()
        book.sent(samples: 480, bytes: 1, at: ClockInstant(wall: 1_795_285_800 - 86_400, uptime: .zero))
        book.begin(by: "word")
        book.sent(samples: 480, bytes: 7, at: ClockInstant(wall: 20, uptime: .seconds(20)))
        let today = book.today(ClockInstant(wall: 1_795_285_800, uptime: .seconds(30)))
        #expect(today.map(\.bytes) == [7])
        #expect(today.first?.began == nil)
    }

    @Test func sumsStayAtTheirBound() {
        var book = EgressBook()
        for _ in 0..<3 { book.sent(samples: EgressBook.most, bytes: EgressBook.most, at: instant(1000)) }
        #expect(book.today(instant(1000)).map(\.bytes) == [EgressBook.most])
        let many = [EgressBook.Conversation](
            repeating: .init(began: 1, opener: "word", samples: EgressBook.most, bytes: EgressBook.most),
            count: EgressBook.mostConversations
        )
        #expect(ControlCommand.json(egress: many)["bytes"] == .integer(EgressBook.most * EgressBook.mostConversations))
    }

    // MARK: Over a restart

    private let directory = FileManager.default.temporaryDirectory.path + "/egress-\(UUID().uuidString)/state"

    private func ledger(_ log: LineLog, wall: Int = 1_795_285_800, pause: Duration = .seconds(1000)) -> EgressLedger {
        let now = ClockInstant(wall: wall, uptime: .seconds(10))
        return EgressLedger(
            EgressStore.load(directory: directory, at: now, logger: log.logger),
            store: EgressStore(directory: directory, logger: log.logger),
            pause: pause,
            clock: { now }
        )
    }

    @Test func aRestartForgetsNothingOfTheDay() async {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let log = LineLog()
        let first = ledger(log)
        first.begin(by: "word")
        first.sent(samples: 24_000, bytes: 65_000)
        await first.flush()
        let second = ledger(log)
        #expect(second.today == first.today)
        second.begin(by: "button")
        second.sent(samples: 480, bytes: 1300)
        await second.flush()
        #expect(ledger(log).today.map(\.opener) == ["word", "button"])
        #expect(ledger(log, wall: 1_795_285_800 + 86_400).today.isEmpty, "the next day")
        #expect(log.lines.isEmpty)
    }

    @Test func whatLeftIsRememberedWithoutAnOrderlyEnd() async throws {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let log = LineLog()
        let first = ledger(log, pause: .zero)
        first.sent(samples: 480, bytes: 1300)
        for _ in 0..<2000 where ledger(log).today.isEmpty { try await Task.sleep(for: .milliseconds(10)) }
        #expect(ledger(log).today.map(\.bytes) == [1300])
    }

    @Test func aFullBookIsRead() throws {
        let most = EgressBook.Conversation(
            began: .max,
            opener: "earlier",
            samples: EgressBook.most,
            bytes: EgressBook.most
        )
        let saved = SavedEgress(day: 20_780, conversations: .init(repeating: most, count: EgressBook.mostConversations))
        let text = Array(saved.text.utf8)
        #expect(text.count < 64 << 10)
        #expect(try SavedEgress(parsing: text).conversations.count == EgressBook.mostConversations)
    }

    @Test(arguments: [
        "", "\0", "day = 1", "day = -1\nconversations = []", "day = \"x\"\nconversations = []",
        "day = 9223372036854775807\nconversations = []", "day = 1\nconversations = [7]",
        "day = 1\nconversations = [\"1 word 2\"]", "day = 1\nconversations = [\"1 \u{1B}[2J 2 3\"]",
        "day = 1\nconversations = [\"1 word -9223372036854775808 3\"]",
        "day = 1\nconversations = [\"1 word 9223372036854775807 3\"]",
    ])
    func aDamagedFileIsToldOfAndCountingBeginsAnew(text: String) throws {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let log = LineLog()
        try StateFile.write(Array(text.utf8), to: directory + "/egress.toml")
        let ledger = ledger(log)
        #expect(log.lines.count == 1 && log.lines.first?.contains("egress.toml") == true)
        ledger.sent(samples: 480, bytes: 1300)
        #expect(ledger.today.map(\.bytes) == [1300])
        #expect(ledger.isIncomplete, "what left before is not known, and that is told")
    }

    @Test func whatIsNotKnownIsToldUntilMidnight() async throws {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let log = LineLog()
        try StateFile.write([0], to: directory + "/egress.toml")
        let first = ledger(log)
        first.sent(samples: 480, bytes: 1300)
        await first.flush()
        #expect(ledger(log).isIncomplete, "after another restart too")
        let text = ControlCommand.json(egress: first.today, isIncomplete: true)["text"]?.stringValue
        #expect(text?.hasSuffix("; earlier today is unknown") == true)
        #expect(!ledger(log, wall: 1_795_285_800 + 86_400).isIncomplete)
        #expect(log.lines.count == 1)
    }

    /// Written while the clock was years ahead: nothing is hidden, and it ends at midnight, whenever the box is
    /// restarted.
    @Test func aBookOfTheFutureCountsAsTodays() throws {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let log = LineLog()
        let conversation = EgressBook.Conversation(began: 1, opener: "word", samples: 480, bytes: 7)
        let saved = SavedEgress(day: 30_000, conversations: [conversation])
        try StateFile.write(Array(saved.text.utf8), to: directory + "/egress.toml")
        let now = ClockInstant(wall: 1_795_285_800, uptime: .zero)
        var book = EgressStore.load(directory: directory, at: now, logger: log.logger)
        #expect(book.today(now).map(\.bytes) == [7])
        #expect(log.lines.count == 1 && log.lines[0].contains("years ahead"))
        #expect(book.today(ClockInstant(wall: 1_795_285_800 + 86_400, uptime: .seconds(1))).isEmpty)
    }
}
