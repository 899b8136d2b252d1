import Glibc
import Testing

@testable import TestSupport
@testable import VoiceAudio
@testable import VoiceBase

/// The supervisor of a microphone that is ALSA's `null`; the test replaces the audio thread.
struct DeviceSupervisorTests {
    private let slot = DeviceSlot()
    private let log = LineLog()

    private func supervisor() -> DeviceSupervisor {
        DeviceSupervisor(
            DeviceRequest(name: "null", direction: .capture, periods: 16), slot: slot, beside: DeviceSlot(),
            logger: log.logger
        )
    }

    private func giveBack(_ stream: UnsafeMutablePointer<ALSAStream>) throws {
        try #require(slot.takeRecall())
        slot.giveBack(stream, errno: ETIMEDOUT)
    }

    /// Muted and unmuted before the audio thread has noticed: it still has the old stream, and there is no second one.
    @Test func lastMuteWinsWhileTheStreamIsInUse() async throws {
        let supervisor = supervisor()
        await supervisor.step()
        let first = try #require(slot.takeOffered())
        await supervisor.setClosed(true)
        await supervisor.setClosed(false)
        for _ in 0..<3 { await supervisor.step() }
        #expect(slot.takeOffered() == nil, "a second stream while the first one is out")
        try giveBack(first)
        for _ in 0..<3 { await supervisor.step() }
        let second = try #require(slot.takeOffered())
        #expect(!log.lines.contains { $0.contains("lost") }, "\(log.lines)")
        slot.giveBack(second, errno: 0)
        await supervisor.stop()
    }

    @Test func repeatedMuteStaysMuted() async throws {
        let supervisor = supervisor()
        await supervisor.step()
        let first = try #require(slot.takeOffered())
        for closed in [true, false, true] { await supervisor.setClosed(closed) }
        try giveBack(first)
        for _ in 0..<3 { await supervisor.step() }
        #expect(slot.takeOffered() == nil)
        #expect(slot.state == .waiting(reason: "muted"))
        await supervisor.setClosed(false)
        await supervisor.step()
        let second = try #require(slot.takeOffered())
        slot.giveBack(second, errno: 0)
        await supervisor.stop()
    }

    /// Closed for lack of sound, open again when there is some, or when the box must be ready to speak.
    @Test(arguments: [true, false]) func restingLoudspeakerOpensOnDemand(forSound: Bool) async throws {
        let supervisor = DeviceSupervisor(
            DeviceRequest(name: "null", direction: .playback, periods: 4), slot: slot, beside: DeviceSlot(),
            logger: log.logger
        )
        slot.mayRest = true
        await supervisor.step()
        let first = try #require(slot.takeOffered())
        slot.isResting = true
        slot.giveBack(first, errno: 0)
        for _ in 0..<3 { await supervisor.step() }
        #expect(slot.takeOffered() == nil)
        #expect(slot.state == .resting && slot.state.isOpen)
        #expect(log.lines.count == 1 && log.lines[0].contains("other programs may use it"), "\(log.lines)")
        if forSound { slot.isWanted = true } else { slot.mayRest = false }
        await supervisor.step()
        let second = try #require(slot.takeOffered())
        #expect(slot.isSame)
        #expect(slot.state == .resting, "until frames flow")
        slot.isResting = false
        slot.giveBack(second, errno: 0)
        await supervisor.stop()
    }

    /// A loudspeaker that rests costs nothing until sound wakes it.
    @Test func restingLoudspeakerIsCheckedOnlyOnceWanted() async throws {
        let supervisor = DeviceSupervisor(
            DeviceRequest(name: "null", direction: .playback, periods: 4), slot: slot, beside: DeviceSlot(),
            logger: log.logger
        )
        slot.mayRest = true
        let keeping = Task { await supervisor.keep() }
        let first = await offered()
        slot.isResting = true
        slot.giveBack(first, errno: 0)
        while slot.state != .resting { await Task.yield() }
        let next = await supervisor.nextLook(at: Monotonic.now())
        #expect(next == nil)
        slot.isWanted = true
        slot.bell.ring()
        let second = await offered()
        keeping.cancel()
        await keeping.value
        slot.giveBack(second, errno: 0)
        await supervisor.stop()
        slot.bell.close()
    }

    @Test func mutedMicrophoneIsNotChecked() async throws {
        let supervisor = supervisor()
        await supervisor.setClosed(true)
        let closed = await supervisor.nextLook(at: Monotonic.now())
        #expect(closed == nil)
        let rings = slot.bell.rings
        await supervisor.setClosed(false)
        #expect(slot.bell.rings > rings, "it is opened now")
        let open = await supervisor.nextLook(at: Monotonic.now())
        #expect(open != nil)
    }

    /// Plays the audio thread: takes the stream as soon as there is one.
    private func offered() async -> UnsafeMutablePointer<ALSAStream> {
        while true {
            if let stream = slot.takeOffered() { return stream }
            await Task.yield()
        }
    }

    /// The card was taken by another program meanwhile: one line, and sound waits no longer.
    @Test func refusedRestingLoudspeakerIsWaitedFor() async throws {
        let supervisor = DeviceSupervisor(
            DeviceRequest(name: "hw:CARD=absent", direction: .playback, periods: 4), slot: slot, beside: DeviceSlot(),
            logger: log.logger
        )
        slot.mayRest = true
        (slot.isResting, slot.isWanted) = (true, true)
        for _ in 0..<3 { await supervisor.step() }
        #expect(!slot.isResting && !slot.isWanted)
        #expect(log.lines.count == 1 && log.lines[0].contains("waiting for device"), "\(log.lines)")
        #expect(!slot.state.isOpen)
        await supervisor.stop()
    }

    /// No one has taken it: it is closed immediately.
    @Test func untakenOfferIsWithdrawn() async throws {
        let supervisor = supervisor()
        await supervisor.step()
        await supervisor.setClosed(true)
        #expect(slot.takeOffered() == nil)
        await supervisor.setClosed(false)
        await supervisor.step()
        let again = try #require(slot.takeOffered())
        slot.giveBack(again, errno: 0)
        await supervisor.stop()
    }
}
