internal import CDSP

/// The gain of media during speech: falls within 30 ms and returns within the given release, linearly.
struct DuckControl: Sendable, Equatable {
    /// 30 ms at 48 kHz.
    static let attack = 1440
    /// Periods for which the voice may pause before media returns: 150 ms.
    static let hold = 15

    private(set) var gain: Float = 1
    private var target: Float = 1
    private var step: Float = 0
    private var left = 0
    private var quiet = DuckControl.hold

    /// Returns whether the voice sounds, or paused only just. Call once a period.
    mutating func isVoice(_ sounds: Bool) -> Bool {
        quiet = sounds ? 0 : min(Self.hold, quiet + 1)
        return quiet < Self.hold
    }

    /// Moves to a gain, from the next sample on.
    mutating func aim(at wanted: Float, release: Int) {
        guard wanted != target else { return }
        target = wanted
        left = max(1, wanted < gain ? Self.attack : release)
        step = (wanted - gain) / Float(left)
    }

    mutating func apply(to frames: UnsafeMutablePointer<StereoFrame>, count: Int) {
        let ramped = min(left, count)
        for index in 0..<ramped {
            left -= 1
            // Computed back from the end, so that the target is met exactly.
            gain = target - step * Float(left)
            frames[index] *= gain
        }
        if gain != 1 { cdsp_scale((frames + ramped).samples, gain, 2 * (count - ramped)) }
    }
}
