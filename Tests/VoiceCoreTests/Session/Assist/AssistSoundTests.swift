import Testing

@testable import TestSupport
@testable import VoiceConversation
@testable import VoiceSession

struct AssistSoundTests {
    private static func number(_ value: UInt32, _ size: Int) -> [UInt8] {
        (0..<size).map { UInt8(truncatingIfNeeded: value >> (8 * UInt32($0))) }
    }

    /// As Home Assistant streams it: the lengths are not filled in.
    private static let header =
        Array("RIFF".utf8) + number(.max, 4) + Array("WAVEfmt ".utf8) + number(16, 4) + number(1, 2) + number(1, 2)
        + number(24_000, 4) + number(48_000, 4) + number(2, 2) + number(16, 2) + Array("data".utf8) + number(.max, 4)

    @Test(arguments: [1, 3, 7, 44, 1000]) func samplesAreWholeInPiecesOfAnySize(size: Int) throws {
        let samples = (0..<500).map { Int16($0 * 3) }
        let bytes = Self.header + samples.withUnsafeBytes { Array($0) }
        var sound = AssistSound()
        var heard: [Int16] = []
        for start in stride(from: 0, to: bytes.count, by: size) {
            heard += try sound.consume(Array(bytes[start..<min(start + size, bytes.count)]))
        }
        #expect(heard == samples && sound.rate == 24_000)
    }

    @Test(arguments: [
        Array("fLaC".utf8) + [0, 0], Array("<html>".utf8), Array("RIFF".utf8) + Array(repeating: 0, count: 5000),
    ])
    func otherFormIsRefused(bytes: [UInt8]) {
        var sound = AssistSound()
        #expect(throws: AssistSound.Problem.otherForm) { try sound.consume(bytes) }
    }
}

struct AssistExchangeTests {
    @Test func secondFollowerTakesThePlaceOfTheFirst() async {
        let exchange = AssistExchange()
        let first = exchange.follow()
        let second = exchange.follow()
        exchange.send(.stop(run: 7))
        for await _ in first.lines { #expect(Bool(false), "it has ended") }
        for await line in second.lines {
            #expect(line == .stop(run: 7))
            break
        }
        first.cancel()
        #expect(exchange.isFollowed, "the first may leave late")
        second.cancel()
        #expect(!exchange.isFollowed && !exchange.send(.stop(run: 7)))
    }

    @Test func followerThatTakesNothingLosesItsPlaceAndTheSessionLearnsOfIt() {
        let exchange = AssistExchange()
        let follower = exchange.follow()
        let news = Collected<AssistNews>()
        _ = exchange.open { _ in .init(news: { news.add([$1]) }, question: {}) }
        for _ in 0..<AssistExchange.mostLines { #expect(exchange.send(.sound(run: 1, [0, 0]))) }
        #expect(!exchange.send(.soundEnds(run: 1)) && !exchange.isFollowed)
        #expect(news.all == [.lost])
        follower.cancel()
    }

    @Test func newsReachTheSessionOfTheirRunAlone() {
        let exchange = AssistExchange()
        let (one, two) = (Collected<AssistNews>(), Collected<AssistNews>())
        let first = exchange.open { _ in .init(news: { one.add([$1]) }, question: {}) }
        let second = exchange.open { _ in .init(news: { two.add([$1]) }, question: {}) }
        #expect(exchange.tell(run: second.firstRun + 1, .works) && one.all.isEmpty && two.all == [.works])
        exchange.close(second.session)
        #expect(!exchange.tell(run: second.firstRun + 1, .works) && exchange.tell(run: first.firstRun + 1, .ended))
    }

    @Test func wordOfAnEarlierConversationIsNoLongerMeant() {
        let exchange = AssistExchange()
        exchange.called("hey jarvis", at: .seconds(100))
        #expect(exchange.word(since: .seconds(95)) == "hey jarvis" && exchange.word(since: .seconds(101)) == nil)
    }
}
