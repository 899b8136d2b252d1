import Testing

@testable import VoiceAudio

struct DisturbancePaceTests {
    /// The seconds at which a disturbance that lasts from second 100 on is reported, checked every second.
    private func reported(_ seconds: ClosedRange<Int>, pace: inout DisturbancePace) -> [Int] {
        seconds.filter { pace.step(isDisturbed: true, isNews: true, at: .seconds($0)) }
    }

    @Test func lastingDisturbanceIsReportedEverMoreRarely() {
        var pace = DisturbancePace()
        #expect(reported(100...260, pace: &pace) == [100, 105, 115, 135, 175, 255])
        // A day of it: from 5 s to half an hour, then hourly.
        #expect(reported(261...86_400, pace: &pace).count < 30)
    }

    @Test func calmMinuteResetsThePace() {
        var pace = DisturbancePace()
        _ = reported(100...260, pace: &pace)
        #expect(reported(320...335, pace: &pace) == [320, 330])
    }

    @Test func unreportedDisturbanceIsReportedAtItsEnd() {
        var pace = DisturbancePace()
        _ = reported(100...102, pace: &pace)
        let late = (103...200).filter { pace.step(isDisturbed: false, isNews: $0 < 106, at: .seconds($0)) }
        #expect(late == [105])
    }
}
