internal import CDSP
internal import Glibc
internal import VoiceBase

/// Plays a signal at 48 kHz a little faster or slower, so that it lasts as long as another clock says.
///
/// A sinc of 32 taps under a Kaiser window: what it adds to a tone of up to 18 kHz is 85 dB below it or better. Until the first
/// step other than 1 the samples pass as they are and nothing but 32 of them is kept; from then on they are 16 samples later.
/// The change is without a step. One or two channels, one after the other in memory. Allocates in `init` only.
struct ClockFollower: ~Copyable {
    /// Clocks differ by 500 ppm at most.
    static let largest = 500e-6
    /// The most that is handed over at once.
    static let block = AudioFormat.periodFrames
    /// The most that comes out of it.
    static let made = block + 32

    private static let taps = Int(CDSP_LONG_INTERPOLATOR_TAPS)
    /// Samples needed after the place that is read, and before it.
    private static let after = taps / 2
    private static let before = taps / 2 - 1
    private static let past = 8192

    private let channels: Int
    private let table = SampleBuffer(SincInterpolator.table(taps: taps, beta: 9))
    private var window: SampleWindow
    /// Where the next output is read, once it follows: a place in the window and how far after it.
    private var next = 0
    private var fraction = 0.0
    private(set) var isFollowing = false

    init(channels: Int) {
        self.channels = channels
        window = SampleWindow(channels: channels, past: Self.past, block: Self.block)
    }

    /// By how many samples the next output is behind the next input.
    var lag: Double { isFollowing ? Double(window.end - next) - fraction : 0 }

    /// Takes `count` samples a channel, `block` at most; returns how many came out, `made` at most. Those are in `output`
    /// if `isFollowing` then, else they are the input.
    ///
    /// - Parameters:
    ///   - stride: from one channel to the next, in samples.
    ///   - step: samples of the input for each that comes out; held within 500 ppm of 1.
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
        // The last place that may be read is the one with `after` samples behind it.
        let room = Double(window.end - Self.after - next) - fraction
        guard room > 0 else { return 0 }
        let made = min(Self.made, Int((room / step).rounded(.up)))
        for channel in 0..<channels {
            cdsp_interpolate_long(
                window.channel(channel) + next - Self.before,
                table.base,
                fraction,
                step,
                output + channel * stride,
                made
            )
        }
        move(by: Double(made) * step)
        return made
    }

    /// How many of the newest outputs `rewind` can take back.
    var rewindable: Int { max(0, (isFollowing ? next : window.end) - 2 * Self.taps) }

    /// Takes back the newest `count` outputs, which nobody has heard, with the inputs that only they were made of; returns the
    /// number of these.
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

    /// As at the start, as if silence had gone before.
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
