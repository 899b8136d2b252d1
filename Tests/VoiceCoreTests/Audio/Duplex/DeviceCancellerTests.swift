import Glibc
import Testing

@testable import VoiceAudio
@testable import VoiceBase
@testable import VoiceCore

/// The whole audio thread with a microphone that cancels its own echo, or that delivers the played audio beside the
/// voice.
struct DeviceCancellerTests {
    private static let hardware = CapturePlan(voice: .channel(0), worker: .hardware, mayTakeOver: true)

    /// The room's noise is about five steps, its echo hundreds.
    private func peak(_ samples: ArraySlice<Int16>) -> Int { samples.reduce(0) { max($0, Int($1.magnitude)) } }

    @Test func goodDeviceCancellerNeedsNoOwnCanceller() throws {
        // A talker from the fifth second on.
        var rig = try EchoRig(
            plan: Self.hardware,
            talker: EchoRig.talker(from: 5 * 48_000),
            echo: EchoRig.direct { _ in 0.0005 }
        )
        rig.run(100)
        rig.speak(4)
        #expect(rig.status.worker == .hardware)
        #expect(rig.status.state == .clear)
        #expect(rig.status.figures.linearERLE == nil)
        #expect(peak(rig.heard[(3 * 24_000)..<(4 * 24_000)]) < 40)
        rig.speak(1)
        #expect(rig.status.isOpen)
        #expect(peak(rig.heard.suffix(4800)) > 200)
    }

    @Test func unprovenDeviceCancellerSendsNoFirstSecond() throws {
        var rig = try EchoRig(plan: Self.hardware, echo: EchoRig.direct { _ in 0.3 })
        rig.run(100)
        let before = rig.heard.count
        rig.speak(3)
        #expect(peak(rig.heard[before...]) < 40)
        #expect(rig.status.state == .learning)
    }

    @Test func ownCancellerReplacesAPoorDeviceCanceller() throws {
        var rig = try EchoRig(plan: Self.hardware, echo: EchoRig.direct { _ in 0.3 })
        rig.run(100)
        rig.speak(12)
        #expect(rig.status.worker == .both)
        #expect(rig.status.state == .good)
        #expect((rig.status.figures.linearERLE ?? 0) > 12)
        #expect(rig.status.openings == 0)
    }

    @Test func configuredModeStays() throws {
        var plan = Self.hardware
        plan.mayTakeOver = false
        var rig = try EchoRig(plan: plan, echo: EchoRig.direct { _ in 0.3 })
        rig.run(100)
        rig.speak(12)
        #expect(rig.status.worker == .hardware)
        #expect(rig.status.state == .poor)
        #expect(rig.status.openings == 0)
    }

    @Test func failingDeviceCancellerIsNotATalkerForLong() throws {
        var rig = try EchoRig(plan: Self.hardware, echo: EchoRig.direct { $0 < 6 * 48_000 ? 0.0005 : 0.3 })
        rig.run(100)
        rig.speak(5)
        #expect(rig.status.state == .clear)
        rig.speak(12)
        #expect(rig.status.worker == .both)
        #expect(rig.status.state == .good)
        #expect(peak(rig.heard.suffix(24_000)) < 40)
    }

    @Test func aMuteKeyProvesNothingAboutTheEcho() throws {
        var rig = try EchoRig(plan: Self.hardware, isMuted: { $0 < 8 * 48_000 }, echo: EchoRig.direct { _ in 0.3 })
        rig.run(100)
        rig.speak(6)
        #expect(rig.status.state == .learning)
        #expect(rig.status.blocks == 0)
        #expect(rig.status.figures.noiseFloor == -65)
    }

    @Test func muteKeyKeepsTheVerdictOnADevice() throws {
        var rig = try EchoRig(
            plan: Self.hardware,
            isMuted: { (6 * 48_000..<9 * 48_000).contains($0) },
            echo: EchoRig.direct { _ in 0.0005 }
        )
        rig.run(100)
        rig.speak(4)
        let changes = rig.status.changes
        rig.speak(7)
        #expect(rig.status.state == .clear)
        #expect(rig.status.changes == changes)
    }

    @Test func theDevicesReferenceNeedsNoSearch() throws {
        // The loudspeaker's path to the microphone takes 25 ms; nothing searches for the delay, and the card reports
        // another one.
        let plan = CapturePlan(voice: .channel(0), reference: 1)
        var rig = try EchoRig(plan: plan, loopback: true, echo: EchoRig.direct { _ in 0.3 })
        rig.card.captureDelay = 2400
        rig.run(100)
        rig.speak(6)
        #expect(rig.status.state == .good)
        #expect((rig.status.figures.linearERLE ?? 0) > 18)
    }

    @Test func silentReferenceIsNotUsed() throws {
        let plan = CapturePlan(voice: .channel(0), reference: 1)
        var rig = try EchoRig(plan: plan, loopback: false, echo: EchoRig.direct { _ in 0.3 })
        rig.card.loopback = { _ in 0 }
        rig.run(100)
        rig.speak(8)
        #expect(rig.status.state == .good)
        #expect((rig.status.figures.linearERLE ?? 0) > 12)
        #expect(rig.status.openings == 0)
    }
}
