internal import CDSP

/// A gain that goes to a new value in a straight line, so that no change is heard as a click.
///
/// At a gain of 1 that stands still the samples stay as they are, bit for bit.
struct GainRamp {
    /// 20 ms at 48 kHz.
    static let frames = 960

    private var current: Float?
    private var target: Float = 1
    private var step: Float = 0
    private var left = 0

    /// What comes next rises from silence: what it would have gone on from was not heard.
    mutating func fadeIn() {
        guard current != nil else { return }
        (current, target, left) = (0, 0, 0)
    }

    /// Multiplies both channels with the gain on its way to `wanted`. The first value is taken at once.
    mutating func apply(_ wanted: Float, to frames: UnsafeMutablePointer<StereoFrame>, count: Int) {
        apply(wanted, to: frames.samples, count: count, channels: 2)
    }

    /// The same with `count` frames of `channels` samples each.
    mutating func apply(_ wanted: Float, to samples: UnsafeMutablePointer<Float>, count: Int, channels: Int = 1) {
        var gain = current ?? wanted
        if current == nil { target = wanted }
        if wanted != target {
            target = wanted
            left = Self.frames
            step = (wanted - gain) / Float(Self.frames)
        }
        let ramped = min(left, count)
        for index in 0..<ramped {
            left -= 1
            // From the end backwards: no rounding adds up, and the end is met exactly.
            gain = target - step * Float(left)
            for channel in 0..<channels { samples[index * channels + channel] *= gain }
        }
        current = gain
        if gain != 1 { cdsp_scale(samples + ramped * channels, gain, (count - ramped) * channels) }
    }
}
