internal import CDSP
internal import Glibc
internal import VoiceBase

/// Plays a signal at 48 kHz slightly faster or slower to follow another clock.
///
/// Interpolates with a sinc of 32 taps under a Kaiser window: artefacts are at least 85 dB below a tone of up to 18 kHz.
/// Until the first step other than 1, samples pass unchanged and undelayed; from then on they are 16 samples late. The
/// transition itself is free of discontinuities. One or two channels, planar. Allocates in `init` only.
struct ClockFollower: ~Copyable {
    /// Largest deviation of the step from 1: 500 ppm.
    static let largest = 500e-6
    /// Largest input of one call, in samples per channel.
    static let block = AudioFormat.periodFrames
    /// Largest output of one call, in samples per channel.
    static let made = block + 32

    private static let taps = Int(CDSP_LONG_INTERPOLATOR_TAPS)
    /// Samples needed after the read position, and before it.
    private static let after = taps / 2
    private static let before = taps / 2 - 1
    private static let past = 8192

    private let channels: Int
    private let table = SampleBuffer(SincInterpolator.table(taps: taps, beta: 9))
    private var window: SampleWindow
    /// Read position of the next output while following: an index into the window and a fraction beyond it.
    private var next = 0
    private var fraction = 0.0
    private(set) var isFollowing = false

    init(channels: Int) {
        self.channels = channels
        window = SampleWindow(channels: channels, past: Self.past, block: Self.block)
    }

    /// Samples by which the next output lags behind the next input.
    var lag: Double { isFollowing ? Double(window.end - next) - fraction : 0 }

    /// Takes `count` samples per channel, at most `block`, and returns how many came out, at most `made`. They are in
    /// `output` if `isFollowing` afterwards; otherwise the output is the input itself.
    ///
    /// - Parameters:
    ///   - stride: distance from one channel to the next, in samples.
    ///   - step: input samples per output sample; clamped to within 500 ppm of 1.
    mutating func process(
        _ input: UnsafePointer<Float>,
        stride: Int,
        count: Int,
        step: Double,
        into output: UnsafeMutablePointer<Float>
    ) -> Int {
        precondition(count >= 0 && count <= Self.block, "one block at most")
        if !isFollowing && step != 1 {
            isFollowing = true
            next = window.end
            fraction = 0
        }
        next -= window.makeRoom(count)
        for channel in 0..<channels {
            (window.channel(channel) + window.end).update(from: input + channel * stride, count: count)
        }
        window.advance(count)
        guard isFollowing else { return count }
        let step = 1 + min(max(step - 1, -Self.largest), Self.largest)
        // The last readable position is the one with `after` samples behind it.
        let room = Double(window.end - Self.after - next) - fraction
        guard room > 0 else { return 0 }
        let made = min(Self.made, Int((room / step).rounded(.up)))
        for channel in 0..<channels {
            cdsp_interpolate_long(
                window.channel(channel) + next - Self.before, table.base, fraction, step, output + channel * stride,
                made
            )
        }
        move(by: Double(made) * step)
        return made
    }

    /// How many of the newest outputs `rewind` can take back.
    var rewindable: Int { max(0, (isFollowing ? next : window.end) - 2 * Self.taps) }

    /// Takes back the newest `count` outputs, which have not been played, and the inputs that only they depend on. Returns
    /// the number of those inputs.
    mutating func rewind(_ count: Int, step: Double) -> Int {
        let before = window.end
        let possible = max(0, min(count, rewindable))
        guard isFollowing else {
            window.truncate(to: before - possible)
            return possible
        }
        move(by: -Double(possible) * step)
        window.truncate(to: next + Self.after)
        return before - window.end
    }

    /// Returns to the initial state, as if preceded by silence.
    mutating func reset() {
        window.clear()
        isFollowing = false
    }

    private mutating func move(by distance: Double) {
        let place = fraction + distance
        let whole = place.rounded(.down)
        next += Int(whole)
        fraction = place - whole
    }
}
