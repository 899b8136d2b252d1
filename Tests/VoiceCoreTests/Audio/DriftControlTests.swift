import Testing

@testable import VoiceAudio

struct DriftControlTests {
    @Test func leavesASteadyCardAlone() {
        var control = DriftControl(nominal: 960)
        // Jitter of +-4 ms around an unusual total.
        for period in 0..<2000 where control.step(total: 1100 + (period * 7919) % 384 - 192) != 1 {
            Issue.record("slipped at \(period)")
            return
        }
    }

    @Test(arguments: [200.0, -200.0])
    func keepsTwoDriftingCardsInStep(ppm: Double) {
        var control = DriftControl(nominal: 960)
        var total = 960.0
        var extremes = (960.0, 960.0)
        var slips = 0
        for _ in 0..<60_000 {
            let count = control.step(total: Int(total))
            if count != 1 { slips += 1 }
            total += 480 * Double(count) - 480 * (1 + ppm / 1e6)
            extremes = (min(extremes.0, total), max(extremes.1, total))
        }
        // Ten minutes at 200 ppm amount to 5760 frames: 12 periods.
        #expect((11...13).contains(slips))
        #expect(extremes.0 > 480 && extremes.1 < 1440)
    }

    @Test func bufferIsRestoredInOneCycleAfterALoss() {
        var control = DriftControl(nominal: 960)
        for _ in 0..<300 { _ = control.step(total: 960) }
        control.discontinuity()
        #expect(control.step(total: 0) == 3)
        #expect(control.step(total: 960) == 1)
    }

    @Test func leavesPeriodsOutWhileALateThreadCatchesUp() {
        var control = DriftControl(nominal: 960)
        control.discontinuity()
        #expect(control.step(total: 1920) == 0)
        #expect(control.step(total: 1440) == 0)
        #expect(control.step(total: 960) == 1)
    }

    /// PulseAudio reports 100 ms too little for 200 ms after a start, then the previous value plus the error from what
    /// was lost or is too much. The error is corrected in one step and is not drift.
    @Test(arguments: [0, 450, -900, 1440])
    func delayIsNotTrustedAfterAServerRestart(error: Int) {
        var control = DriftControl(nominal: 6000)
        for _ in 0..<300 { _ = control.step(total: 6000) }
        control.restarted()
        var total = 6000 + error
        var slips = 0
        for period in 0..<500 {
            let count = control.step(total: period < 20 ? 1200 : total, playback: 1200)
            if control.slipped || control.moved || (period < 49 && count != 1) { slips += 1 }
            total += 480 * (count - 1)
        }
        #expect(slips == 0)
        #expect((total - 6000).magnitude <= 240)
    }

    @Test func cardFurtherBehindIsNotStarved() {
        var control = DriftControl(nominal: 960)
        control.discontinuity()
        let written = (0..<20).reduce(0) { sum, _ in sum + control.step(total: 9600) }
        #expect(written >= 12)
    }

    /// With a loudspeaker that follows: ten minutes without a slip, and the buffer keeps its level.
    @Test(arguments: [200.0, -200, 20, -20, 450])
    func adaptiveLoudspeakerNeedsNoSlip(ppm: Double) {
        var control = DriftControl(nominal: 960)
        var total = 960.0
        var extremes = (960.0, 960.0)
        var slips = 0
        for period in 0..<60_000 {
            // Whole frames, and a jitter of a millisecond.
            let count = control.step(total: Int(total) + (period * 7919) % 96 - 48)
            if count != 1 { slips += 1 }
            total += 480 * Double(count) / control.step - 480 * (1 + ppm / 1e6)
            extremes = (min(extremes.0, total), max(extremes.1, total))
        }
        #expect(slips == 0)
        #expect(extremes.0 > 700 && extremes.1 < 1220)
        #expect((total - 960).magnitude < 60)
        #expect(((1 / control.step - 1) * 1e6 - ppm).magnitude < 15)
    }

    @Test func cardsOfOneClockAreLeftAsTheyAre() {
        var control = DriftControl(nominal: 960)
        var followed = 0
        // Jitter of +-4 ms, as on a busy machine.
        for period in 0..<60_000 {
            _ = control.step(total: 1100 + (period * 7919) % 384 - 192)
            if control.step != 1 { followed += 1 }
        }
        #expect(followed == 0)
    }

    /// A sound server moves the stream to another device: 40 ms more from one moment to the next.
    @Test(arguments: [1920, -960])
    func permanentDelayJumpIsAccepted(jump: Int) {
        var control = DriftControl(nominal: 960)
        var slips = 0
        var moves = 0
        for period in 0..<3000 {
            let total = 2400 + (period < 1000 ? 0 : jump)
            if control.step(total: total, playback: total) != 1 { slips += 1 }
            if control.moved { moves += 1 }
        }
        #expect(slips == 0)
        #expect(moves == 1)
        #expect(control.step == 1)
    }

    @Test func emptiedLoudspeakerIsRefilled() {
        var control = DriftControl(nominal: 960)
        var total = 960
        var added = 0
        for period in 0..<1000 {
            if period == 500 { total -= 900 }
            let count = control.step(total: total, playback: total)
            added += count - 1
            total += 480 * count - 480
        }
        #expect(added == 2)
    }

    /// A sound server whose delay comes in quanta of 21 ms: changes by a quantum are not drift.
    @Test func quantaOfASoundServerAreNotDrift() {
        var control = DriftControl(nominal: 960)
        var slips = 0
        for period in 0..<20_000 {
            let total = 3000 + (period * 480) % 1024 + (period / 700 % 2) * 512
            if control.step(total: total, playback: total) != 1 { slips += 1 }
        }
        #expect(slips == 0)
    }
}
