internal import CDSP

/// Converts between sample rates with a streaming filter at their common multiple, computing only the phases it needs.
///
/// The filter spans 72 samples of the lower rate (Kaiser window, 105 dB): within 0.001 dB up to 0.45 of the lower rate, below
/// -100 dB from 0.55 of it on. Its delay is 36 samples of the lower rate: 4.5 ms at 8 kHz, 2.3 ms at 16 kHz, 0.8 ms at 44.1
/// kHz and above. Gain 1. The output does not depend on how the input is split into calls.
///
/// No sample is held back: an output is available as soon as the newest input it depends on. If 10 ms is not a whole number
/// of samples (11.025 and 22.05 kHz), `needed` and the number of outputs alternate, as in 110, 110, 110, 111.
///
/// One or two channels, planar. Allocates in `init` only.
package struct RationalResampler: ~Copyable {
    /// Span of the filter in samples of the lower rate.
    static let reach = 72
    private static let attenuation = 105.0
    /// Largest input or output of one call: a little more than 10 ms at 192 kHz.
    package static let block = 2048
    /// Input samples that can be taken back: more than a card holds.
    static let past = 8192

    private let up: Int
    private let down: Int
    private let perPhase: Int
    private let channels: Int
    private let canGoBack: Bool
    private let taps: SampleBuffer
    private var window: SampleWindow
    /// Index of the newest input that the next output depends on; `phase`, below `up`, is its phase.
    private var next: Int
    private var phase = 0

    /// - Parameters:
    ///   - from: input rate in Hz, 8000 ... 192 000; likewise `to`.
    ///   - channels: 1 or 2.
    ///   - canGoBack: whether `rewind` will be used.
    package init(from: Int, to: Int, channels: Int = 1, canGoBack: Bool = false) {
        let divisor = Self.greatestDivisor(from, to)
        up = to / divisor
        down = from / divisor
        self.channels = channels
        self.canGoBack = canGoBack
        // In input samples; a multiple of 8 suits the vectorised inner loop.
        let wanted = (Self.reach * from + min(from, to) - 1) / min(from, to)
        perPhase = (wanted + 7) / 8 * 8
        taps = SampleBuffer(Self.design(up: up, perPhase: perPhase, from: from, to: to))
        window = SampleWindow(channels: channels, past: perPhase + 8 + (canGoBack ? Self.past : 0), block: Self.block)
        next = window.end
    }

    /// Returns the number of input samples needed for `count` outputs.
    package func needed(for count: Int) -> Int {
        count <= 0 ? 0 : max(0, next + (phase + (count - 1) * down) / up + 1 - window.end)
    }

    /// Delay of the next output behind the next input, in input samples: the delay of the filter plus the fraction of a
    /// sample between the two grids.
    package var lag: Double {
        let delay = Double(up * perPhase - 1) / 2 / Double(up)
        return delay - (Double(next - window.end) + Double(phase) / Double(up))
    }

    /// Takes `count` samples per channel, at most `block`, and returns how many came out.
    ///
    /// - Parameters:
    ///   - limit: most outputs to return. The rest follows in the next call; after `needed` inputs that is less than one
    ///     input gives.
    ///   - stride: distance from one channel to the next, in samples; likewise `outputStride`.
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
                window.channel(channel) + next - perPhase + 1, taps.base, perPhase, up, down, phase,
                output + channel * outputStride, made
            )
        }
        let passed = phase + made * down
        next += passed / up
        phase = passed % up
        return made
    }

    /// How many of the newest outputs `rewind` can take back.
    var rewindable: Int { canGoBack ? max(0, (next - perPhase) * up / down) : 0 }

    /// Takes back the newest `count` outputs, which have not been played, and the inputs that only they depend on. Returns
    /// the number of those inputs. The next input continues from there without a discontinuity.
    mutating func rewind(_ count: Int) -> Int {
        let place = next * up + phase - max(0, min(count, rewindable)) * down
        next = place / up
        phase = place % up
        let before = window.end
        window.truncate(to: next)
        return before - window.end
    }

    /// Forgets the past, as if preceded by silence.
    package mutating func reset() {
        window.clear()
        next = window.end
        phase = 0
    }

    /// Returns the phases one after the other. Each holds its taps in the order of samples oldest first, with gain 1 at DC.
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
