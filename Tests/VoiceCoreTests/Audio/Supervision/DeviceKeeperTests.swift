import Glibc
import Synchronization
import Testing

@testable import VoiceAudio
@testable import VoiceBase

/// The keeper of a microphone that is ALSA's `null`, with the test in the place of the audio thread.
struct DeviceKeeperTests {
    private let side = AudioSide()
    private let log = LineLog()

    private func keeper() -> DeviceKeeper {
        DeviceKeeper(
            DeviceRequest(name: "null", direction: .capture, periods: 16),
            side: side,
            beside: AudioSide(),
            logger: log.logger
        )
    }

    private func giveBack(_ stream: UnsafeMutablePointer<ALSAStream>) throws {
        try #require(side.takeRecall())
        side.giveBack(stream, errno: ETIMEDOUT)
    }

    /// Muted and heard again before the audio thread has noticed either: it has the old stream still, and there is no second one.
    @Test func theLastWishWinsWhereTheStreamIsStillOut() async throws {
        let keeper = keeper()
        await keeper.step()
        let first = try #require(side.takeOffered())
        await keeper.setClosed(true)
        await keeper.setClosed(false)
        for _ in 0..<3 { await keeper.step() }
        #expect(side.takeOffered() == nil, "a second stream while the first one is out")
        try giveBack(first)
        for _ in 0..<3 { await keeper.step() }
        let second = try #require(side.takeOffered())
        #expect(!log.lines.contains { $0.contains("lost") }, "\(log.lines)")
        side.giveBack(second, errno: 0)
        await keeper.stop()
    }

    @Test func mutedOnceMoreItStaysMuted() async throws {
        let keeper = keeper()
        await keeper.step()
        let first = try #require(side.takeOffered())
        for closed in [true, false, true] { await keeper.setClosed(closed) }
        try giveBack(first)
        for _ in 0..<3 { await keeper.step() }
        #expect(side.takeOffered() == nil)
        #expect(side.state == .waiting(reason: "muted"))
        await keeper.setClosed(false)
        await keeper.step()
        let second = try #require(side.takeOffered())
        side.giveBack(second, errno: 0)
        await keeper.stop()
    }

    /// Nobody had taken it: it is closed at once.
    @Test func anOfferThatNobodyTookIsWithdrawn() async throws {
        let keeper = keeper()
        await keeper.step()
        await keeper.setClosed(true)
        #expect(side.takeOffered() == nil)
        await keeper.setClosed(false)
        await keeper.step()
        let again = try #require(side.takeOffered())
        side.giveBack(again, errno: 0)
        await keeper.stop()
    }
}
