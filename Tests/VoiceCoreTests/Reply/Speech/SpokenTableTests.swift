import Testing

@testable import VoiceReply

struct SpokenTableTests {
    private func shape(_ lines: [String], words: Int = 150) throws -> ShapedReply {
        try #require(SpeechShaper(maximumWords: words).shape(lines.joined(separator: "\n")))
    }

    @Test func aSmallTableIsReadAsSentences() throws {
        let reply = [
            "This is your week:", "", "| Day | Time | What |", "|---|---|---|",
            "| Monday | half past nine | **stand-up** with team a |", "| Tuesday | noon | lunch |",
        ]
        let shaped = try shape(reply)
        #expect(
            shaped.spoken == "This is your week: Monday: Time half past nine, What stand-up with team a. "
                + "Tuesday: Time noon, What lunch."
        )
        #expect(!shaped.wasCut)
    }

    @Test func figuresHaveTheNameOfTheirColumn() throws {
        let reply = [
            "| Item | Price | Stock |", "|:--|--:|--:|", "| Milk | 1.20 \u{20AC} | 3 |",
            "| Bread | 2.50 \u{20AC} | 12 |",
        ]
        #expect(
            try shape(reply).spoken
                == "Milk: Price 1.20 \u{20AC}, Stock 3. Bread: Price 2.50 \u{20AC}, Stock 12."
        )
    }

    @Test(arguments: [
        (
            ["| Train | Leaves | Arrives |", "|---|---|---|", "| S1 | 14:02 | 14:40 |"],
            "S1: Leaves 14:02, Arrives 14:40."
        ),
        (["| Price |", "|---|", "| 10.99 |", "| 14.99 |"], "Price 10.99. Price 14.99."),
        (["| Price | Shop |", "|---|---|", "| 10.99 | Anna's |"], "Price 10.99: Shop Anna's."),
        (
            ["| Plan | Monthly | Yearly |", "|---|---|---|", "| Basic | $10.99/month | from $99 |"],
            "Basic: Monthly $10.99/month, Yearly from $99."
        ),
    ])
    func everyColumnKeepsItsHead(lines: [String], spoken: String) throws {
        #expect(try shape(lines).spoken == spoken)
    }

    @Test func checkMarksStay() throws {
        let reply = ["These are the plans:", "", "| | Free | Pro |", "|---|---|---|", "| Sync | \u{274C} | \u{2705} |"]
        #expect(try shape(reply).spoken == "These are the plans: Sync: Free \u{274C}, Pro \u{2705}.")
    }

    @Test func emptyCellsAndShortRowsAreSkipped() throws {
        let reply = ["| Day | Who | Where |", "|---|---|---|", "| Monday | | home |", "| Tuesday | Anna |", "| | | |"]
        #expect(try shape(reply).spoken == "Monday: Where home. Tuesday: Who Anna.")
    }

    @Test func longTableReadsItsFirstRowsAndOffersTheRest() throws {
        let rows = (1...9).map { "| Room \($0) | \(20 + $0) |" }
        let reply = ["Here are the rooms:", "", "| Room | Degrees |", "|---|---|"] + rows + ["", "That is all of it."]
        let shaped = try shape(reply)
        #expect(
            shaped.spoken == "Here are the rooms: Room 1: Degrees 21. Room 2: Degrees 22. Room 3: Degrees 23. "
                + "That is all of it. " + SpeechShaper.offer
        )
        var place = try #require(SpeechShaper().place(in: shaped))
        #expect(
            place.next() == (4...9).map { "Room \($0): Degrees \(20 + $0)." }.joined(separator: " ")
        )
        #expect(place.next() == nil)
    }

    @Test func aWideTableIsReadByItsFirstColumns() throws {
        let reply = [
            "This is the list:", "", "| City | Sky | High | Low | Rain | Wind |", "|---|---|---|---|---|---|",
            "| Rome | clear | 27 | 18 | 0 % | 5 |", "| Oslo | clouds | 12 | 4 | 60 % | 20 |",
        ]
        let shaped = try shape(reply)
        #expect(
            shaped.spoken == "This is the list: Rome: Sky clear, High 27, Low 18. Oslo: Sky clouds, High 12, Low 4. "
                + SpeechShaper.offer
        )
        var place = try #require(SpeechShaper().place(in: shaped))
        #expect(place.next() == "Rome: Rain 0 %, Wind 5. Oslo: Rain 60 %, Wind 20.")
    }

    @Test func lineDirectlyAfterATableIsNotARow() throws {
        let reply = ["| a | b |", "|---|---|", "| milk | bread |", "That is all of it."]
        #expect(try shape(reply).spoken == "milk: b bread. That is all of it.")
    }

    @Test func escapedBarsAreNotColumns() throws {
        let reply = ["| Command | Does |", "|---|---|", "| `a \\| b` | pipes |"]
        #expect(try shape(reply).spoken == "a | b: Does pipes.")
    }

    @Test func aTableOfAnySizeIsBounded() throws {
        let name = String(repeating: "n", count: 500)
        let head = "|" + String(repeating: name + "|", count: 40)
        let reply =
            [head, "|" + String(repeating: "-|", count: 40)]
            + [String](repeating: "|" + String(repeating: "1|", count: 40), count: 400)
        let shaped = try shape(reply)
        #expect(shaped.full.utf8.count < SpeechShaper.maximumBytes)
    }
}
