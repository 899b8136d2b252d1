internal import CDSP

/// From one sample rate to another by a streaming filter at their common multiple, of which only the needed phases are computed.
///
/// The filter reaches over 72 samples of the lower rate (Kaiser window, 105 dB): within 0.001 dB up to 0.45 of the lower rate,
/// below -100 dB from 0.55 of it on. Its delay is 36 samples of the lower rate: 4.5 ms at 8 kHz, 2.3 ms at 16 kHz, 0.8 ms at
/// 44.1 kHz and above. Gain 1. The output does not depend on how the input is cut into calls.
///
/// No sample is held back: an output can come out as soon as the newest input it is made of is there. Where 10 ms are no whole
/// number of samples (11.025 and 22.05 kHz), `needed` and the number that comes out take turns: 110, 110, 110, 111.
///
/// One or two channels, one after the other in memory. Allocates in `init` only.
package struct RationalResampler: ~Copyable {
    /// Reach of the filter in samples of the lower rate.
    static let reach = 72
    private static let attenuation = 105.0
    /// The most that is handed over or comes out at once: 10 ms of 192 kHz, and some.
    package static let block = 2048
    /// What can be taken back, in samples of the input: more than a card holds.
    static let past = 8192

    private let up: Int
    private let down: Int
    private let perPhase: Int
    private let channels: Int
    private let canGoBack: Bool
    private let taps: SampleBuffer
    private var window: SampleWindow
    /// Place of the newest input that the next output is made of, and its phase, below `up`.
    private var next: Int
    private var phase = 0

    /// - Parameters:
    ///   - from: rate of the input in Hz, 8000 ... 192 000; likewise `to`.
    ///   - channels: 1 or 2.
    ///   - canGoBack: whether `rewind` is going to be used.
    package init(from: Int, to: Int, channels: Int = 1, canGoBack: Bool = false) {
        let divisor = Self.greatestDivisor(from, to)
        up = to / divisor
        down = from / divisor
        self.channels = channels
        self.canGoBack = canGoBack
        // In samples of the input; a multiple of 8 makes the inner loop whole.
        let wanted = (Self.reach * from + min(from, to) - 1) / min(from, to)
        perPhase = (wanted + 7) / 8 * 8
        taps = SampleBuffer(Self.design(up: up, perPhase: perPhase, from: from, to: to))
        window = SampleWindow(channels: channels, past: perPhase + 8 + (canGoBack ? Self.past : 0), block: Self.block)
        next = window.end
    }

    /// How many samples of the input make `count` of the output possible.
    package func needed(for count: Int) -> Int {
        count <= 0 ? 0 : max(0, next + (phase + (count - 1) * down) / up + 1 - window.end)
    }

    /// By how much the next output is behind the next input, in samples of the input: the delay of the filter, and the
    /// fraction of a sample that one is ahead of the other.
    package var lag: Double {
        let delay = Double(up * perPhase - 1) / 2 / Double(up)
        return delay - (Double(next - window.end) + Double(phase) / Double(up))
    }

    /// Takes `count` samples a channel, at most `block`, and returns how many came out.
    ///
    /// - Parameters:
    ///   - limit: the most that may come out; what is possible beyond it, fewer than the next input gives, comes next time.
    ///   - stride: from one channel to the next, in samples; likewise `outputStride`.
    package mutating func process(
        _ input: UnsafePointer<Float>,
        stride: Int = 0,
        count: Int,
        into output: UnsafeMutablePointer<Float>,
        outputStride: Int = 0,
        limit: Int = .max
    ) -> Int {
        precondition(count >= 0 && count <= Self.block, "one block at most")
        next -= window.makeRoom(count)
        for channel in 0..<channels {
            (window.channel(channel) + window.end).update(from: input + channel * stride, count: count)
        }
        window.advance(count)
        let ahead = (window.end - next) * up - phase
        guard ahead > 0 else { return 0 }
        let made = min(limit, (ahead + down - 1) / down)
        for channel in 0..<channels {
            cdsp_polyphase(
                window.channel(channel) + next - perPhase + 1,
                taps.base,
                perPhase,
                up,
                down,
                phase,
                output + channel * outputStride,
                made
            )
        }
        let passed = phase + made * down
        next += passed / up
        phase = passed % up
        return made
    }

    /// How many of the newest outputs `rewind` can take back.
    var rewindable: Int { canGoBack ? max(0, (next - perPhase) * up / down) : 0 }

    /// Takes back the newest `count` outputs, which nobody has heard, with the inputs that only they were made of; returns the
    /// number of these. What is handed over next goes on from there without a step.
    mutating func rewind(_ count: Int) -> Int {
        let place = next * up + phase - max(0, min(count, rewindable)) * down
        next = place / up
        phase = place % up
        let before = window.end
        window.truncate(to: next)
        return before - window.end
    }

    /// Forgets the past, as if silence had gone before.
    package mutating func reset() {
        window.clear()
        next = window.end
        phase = 0
    }

    /// The phases one after the other, each for its samples oldest first and each of gain 1 at zero frequency.
    private static func design(up: Int, perPhase: Int, from: Int, to: Int) -> [Float] {
        let beta = 0.1102 * (attenuation - 8.7)
        let cutoff = 0.5 * Double(min(from, to)) / (Double(from) * Double(up))
        let all = KaiserDesign.lowPass(taps: up * perPhase, cutoff: cutoff, beta: beta)
        return (0..<up).flatMap { phase in
            let taps = (0..<perPhase).map { all[up * (perPhase - 1 - $0) + phase] }
            let sum = taps.reduce(0, +)
            return taps.map { Float($0 / sum) }
        }
    }

    private static func greatestDivisor(_ a: Int, _ b: Int) -> Int { b == 0 ? a : greatestDivisor(b, a % b) }
}
