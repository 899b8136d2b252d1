internal import CDSP

/// A gain that moves to a new value linearly, so that no change is audible as a click.
///
/// At a constant gain of 1 samples pass bit-exactly.
struct GainRamp {
    /// 20 ms at 48 kHz.
    static let frames = 960

    private var current: Float?
    private var target: Float = 1
    private var step: Float = 0
    private var left = 0

    /// Makes the next samples rise from silence, as those before them were not heard.
    mutating func fadeIn() {
        guard current != nil else { return }
        (current, target, left) = (0, 0, 0)
    }

    /// Multiplies both channels by the gain on its way to `wanted`. The very first value applies immediately.
    mutating func apply(_ wanted: Float, to frames: UnsafeMutablePointer<StereoFrame>, count: Int) {
        apply(wanted, to: frames.samples, count: count, channels: 2)
    }

    /// As above, for `count` frames of `channels` samples each.
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
            // Computed back from the end: rounding does not accumulate and the target is met exactly.
            gain = target - step * Float(left)
            for channel in 0..<channels { samples[index * channels + channel] *= gain }
        }
        current = gain
        if gain != 1 { cdsp_scale(samples + ramped * channels, gain, (count - ramped) * channels) }
    }
}
