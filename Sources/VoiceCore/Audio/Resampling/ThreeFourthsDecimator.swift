internal import CDSP

/// 32 kHz to 24 kHz: a streaming filter at the common multiple, 96 kHz, of which only the needed phases are computed.
///
/// 288 taps, Kaiser window with beta 11.2: within 0.0001 dB up to 10.8 kHz, below -109 dB from 13.2 kHz on, delay 1.46 ms.
/// Gain 1. The output does not depend on how the input is cut into calls. Allocates in `init` only.
package struct ThreeFourthsDecimator: ~Copyable {
    private static let phases = 3
    private static let tapsPerPhase = 96
    /// Four samples come in and three go out, the last of which uses the newest of the four: none is held back.
    private static let history = tapsPerPhase - 2
    private static let block = 320

    private let taps = SampleBuffer(ThreeFourthsDecimator.design())
    private var recent = SampleBuffer(count: history + block)

    package init() {}

    /// Turns `count` samples, a multiple of 4, into `count / 4 * 3`.
    package mutating func process(
        _ input: UnsafePointer<Float>,
        count: Int,
        into output: UnsafeMutablePointer<Float>
    ) {
        precondition(count.isMultiple(of: 4), "samples come in fours")
        var done = 0
        while done < count {
            let samples = min(Self.block, count - done)
            (recent.base + Self.history).update(from: input + done, count: samples)
            cdsp_polyphase_3_4(recent.base, taps.base, Self.tapsPerPhase, output + done / 4 * 3, samples / 4)
            recent.shift(by: samples, keeping: Self.history)
            done += samples
        }
    }

    /// Forgets the past, as if silence had gone before.
    package mutating func reset() {
        recent.clear()
    }

    /// The phases one after the other, each for its samples oldest first and each of gain 1 at zero frequency.
    private static func design() -> [Float] {
        let all = KaiserDesign.lowPass(taps: phases * tapsPerPhase, cutoff: 0.125, beta: 11.2)
        return (0..<phases).flatMap { phase in
            let taps = (0..<tapsPerPhase).map { all[phases * (tapsPerPhase - 1 - $0) + phase] }
            let sum = taps.reduce(0, +)
            return taps.map { Float($0 / sum) }
        }
    }
}
