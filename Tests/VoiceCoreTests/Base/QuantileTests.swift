import Testing

@testable import VoiceBase

struct QuantileTests {
    /// Nearest rank: the smallest value such that at least this share of the values does not exceed it.
    @Test(arguments: [(0.0, 15), (0.05, 15), (0.3, 20), (0.4, 20), (0.5, 35), (1.0, 50), (2.0, 50), (-1.0, 15)])
    func quantileIsTheNearestRank(share: Double, value: Int) {
        #expect([15, 20, 35, 40, 50].quantile(share) == value)
    }

    @Test func emptyListHasNoQuantile() {
        #expect([Int]().quantile(0.5) == nil)
    }
}
