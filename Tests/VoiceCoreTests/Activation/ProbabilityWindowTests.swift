import Testing

@testable import VoiceActivation

struct ProbabilityWindowTests {
    private func findings(_ window: inout ProbabilityWindow, _ probabilities: [UInt8]) -> [ProbabilityWindow.Finding] {
        probabilities.compactMap { window.consume($0) }
    }

    @Test func theMeanOfTheLastStepsHasToExceedTheCutOff() {
        var window = ProbabilityWindow(size: 5, cutoff: .stop(own: 0.9, model: 0), ignored: 0)
        // The window starts with zeros: four steps of 255 have a mean of 0.797.
        #expect(findings(&window, [255, 255, 255, 255]).isEmpty)
        #expect(findings(&window, [255]) == [.found(255.0 / 256)])
    }

    @Test func aMeanAtTheCutOffIsNoFind() {
        var window = ProbabilityWindow(size: 2, cutoff: .stop(own: 0.5, model: 0), ignored: 0)
        #expect(findings(&window, [128, 128, 128]).isEmpty)
        #expect(findings(&window, [129]) == [.found(257.0 / 512)])
    }

    @Test func oneWordIsTwentyStepsAndOneFind() {
        var window = ProbabilityWindow(size: 5, cutoff: .stop(own: 0.97, model: 0), ignored: 33)
        #expect(findings(&window, [UInt8](repeating: 0, count: 33)).isEmpty)
        let word: [UInt8] = [1, 6, 37, 151, 229, 253] + [UInt8](repeating: 255, count: 20) + [0, 0, 0]
        #expect(findings(&window, word).count == 1)
        // A second detection, after the second that follows the first.
        #expect(findings(&window, [UInt8](repeating: 0, count: 20)).isEmpty)
        #expect(findings(&window, word).count == 1)
    }

    @Test func aModelThatHasJustBegunIsNotBelieved() {
        var window = ProbabilityWindow(size: 3, cutoff: .stop(own: 0.5, model: 0), ignored: 10)
        #expect(findings(&window, [UInt8](repeating: 255, count: 10) + [0, 0, 0, 0]).isEmpty)
    }

    @Test func whatNearlyCountedIsToldOnceWithItsBest() {
        var window = ProbabilityWindow(size: 2, cutoff: .stop(own: 0.9, model: 0), ignored: 0)
        let approach: [UInt8] = [0, 100, 200, 220, 180, 150, 90, 0, 0, 0, 40, 0]
        #expect(findings(&window, approach) == [.missed(420.0 / 512)])
    }

    @Test func afterAResetNothingIsLeft() {
        var window = ProbabilityWindow(size: 2, cutoff: .stop(own: 0.9, model: 0), ignored: 2)
        let fresh = window
        _ = findings(&window, [0, 0, 200, 220])
        window.reset()
        #expect(window == fresh)
    }

    /// The cutoff is 0.8 whatever the model's file says, unless that is lower or the user set one.
    @Test func theCutOffIsTheUsersElseTheModelsOrEightTenths() {
        #expect(WordCutoff.call(own: nil, model: 0.97).quiet == 0.8)
        #expect(WordCutoff.call(own: nil, model: 0.75).quiet == 0.75)
        #expect(WordCutoff.call(own: 0.95, model: 0.85).quiet == 0.95)
        #expect(abs(WordCutoff.call(own: 0.9, model: 0.5).playing - 0.95) < 1e-9)
        // The cutoff while the box plays must be reachable as well.
        for own in stride(from: 0.0, to: WordCutoff.unreachable, by: 0.001) {
            let cutoff = WordCutoff.call(own: own, model: 0.9)
            #expect(cutoff.quiet...255.0 / 256 ~= cutoff.playing && cutoff.playing < WordCutoff.unreachable)
        }
    }

    /// "Hey Jarvis" has limits of its own, chosen by measurement; the user's cut-off counts before them.
    @Test func heyJarvisIsJudgedByThreeStepsOfThreePaces() {
        let usual = WordCutoff.micro(isMeasured: true, own: nil, model: 0.97, size: 5)
        #expect(usual.size == 3 && usual.cutoff == WordCutoff(quiet: 0.25, playing: 0.25, agreeing: 1))
        let own = WordCutoff.micro(isMeasured: true, own: 0.9, model: 0.97, size: 5)
        #expect(own.size == 3 && own.cutoff == WordCutoff(quiet: 0.9, playing: 0.9, agreeing: 1))
        let other = WordCutoff.micro(isMeasured: false, own: nil, model: 0.9, size: 5)
        #expect(other.size == 5 && other.cutoff == .call(own: nil, model: 0.9))
        // A talker whom the model knows at one pace only, and one whom it half knows at each.
        let word: [UInt8] = [1, 6, 37, 151, 229, 253, 255, 255]
        func step(ofFind paces: [[UInt8]]) -> Int? {
            var window = ProbabilityWindow(size: usual.size, paces: 3, cutoff: usual.cutoff, ignored: 0)
            return word.indices.first { index in
                window.note(paces[1][index], pace: 1)
                window.note(paces[2][index], pace: 2)
                return window.consume(paces[0][index]) != nil
            }
        }
        let (none, half) = ([UInt8](repeating: 0, count: 8), word.map { $0 / 3 })
        #expect(step(ofFind: [word, none, none]) == 5)
        #expect(step(ofFind: [none, none, word]) == 5)
        #expect(step(ofFind: [half, half, half]) == 5)
        #expect(step(ofFind: [half, half, none]) == nil)
        #expect(step(ofFind: [word, word, word]) == 3)
    }

    /// What another pace had to say about the word before has no say in the next.
    @Test func afterAFindNoPaceRemembersTheWord() {
        var window = ProbabilityWindow(size: 1, paces: 2, cutoff: .stop(own: 0.4, model: 0), ignored: 2)
        func receive(_ own: UInt8, _ other: UInt8) -> ProbabilityWindow.Finding? {
            window.note(other, pace: 1)
            return window.consume(own)
        }
        #expect(receive(0, 255) == nil && receive(0, 255) == nil)
        #expect(receive(0, 255) == .found(255.0 / 512))
        // The rest of the word is ignored at both paces.
        #expect(receive(0, 255) == nil && receive(0, 255) == nil && window.mean == 0)
        window.note(51, pace: 1)
        #expect(window.mean == 51.0 / 512)
    }

    @Test func whileTheBoxSoundsTwoMeansOfThreeHaveToExceedMore() {
        let word: [UInt8] = [250, 200, 250, 250]
        var silent = ProbabilityWindow(size: 1, cutoff: .call(own: 0.9, model: 0), ignored: 0)
        #expect(silent.consume(word[0]) == .found(250.0 / 256))
        var window = ProbabilityWindow(size: 1, cutoff: .call(own: 0.9, model: 0), ignored: 0)
        // 0.977 exceeds 0.95 once; values that only exceed 0.9 are not enough.
        let found = word.map { window.consume($0, isPlaying: true) }
        #expect(found == [nil, nil, .found(250.0 / 256), nil])
        #expect((0..<50).allSatisfy { _ in window.consume(240, isPlaying: true) == nil })
    }

    /// A stop word is detected over the box as in silence.
    @Test func aStopWordIsNotAskedForMoreWhileTheBoxSounds() {
        var window = ProbabilityWindow(size: 1, cutoff: .stop(own: nil, model: 0.5), ignored: 0)
        #expect(window.consume(129, isPlaying: true) == .found(129.0 / 256))
    }
}
