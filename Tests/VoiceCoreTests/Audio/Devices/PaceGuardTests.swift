import Testing

@testable import VoiceAudio

/// Microphones without a clock, and those that only catch up.
struct PaceGuardTests {
    @Test func clocklessDeviceIsDetectedAfterFiveSeconds() {
        var pace = PaceGuard()
        let found = (0..<2000).first { pace.arrived(at: 7 + UInt64($0) * 20_000) }
        #expect(found == PaceGuard.periods)
        #expect(pace.isBroken)
        let isReportedAgain = pace.arrived(at: 50_000_000)
        #expect(!isReportedAgain)
    }

    @Test func deviceThatCatchesUpCountsAsClocked() {
        var pace = PaceGuard()
        var now: UInt64 = 0
        for period in 0..<10_000 {
            // Two seconds of audio in a burst, now and then.
            now += period % 1000 < 200 ? 10_000 : 10_000_000
            let isFound = pace.arrived(at: now)
            #expect(!isFound)
        }
        #expect(!pace.isBroken)
    }
}
