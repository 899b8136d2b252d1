internal import CDSP

/// The gain of media while somebody speaks: down in 30 ms, back in the time given, in straight lines of samples.
struct DuckControl: Sendable, Equatable {
    /// 30 ms at 48 kHz.
    static let attack = 1440
    /// Periods for which the voice may pause before media comes back: 150 ms.
    static let hold = 15

    private(set) var gain: Float = 1
    private var target: Float = 1
    private var step: Float = 0
    private var left = 0
    private var quiet = DuckControl.hold

    /// Whether the voice sounds, or paused just now. Called once a period.
    mutating func isVoice(_ sounds: Bool) -> Bool {
        quiet = sounds ? 0 : min(Self.hold, quiet + 1)
        return quiet < Self.hold
    }

    /// Heads for a gain, from the next sample on.
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
            // From the end backwards: the end is met exactly.
            gain = target - step * Float(left)
            frames[index] *= gain
        }
        if gain != 1 { cdsp_scale((frames + ramped).samples, gain, 2 * (count - ramped)) }
    }
}
