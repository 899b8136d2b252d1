import Testing

@testable import VoiceAudio

struct MoveWatchTests {
    /// Feeds signs of a path change in these periods; returns the periods in which a move was reported.
    private func moves(
        signs: Set<Int>,
        periods: Int = 6000,
        good: (Int) -> Bool = { $0 >= 300 }
    ) -> [Int] {
        var watch = MoveWatch()
        return (0..<periods).filter {
            watch.step(hasPathChanged: signs.contains($0), isGood: good($0))
        }
    }

    @Test func singleSignIsNotAMove() {
        #expect(moves(signs: [1500, 2400, 3000, 3301]).isEmpty)
    }

    @Test func secondSignWithinASecondIsAMove() {
        #expect(moves(signs: [1500, 1600]) == [1600])
        // Signs that follow belong to the same move.
        #expect(moves(signs: [1500, 1600, 1700, 1800, 1900]) == [1600])
        #expect(moves(signs: [1500, 1600, 3500, 3600]) == [1600, 3600])
    }

    /// The filter may have learned the new path between two words.
    @Test func secondSignThreeSecondsLaterIsAMove() {
        #expect(moves(signs: [1500, 1800]) == [1800])
        #expect(moves(signs: [1500, 1801]).isEmpty)
    }

    @Test func signsDuringLearningAreNotAMove() {
        #expect(moves(signs: [65, 165, 473, 574]).isEmpty)
        #expect(moves(signs: [1500, 1600], good: { $0 < 1000 || $0 > 1200 }).isEmpty)
    }

    @Test func changedVolumeIsNotAMove() {
        var watch = MoveWatch()
        for period in 0..<3000 {
            if period == 1450 { watch.levelChanged() }
            let isMove = watch.step(hasPathChanged: [1500, 1600].contains(period), isGood: true)
            #expect(!isMove)
        }
    }

    @Test func learningLastsTwoSecondsAfterTheLastSign() {
        var watch = MoveWatch()
        var learning: [Int] = []
        for period in 0..<3000 {
            _ = watch.step(hasPathChanged: [1500, 1600, 1700].contains(period), isGood: true)
            if watch.isLearning { learning.append(period) }
        }
        #expect(learning.first == 1600)
        #expect(learning.last == 1899)
    }
}
