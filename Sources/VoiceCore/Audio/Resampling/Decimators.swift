internal import CDSP
internal import VoiceBase

/// 32 kHz to 24 kHz: a streaming filter at the common multiple, 96 kHz, that computes only the phases it needs.
///
/// 288 taps, Kaiser window with beta 11.2: within 0.0001 dB up to 10.8 kHz, below -109 dB from 13.2 kHz on, delay 1.46 ms,
/// gain 1. The output does not depend on how the input is split into calls. Allocates in `init` only.
package struct ThreeFourthsDecimator: ~Copyable {
    private static let phases = 3
    private static let tapsPerPhase = 96
    /// Every four inputs give three outputs. The last of them uses the newest input, so none is held back.
    private static let history = tapsPerPhase - 2
    private static let block = 320

    private let taps = SampleBuffer(ThreeFourthsDecimator.design())
    private var recent = SampleBuffer(count: history + block)

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

    /// Returns the phases one after the other. Each holds its taps in the order of samples oldest first, with gain 1 at DC.
    private static func design() -> [Float] {
        let all = KaiserDesign.lowPass(taps: phases * tapsPerPhase, cutoff: 0.125, beta: 11.2)
        return (0..<phases).flatMap { phase in
            let taps = (0..<tapsPerPhase).map { all[phases * (tapsPerPhase - 1 - $0) + phase] }
            let sum = taps.reduce(0, +)
            return taps.map { Float($0 / sum) }
        }
    }
}

/// 48 kHz to 8 kHz, for analysis rather than listening.
///
/// 96 taps, Kaiser window with beta 4.5: flat within 0.3 dB up to 3.5 kHz, below -45 dB from 4.6 kHz on, delay 1 ms. The
/// output does not depend on how the input is split into calls. Allocates in `init` only.
struct SixthDecimator: ~Copyable {
    private static let taps = 96
    /// Every six inputs give one output, which uses the newest of them.
    private static let history = taps - 6

    private let filter: SampleBuffer
    private var recent = SampleBuffer(count: history + AudioFormat.periodFrames)

    init() {
        let design = KaiserDesign.lowPass(taps: Self.taps, cutoff: 4000.0 / Double(AudioFormat.deviceRate), beta: 4.5)
        filter = SampleBuffer(design.map { Float($0) })
    }

    /// Turns one period of 480 samples into 80.
    mutating func process(_ input: UnsafePointer<Float>, into output: UnsafeMutablePointer<Float>) {
        (recent.base + Self.history).update(from: input, count: AudioFormat.periodFrames)
        cdsp_decimate_6(recent.base, filter.base, Self.taps, output, AudioFormat.periodFrames / 6)
        recent.shift(by: AudioFormat.periodFrames, keeping: Self.history)
    }
}
