import Glibc
import Testing

@testable import TestSupport
@testable import VoiceAudio
@testable import VoiceConversation

/// Signals at 8 kHz with a known delay between them.
struct DelayEstimatorTests {
    private func noise(_ seed: UInt64, amplitude: Float = 0.1, count: Int = 16_000) -> [Float] {
        var random = SeededGenerator(seed: seed)
        return (0..<count).map { _ in .random(in: -amplitude...amplitude, using: &random) }
    }

    /// Delays by `lag` samples at 8 kHz, fractions included: a sinc over 64 samples.
    private func delayed(_ signal: [Float], by lag: Double, gain: Float = 0.5) -> [Float] {
        let whole = Int(lag.rounded(.down))
        let taps = KaiserDesign.lowPass(taps: 641, cutoff: 0.05, beta: 8).map { Float($0 * 10) }
        let phase = Int(((lag - lag.rounded(.down)) * 10).rounded())
        return signal.indices.map { index in
            var sum: Float = 0
            for tap in -31...31 {
                let from = index - whole - tap
                if signal.indices.contains(from) { sum += signal[from] * taps[320 + tap * 10 - phase] }
            }
            return sum * gain
        }
    }

    /// Returns the lag found, in samples at 8 kHz.
    private func find(_ microphone: [Float], _ reference: [Float]) -> Double? {
        var estimator = DelayEstimator()
        return estimator.lag(
            microphone: microphone,
            count: microphone.count,
            reference: reference,
            referenceCount: reference.count
        ).map { $0 / 6 }
    }

    private func sum(_ a: [Float], _ b: [Float]) -> [Float] { zip(a, b).map(+) }

    @Test(arguments: [0, 8.3, 320.5, 640.7, 1601.1, 3200.9, -160.4, -480])
    func findsTheDelayToAFractionOfASample(lag: Double) throws {
        let reference = noise(1)
        // An echo before its reference needs a longer signal on that side.
        let found =
            lag >= 0
            ? try #require(find(delayed(reference, by: lag), reference))
            : try -#require(find(delayed(reference, by: -lag), reference))
        #expect((found - lag).magnitude < 0.1)
    }

    @Test func findsAnEchoBeforeItsReference() throws {
        let signal = noise(2)
        let found = try #require(find(signal, delayed(signal, by: 480, gain: 1)))
        #expect((found + 480).magnitude < 0.1)
    }

    @Test func findsAnInvertedEcho() throws {
        let reference = noise(3)
        let found = try #require(find(delayed(reference, by: 400.5, gain: -0.3), reference))
        #expect((found - 400.5).magnitude < 0.1)
    }

    @Test func findsAnEchoBelowATalkerAndNoise() throws {
        let reference = noise(4)
        let echo = delayed(reference, by: 700, gain: 0.3)
        let found = try #require(find(sum(echo, noise(5, amplitude: 0.06)), reference))
        #expect((found - 700).magnitude < 0.2)
    }

    @Test func findsAnEchoInAThirdOfASecond() throws {
        let signal = noise(6).enumerated().map { $0.offset % 8000 > 4500 ? $0.element : 0 }
        let found = try #require(find(delayed(signal, by: 333), signal))
        #expect((found - 333).magnitude < 0.1)
    }

    @Test func unrelatedOrBrokenSignalsGiveNoDelay() {
        let other = noise(7)
        let silence = [Float](repeating: 0, count: 16_000)
        let reference = noise(8)
        #expect(find(other, reference) == nil)
        #expect(find(silence, reference) == nil)
        #expect(find(other, silence) == nil)
        #expect(find(sum(delayed(reference, by: 640, gain: 0.01), other), reference) == nil)
        #expect(find(noise(9, count: 100), noise(9, count: 100)) == nil)
        #expect(find([.nan], [.infinity]) == nil)
        var broken = reference
        broken[15_000] = .nan
        #expect(find(broken, reference) == nil)
        #expect(find(reference, broken) == nil)
        let loud = [Float](repeating: .greatestFiniteMagnitude, count: 16_000)
        #expect(find(loud, loud) == nil)
    }

    /// The signal repeats after every period: any multiple of it could be the delay.
    @Test func tonesAndRepetitionsGiveNoDelay() {
        let hiss = noise(10, amplitude: 1e-4)
        let chord = (0..<16_000).map { place in
            [440.0, 554.4, 659.3, 880, 1108.7].reduce(Float(0)) { sum, frequency in
                sum + tone(frequency, place)
            }
        }
        for signal in [tones([440]), tones([440, 1000]), tones([300, 600, 900, 1200]), chord] {
            #expect(find(sum(delayed(signal, by: 640), hiss), signal) == nil)
            #expect(find(delayed(signal, by: 640), signal) == nil)
        }
        let clicks = (0..<16_000).map { $0 % 400 == 0 ? Float(0.5) : 0 }
        #expect(find(sum(delayed(clicks, by: 640), hiss), clicks) == nil)
        let piece = noise(11, count: 800)
        let loop = (0..<16_000).map { piece[$0 % 800] }
        #expect(find(sum(delayed(loop, by: 640), hiss), loop) == nil)
    }

    @Test func twoEquallyLoudEchoesGiveNoDelay() {
        let reference = noise(12)
        let both = sum(delayed(reference, by: 300), delayed(reference, by: 900))
        #expect(find(both, reference) == nil)
    }

    private func tones(_ frequencies: [Double]) -> [Float] {
        (0..<16_000).map { place in frequencies.reduce(Float(0)) { $0 + tone($1, place) } }
    }

    private func tone(_ frequency: Double, _ place: Int) -> Float {
        Float(0.1 * sin(2 * .pi * frequency * Double(place) / 8000))
    }
}
