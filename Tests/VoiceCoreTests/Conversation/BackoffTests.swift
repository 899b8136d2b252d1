import Testing

@testable import VoiceConversation

struct BackoffTests {
    @Test func theCeilingDoublesFromHalfASecondToAMinute() {
        var backoff = Backoff(seed: 1)
        var ceilings: [Duration] = []
        for _ in 0..<40 {
            ceilings.append(backoff.ceiling)
            _ = backoff.next()
        }
        let expected: [Duration] = [500, 1000, 2000, 4000, 8000, 16_000, 32_000, 60_000].map { .milliseconds($0) }
        #expect(Array(ceilings.prefix(8)) == expected)
        #expect(ceilings.dropFirst(8).allSatisfy { $0 == .seconds(60) })
        backoff.reset()
        #expect(backoff.ceiling == .milliseconds(500))
    }

    @Test func pauseIsRandomBelowTheCeiling() {
        var backoff = Backoff(first: .seconds(10), longest: .seconds(10), seed: 42)
        var tenths = Array(repeating: 0, count: 10)
        for _ in 0..<10_000 {
            let pause = backoff.next()
            #expect((.zero ... .seconds(10)).contains(pause))
            tenths[min(9, Int(pause / .seconds(1)))] += 1
        }
        #expect(tenths.allSatisfy { (850...1150).contains($0) }, "\(tenths)")
    }

    @Test func daemonsFailingTogetherReconnectApart() {
        var one = Backoff(seed: 1)
        var other = Backoff(seed: 2)
        var again = Backoff(seed: 1)
        let pauses = (0..<8).map { _ in one.next() }
        #expect(pauses != (0..<8).map { _ in other.next() })
        #expect(pauses == (0..<8).map { _ in again.next() })
    }
}
