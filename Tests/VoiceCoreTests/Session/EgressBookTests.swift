import Testing

@testable import VoiceCore

/// How much of the microphone has left, as the user is told.
struct EgressBookTests {
    private func instant(_ wall: Int) -> BudgetInstant { BudgetInstant(wall: wall, offset: 3600, uptime: .zero) }

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
        #expect(json["text"] == "2.0 s, 130000 bytes of the microphone left today: 1.0 s by button, 1.0 s by word")
        #expect(json["bytes"] == .integer(130_000))
    }

    @Test func aNewDayBeginsAtLocalMidnight() {
        var book = EgressBook()
        // 23:59:59 and 00:00:00 of a clock that is an hour ahead of UTC.
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
}
