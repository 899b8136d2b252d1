import Testing

@testable import VoiceCore

struct DriftControlTests {
    @Test func leavesASteadyCardAlone() {
        var control = DriftControl(nominal: 960)
        // Jitter of +-4 ms around an unusual place.
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
        // Ten minutes at 200 ppm are 5760 frames: 12 periods.
        #expect((11...13).contains(slips))
        #expect(extremes.0 > 480 && extremes.1 < 1440)
    }

    @Test func restoresTheBufferAtOnceAfterALoss() {
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

    @Test func aCardThatIsFurtherBehindThanBeforeIsNotStarved() {
        var control = DriftControl(nominal: 960)
        control.discontinuity()
        let written = (0..<20).reduce(0) { sum, _ in sum + control.step(total: 9600) }
        #expect(written >= 12)
    }
}
