import Testing

@testable import VoiceActivation

struct ProbabilityWindowTests {
    private func findings(_ window: inout ProbabilityWindow, _ probabilities: [UInt8]) -> [ProbabilityWindow.Finding] {
        probabilities.compactMap { window.consume($0) }
    }

    @Test func meanMustExceedTheCutoff() {
        var window = ProbabilityWindow(size: 5, cutoff: 0.9, ignored: 0)
        // The window starts with zeros: four steps of 255 have a mean of 0.797.
        #expect(findings(&window, [255, 255, 255, 255]).isEmpty)
        #expect(findings(&window, [255]) == [.found(255.0 / 256)])
    }

    @Test func scoreEqualToCutoffIsRejected() {
        var window = ProbabilityWindow(size: 2, cutoff: 0.5, ignored: 0)
        #expect(findings(&window, [128, 128, 128]).isEmpty)
        #expect(findings(&window, [129]) == [.found(257.0 / 512)])
    }

    @Test func wordOfTwentyStepsIsFoundOnce() {
        var window = ProbabilityWindow(size: 5, cutoff: 0.97, ignored: 33)
        #expect(findings(&window, [UInt8](repeating: 0, count: 33)).isEmpty)
        let word: [UInt8] = [1, 6, 37, 151, 229, 253] + [UInt8](repeating: 255, count: 20) + [0, 0, 0]
        #expect(findings(&window, word).count == 1)
        // A second detection, after the second that follows the first.
        #expect(findings(&window, [UInt8](repeating: 0, count: 20)).isEmpty)
        #expect(findings(&window, word).count == 1)
    }

    @Test func firstStepsOfAModelAreIgnored() {
        var window = ProbabilityWindow(size: 3, cutoff: 0.5, ignored: 10)
        #expect(findings(&window, [UInt8](repeating: 255, count: 10) + [0, 0, 0, 0]).isEmpty)
    }

    @Test func nearMissIsReportedOnceWithItsBestScore() {
        var window = ProbabilityWindow(size: 2, cutoff: 0.9, ignored: 0)
        let approach: [UInt8] = [0, 100, 200, 220, 180, 150, 90, 0, 0, 0, 40, 0]
        #expect(findings(&window, approach) == [.missed(420.0 / 512)])
    }

    @Test func resetClearsTheWindow() {
        var window = ProbabilityWindow(size: 2, cutoff: 0.9, ignored: 2)
        let fresh = window
        _ = findings(&window, [0, 0, 200, 220])
        window.reset()
        #expect(window == fresh)
    }
}
