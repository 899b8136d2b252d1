internal import VoiceAudio

/// Converts 24 kHz to 16 kHz for recognisers: a streaming filter at the common multiple, 48 kHz.
///
/// 96 taps, Kaiser window with beta 6: flat to 6.3 kHz, below -60 dB from 9 kHz (aliases stay above 7 kHz), delay 1 ms.
/// The output does not depend on how the input is divided into calls. Allocates in `init` only.
package struct TwoThirdsDecimator: ~Copyable {
    private static let perPhase = 48
    private static let history = perPhase - 1
    private static let block = 960

    /// Taps for outputs that coincide with an input, and for those between two inputs; newest sample first.
    private let taps: [[Float]]
    private var recent = SampleBuffer(count: history + block)

    package init() {
        let all = KaiserDesign.lowPass(taps: 2 * Self.perPhase, cutoff: 7600.0 / 48_000, beta: 6)
        taps = (0..<2).map { phase in
            let taps = (0..<Self.perPhase).map { all[2 * $0 + phase] }
            let sum = taps.reduce(0, +)
            return taps.map { Float($0 / sum) }
        }
    }

    /// Converts `count` samples, a multiple of 3, to `count / 3 * 2`.
    package mutating func process(
        _ input: UnsafePointer<Int16>,
        count: Int,
        into output: UnsafeMutablePointer<Int16>
    ) {
        precondition(count.isMultiple(of: 3), "samples come in threes")
        var done = 0
        while done < count {
            let samples = min(Self.block, count - done)
            for index in 0..<samples { recent.base[Self.history + index] = Float(input[done + index]) }
            for group in 0..<samples / 3 {
                // Output instants in units of 1/48 ms: 6 g and 6 g + 3; inputs lie on even ones.
                let newest = recent.base + Self.history + 3 * group
                let place = (done / 3 + group) * 2
                output[place] = Self.sample(newest, taps[0])
                output[place + 1] = Self.sample(newest + 1, taps[1])
            }
            recent.shift(by: samples, keeping: Self.history)
            done += samples
        }
    }

    private static func sample(_ newest: UnsafeMutablePointer<Float>, _ taps: [Float]) -> Int16 {
        var sum: Float = 0
        for index in 0..<perPhase { sum += newest[-index] * taps[index] }
        return Int16(max(-32_768, min(32_767, sum.rounded())))
    }
}
