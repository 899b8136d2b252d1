internal import CDSP
internal import VoiceBase

/// 48 kHz to 8 kHz, for whoever looks at a signal and does not listen to it.
///
/// 96 taps, Kaiser window with beta 4.5: flat to 3.5 kHz within 0.3 dB, 45 dB below from 4.6 kHz on, delay 1 ms. The output
/// does not depend on how the input is cut into calls. Allocates in `init` only.
struct SixthDecimator: ~Copyable {
    private static let taps = 96
    /// Six samples come in and one goes out, which uses the newest of the six.
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
        cdsp_decimate_6(recent.base, filter.base, Self.taps, output, AlignmentBlock.samples)
        recent.shift(by: AudioFormat.periodFrames, keeping: Self.history)
    }
}
