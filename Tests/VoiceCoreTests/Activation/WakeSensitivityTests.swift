import Testing

@testable import VoiceActivation

struct WakeSensitivityTests {
    @Test func installedModelHasItsMeasuredCutoffs() {
        let installed = WakeCutoffs(word: "okay nabu", bytes: 80_824, makers: 0.85)
        #expect(installed.high < installed.normal && installed.normal < installed.low)
        // Another model of the same word.
        let own = WakeCutoffs(word: "okay nabu", bytes: 61_000, makers: 0.8)
        #expect(own[.normal] == 0.8 && own != installed)
    }

    @Test(arguments: [0.001, 0.5, 0.97, 254.5 / 256])
    func everySensitivityCanBeExceeded(makers: Double) {
        let cutoffs = WakeCutoffs(word: "computer", bytes: 50_000, makers: makers)
        #expect(WakeSensitivity.allCases.allSatisfy { cutoffs[$0] > 0 && cutoffs[$0] < 255.0 / 256 })
    }

    @Test func nearMissNamesTheLowestSensitivityThatHearsIt() {
        let cutoffs = WakeCutoffs(low: 0.9, normal: 0.6, high: 0.3)
        #expect(cutoffs.sensitivity(hearing: 0.95) == .low)
        #expect(cutoffs.sensitivity(hearing: 0.7) == .normal)
        #expect(cutoffs.sensitivity(hearing: 0.31) == .high)
        #expect(cutoffs.sensitivity(hearing: 0.3) == nil)
    }
}
