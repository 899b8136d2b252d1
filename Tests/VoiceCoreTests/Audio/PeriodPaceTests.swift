import CLinux
import Glibc
import Testing

@testable import VoiceAudio
@testable import VoiceBase

struct PeriodPaceTests {
    @Test func severalPeriodsAreTakenTogetherAfterASecondWithoutANeed() {
        var pace = PeriodPace()
        let needs = Array(repeating: false, count: PeriodPace.patience) + [true, false]
        let together = needs.map { pace.step(isNeeded: $0) }
        #expect(together == Array(repeating: 1, count: PeriodPace.patience - 1) + [PeriodPace.most, 1, 1])
    }

    @Test(arguments: [(16, 8), (12, 8), (8, 4), (4, 1), (2, 1)]) func smallBufferTakesFewerPeriodsTogether(
        cycles: Int, expected: Int
    ) {
        let plan = StreamPlan(format: .s16, channels: 1, periodFrames: 480, bufferFrames: 480 * cycles)
        #expect(plan.together(atMost: 8) == expected)
    }

    @Test func clockWithoutAMicrophoneLosesNoPeriodToAnInterruption() {
        let waker = clinux_eventfd()
        defer { Glibc.close(waker) }
        var clock = PeriodClock()
        let began = Monotonic.now()
        clock.restart()
        clinux_eventfd_signal(waker)
        let isOver = clock.wait(together: 8, waker: waker)
        #expect(!isOver)
        #expect(clinux_eventfd_take(waker))
        let periods = (0..<8).count { _ in clock.wait(together: 8, waker: waker) }
        #expect(periods == 8)
        #expect(Monotonic.now() - began >= .milliseconds(80))
    }
}
