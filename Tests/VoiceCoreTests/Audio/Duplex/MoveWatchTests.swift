import Testing

@testable import VoiceAudio

struct MoveWatchTests {
    /// Feeds signs of a path change in these periods; returns the periods in which a move was reported.
    private func moves(
        signs: Set<Int>,
        shaped: Range<Int> = 0..<0,
        periods: Int = 6000,
        good: (Int) -> Bool = { $0 >= 300 }
    ) -> [Int] {
        var watch = MoveWatch()
        return (0..<periods).filter {
            watch.step(hasPathChanged: signs.contains($0), isShapedLikeEcho: shaped.contains($0), isGood: good($0))
        }
    }

    @Test func oneSignIsNoMove() {
        #expect(moves(signs: [1500, 2400, 3000, 3121]).isEmpty)
    }

    @Test func aSecondSignWithinASecondIs() {
        #expect(moves(signs: [1500, 1600]) == [1600])
        // Signs that follow belong to the same move.
        #expect(moves(signs: [1500, 1600, 1700, 1800, 1900]) == [1600])
        #expect(moves(signs: [1500, 1600, 3500, 3600]) == [1600, 3600])
    }

    @Test func aSignTwoSecondsLaterIsIfWhatIsLeftHasTheShapeOfTheEcho() {
        #expect(moves(signs: [1500, 1650], shaped: 1600..<1651) == [1650])
        #expect(moves(signs: [1500, 1650]).isEmpty)
        // Shaped only after the first sign, or too long after it.
        #expect(moves(signs: [1500, 1650], shaped: 1500..<1600).isEmpty)
        #expect(moves(signs: [1500, 1701], shaped: 1600..<1702).isEmpty)
    }

    @Test func whatHasJustBeenLearnedMayBeCorrected() {
        #expect(moves(signs: [65, 165, 473, 574]).isEmpty)
        #expect(moves(signs: [1500, 1600], good: { $0 < 1000 || $0 > 1200 }).isEmpty)
    }

    @Test func aChangedVolumeIsNoMove() {
        var watch = MoveWatch()
        for period in 0..<3000 {
            if period == 1450 { watch.levelChanged() }
            let isMove = watch.step(
                hasPathChanged: [1500, 1600].contains(period),
                isShapedLikeEcho: true,
                isGood: true
            )
            #expect(!isMove)
        }
    }

    @Test func itIsLearnedForTwoSecondsAfterTheLastSign() {
        var watch = MoveWatch()
        var learning: [Int] = []
        for period in 0..<3000 {
            _ = watch.step(
                hasPathChanged: [1500, 1600, 1700].contains(period),
                isShapedLikeEcho: true,
                isGood: true
            )
            if watch.isLearning { learning.append(period) }
        }
        #expect(learning.first == 1600)
        #expect(learning.last == 1899)
    }
}
