import Testing

@testable import VoiceNetwork

struct PeerWatchTests {
    private let start = ContinuousClock.now

    private func at(_ seconds: Double) -> ContinuousClock.Instant { start + .seconds(seconds) }

    @Test func aSilentPeerIsPingedTwiceThenDead() {
        var watch = PeerWatch(limit: .seconds(12), at: start)
        let verdicts = stride(from: 0.5, through: 12, by: 0.5).map { watch.check(at: at($0)) }
        #expect(verdicts.enumerated().filter { $0.element == .ping }.map { Double($0.offset + 1) / 2 } == [4, 8])
        #expect(verdicts.firstIndex(of: .dead) == 23)
    }

    @Test func anyByteCountsAsLife() {
        var watch = PeerWatch(limit: .seconds(12), at: start)
        for second in 1...100 {
            watch.received(at: at(Double(second)))
            #expect(watch.check(at: at(Double(second) + 0.9)) == .alive)
        }
    }

    /// The deadline counts from the last byte, however many pings are on their way.
    @Test func pingDoesNotProlongTheLimit() {
        var watch = PeerWatch(limit: .seconds(12), at: start)
        watch.received(at: at(3))
        #expect(watch.check(at: at(14.9)) == .ping)
        #expect(watch.next == at(15))
        #expect(watch.check(at: at(15)) == .dead)
    }

    @Test func nextCheckTimeIsReported() {
        var watch = PeerWatch(limit: .seconds(12), at: start)
        #expect(watch.next == at(4))
        watch.received(at: at(3))
        #expect(watch.next == at(7))
        #expect(watch.check(at: at(7)) == .ping)
        #expect(watch.next == at(11))
    }
}
