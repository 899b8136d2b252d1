import Glibc
import Testing

@testable import VoiceActivation

struct PacedFrontendTests {
    private func tone(_ hertz: Double, seconds: Double) -> [Int16] {
        (0..<Int(16_000 * seconds)).map { Int16(8000 * sin(2 * .pi * hertz * Double($0) / 16_000)) }
    }

    private func features(_ frontend: PacedFrontend, _ samples: [Int16], in pieces: Int) throws -> [[UInt16]] {
        var all: [[UInt16]] = []
        for start in stride(from: 0, to: samples.count, by: pieces) {
            try samples[start..<min(start + pieces, samples.count)].withUnsafeBufferPointer { piece in
                try frontend.consume(piece) { all.append(Array($0)) }
            }
        }
        return all
    }

    /// The features of a tone that has just begun over noise: a lasting one is noise to the front end.
    private func onset(_ rate: Int, _ hertz: Double) throws -> [Int] {
        let noise = (0..<8000).map { Int16($0 * $0 % 61 - 30) }
        let frontend = try #require(PacedFrontend(rate: rate))
        return try #require(try features(frontend, noise + tone(hertz, seconds: 0.1), in: 640).last).map { Int($0) }
    }

    private func difference(_ one: [Int], _ other: [Int]) -> Int { zip(one, other).reduce(0) { $0 + abs($1.0 - $1.1) } }

    /// At 15.2 kHz the sound is over sooner and higher, at 16.8 later and lower.
    @Test(arguments: [400.0, 1500, 3000])
    func anotherPaceHasAnotherPitch(hertz: Double) throws {
        for rate in PacedFrontend.rates.dropFirst() {
            let paced = try onset(rate, hertz)
            let higher = try onset(16_000, hertz * 16_000 / Double(rate))
            let same = try onset(16_000, hertz)
            #expect(2 * difference(paced, higher) < difference(paced, same), "\(rate)")
        }
        #expect(try features(try #require(PacedFrontend(rate: 15_200)), tone(hertz, seconds: 1), in: 160).count <= 95)
        #expect(try features(try #require(PacedFrontend(rate: 16_800)), tone(hertz, seconds: 1), in: 160).count >= 100)
    }

    @Test(arguments: PacedFrontend.rates)
    func theFeaturesDoNotDependOnHowTheSoundIsDivided(rate: Int) throws {
        let extremes = [Int16](repeating: .min, count: 500) + [Int16](repeating: .max, count: 500)
        let sound = tone(700, seconds: 0.4) + extremes
        let frontend = try #require(PacedFrontend(rate: rate))
        let all = try features(frontend, sound, in: 160)
        #expect(!all.isEmpty)
        for pieces in [1, 159, 640, 5000] {
            frontend.reset()
            #expect(try features(frontend, sound, in: pieces) == all, "\(pieces)")
        }
    }
}
