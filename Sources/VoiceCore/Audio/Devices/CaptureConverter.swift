internal import VoiceBase

/// Converts one channel of a microphone's frames, in the card's format and at its rate, to 48 kHz.
///
/// Allocates in `init` only.
struct CaptureConverter: ~Copyable {
    private let format: SampleFormat
    private let channels: Int
    /// nil at 48 kHz.
    private var resampler: RationalResampler?
    /// One captured channel at the card's rate.
    private let captured: SampleBuffer

    init(_ plan: StreamPlan) {
        format = plan.format
        channels = plan.channels
        let isConverted = plan.rate != AudioFormat.deviceRate
        captured = SampleBuffer(count: isConverted ? RationalResampler.block : 0)
        resampler = isConverted ? RationalResampler(from: plan.rate, to: AudioFormat.deviceRate) : nil
    }

    /// Returns the card frames needed for `count` at 48 kHz.
    func needed(for count: Int) -> Int {
        switch resampler {
        case .some(let resampler): resampler.needed(for: count)
        case .none: count
        }
    }

    /// Delay of the next output behind the next input, in card frames; 0 at 48 kHz.
    var lag: Double {
        switch resampler {
        case .some(let resampler): resampler.lag
        case .none: 0
        }
    }

    /// Converts `count` card frames, those `needed` for a period, to one period at 48 kHz.
    ///
    /// - Returns: the same `count` samples as the card delivered them, before any filter; valid until the next call.
    @discardableResult
    mutating func decode(
        _ raw: UnsafeRawPointer,
        count: Int,
        selection: ChannelSelection,
        into frames: UnsafeMutablePointer<Float>
    ) -> UnsafePointer<Float> {
        let isConverted = resampler != nil
        let samples = isConverted ? captured.base : frames
        format.decode(raw, frames: count, channels: channels, selection: selection, into: samples)
        if isConverted {
            _ = resampler?.process(captured.base, count: count, into: frames, limit: AudioFormat.periodFrames)
        }
        return UnsafePointer(samples)
    }

    /// Forgets the past, as if preceded by silence.
    mutating func reset() { resampler?.reset() }
}
