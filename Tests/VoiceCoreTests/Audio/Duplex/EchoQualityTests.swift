import Testing

@testable import VoiceAudio

struct EchoQualityTests {
    private func quality(noise: Float = -62) -> EchoQuality {
        var quality = EchoQuality()
        let silence = EchoReading.made(microphone: noise, output: -80)
        for _ in 0..<1000 { _ = quality.step(silence, isPlaying: false, lasting: 0, isAligned: true) }
        return quality
    }

    /// The verdict on a block with only this reading.
    private func block(_ quality: inout EchoQuality, _ reading: EchoReading, aligned: Bool = true) -> EchoQuality.Block?
    {
        quality.discontinuity()
        for count in 0..<400 {
            if let block = quality.step(reading, isPlaying: true, lasting: count, isAligned: aligned) { return block }
        }
        return nil
    }

    private static let judgements: [(EchoReading, EchoQuality.Block)] = [
        (.echo(-30, erle: 26), .good),
        (.echo(-30, erle: 13), .good),
        (.echo(-30, erle: 10), .between),
        (.echo(-30, erle: 6), .poor),
        (.echo(-20, erle: 0), .poor),
        (.echo(-45, erle: 6), .poor),
        // The noise floor is reached, or the residual cannot pass for a talker.
        (.echo(-50, erle: 11), .good),
        (.echo(-55, erle: 8), .good),
        (.echo(-62, erle: 0), .inaudible),
        (.echo(-60, erle: 0), .inaudible),
    ]

    @Test(arguments: judgements)
    func echoReadingIsJudgedGoodPoorOrInaudible(_ reading: EchoReading, _ expected: EchoQuality.Block) {
        var quality = quality()
        #expect(block(&quality, reading) == expected)
    }

    @Test func talkerDoesNotChangeTheVerdict() throws {
        var quality = quality()
        for _ in 0..<8 { _ = block(&quality, .echo(-30, erle: 20)) }
        var talked = EchoReading.doubleTalk()
        talked.hasTalker = true
        #expect(block(&quality, talked) == .talker)
        #expect(abs(try #require(quality.figures.linearERLE) - 20) < 1)
        #expect(block(&quality, .echo(-30, erle: 20)) == .good)
    }

    /// A talker is recognised after about 200 ms, when the block may already have ended.
    @Test(arguments: [10, 30, 49, 55, 75])
    func aTalkerFoundLateSpoilsNoBlock(after periods: Int) {
        var quality = quality()
        var block: EchoQuality.Block?
        for count in 0..<150 where block == nil {
            if count == periods { quality.foundTalker() }
            block = quality.step(
                .doubleTalk(), isPlaying: true, lasting: count, isAligned: true, hasTalker: count > periods
            )
        }
        #expect(block == .talker)
    }

    @Test func reportsEnhancementAndLevels() throws {
        var quality = quality()
        for _ in 0..<8 { _ = block(&quality, .echo(-30, erle: 20)) }
        #expect(abs(try #require(quality.figures.linearERLE) - 20) < 1)
        #expect(try #require(quality.figures.wholeERLE) > 30)
        #expect(abs(try #require(quality.figures.echoLevel) + 30) < 0.5)
        #expect(abs(quality.figures.noiseFloor + 62) < 0.5)
    }

    @Test func noiseIsTheQuietestAndFollows() {
        var quality = quality()
        for index in 0..<1000 {
            let level: Float = index % 100 < 60 ? -30 : -62
            let reading = EchoReading.made(microphone: level, output: level)
            _ = quality.step(reading, isPlaying: false, lasting: 0, isAligned: true)
        }
        #expect(quality.figures.noiseFloor < -55)
        for _ in 0..<1500 {
            _ = quality.step(.made(microphone: -45, output: -50), isPlaying: false, lasting: 0, isAligned: true)
        }
        #expect(abs(quality.figures.noiseFloor + 45) < 1)
    }

    /// A box that plays from its start has no silence to measure: the pauses between its words have the room's noise.
    @Test func noiseIsLearnedInThePausesOfTheBox() {
        var quality = EchoQuality()
        var pause = EchoReading.made(microphone: -45, output: -60)
        pause.reference = -70
        for index in 0..<3000 {
            let reading = index % 100 < 60 ? EchoReading.echo(-25, erle: 15) : pause
            _ = quality.step(reading, isPlaying: true, lasting: index, isAligned: true)
        }
        #expect(abs(quality.figures.noiseFloor + 45) < 2)
        // Down to the noise there is nothing left to remove.
        #expect(block(&quality, .echo(-37, erle: 6)) == .good)
    }

    @Test func pausesOfTheVoiceDoNotCount() {
        var quality = quality()
        var pause = EchoReading.silence
        pause.reference = -70
        for count in 0..<500 {
            let block = quality.step(pause, isPlaying: true, lasting: count, isAligned: true)
            #expect(block == nil)
        }
    }

    /// With an echo that arrives later than the card reports, short answers would seem to have no echo.
    @Test func shortAnswersProveNothingBeforeTheAlignment() {
        var quality = quality()
        var playing = EchoReading.silence
        playing.reference = -20
        for _ in 0..<20 {
            for count in 0..<60 {
                let block = quality.step(playing, isPlaying: true, lasting: count, isAligned: false)
                #expect(block == nil)
            }
            _ = quality.step(.echo(erle: 0), isPlaying: false, lasting: 0, isAligned: false)
        }
    }

    @Test func clippingIsCounted() {
        var quality = quality()
        var clipped = EchoReading.echo(-10, erle: 9)
        clipped.isClipped = true
        for count in 0..<300 {
            _ = quality.step(
                count % 10 == 0 ? clipped : .echo(-10, erle: 9), isPlaying: true, lasting: 0, isAligned: true
            )
        }
        #expect(abs(quality.figures.clippedShare - 0.1) < 0.02)
    }
}
