import Testing

@testable import VoiceBase
@testable import VoiceCore

struct ClockWatchTests {
    private static let today = 1_795_285_800

    /// A clock that shows each of `walls` in turn, a second apart.
    private func news(_ walls: [Int], epoch: Int = ClockInstant.oldest) -> [String] {
        var watch = ClockWatch()
        return walls.enumerated().compactMap { second, wall in
            switch watch.step(ClockInstant(wall: wall, uptime: .seconds(10 + second), epoch: epoch)) {
            case .unset(let problem): problem
            case .set: "set"
            case nil: nil
            }
        }
    }

    @Test func reportsWhenTheClockIsSet() {
        let unset = "the clock of this machine is not set: it shows "
        let today = Self.today
        #expect(news([0, 1, 2]) == [unset + "1970-01-01 00:00"])
        #expect(news([1_388_534_400, 1_388_534_401, today, today + 1]) == [unset + "2014-01-01 00:00", "set"])
        #expect(news([today, today + 3602, today + 3]) == [], "an ordinary jump")
        #expect(news([today, 5, 6, today + 3]) == [unset + "1970-01-01 00:00", "set"])
    }

    /// The date of an older system, at which its clock starts, is before the build of this program.
    @Test func aTimeBeforeTheBuildIsNotSet() {
        let today = Self.today
        #expect(news([today - 86_400, today + 1], epoch: today).count == 2)
        #expect(ClockInstant.now().isPlausible)
        #expect(ClockInstant.now().unset == nil)
    }
}
