internal import VoiceBase

/// Notices a reported delay that moves by more than 15 ms in one step and stays there: a sound server has moved the sound to
/// another device. A delay that wanders is followed and is not a jump.
struct DelayJump {
    /// Periods before the first judgement, and how many of them, the last ones, show whether the delay moves in steps.
    private static let settling = 150
    private static let judged = 100
    private static let weight = 1.0 / 64
    /// Consecutive periods beyond the limit that count as a jump.
    static let patience = 10
    /// A mean deviation of more than 3 ms, in frames, marks a delay that moves in steps.
    static let rough = Double(AudioFormat.deviceRate) * 3e-3

    private var seen = 0
    private var average = 0.0
    private var deviations = 0.0
    private var farAway = 0

    /// The smallest jump, in frames: four times as wide for a delay that moves in steps.
    static func limit(isRough: Bool) -> Double { Double(AudioFormat.deviceRate) * 15e-3 * (isRough ? 4 : 1) }

    /// Forgets the earlier delays: a loss or a restart changes the delay.
    mutating func reset() { self = DelayJump() }

    /// Takes the delay of this period, in frames; returns whether it has jumped for good.
    mutating func note(_ delay: Int) -> Bool {
        let value = Double(delay)
        seen += 1
        if seen <= Self.settling - Self.judged { average = value }
        guard seen > Self.settling else {
            deviations += (value - average).magnitude
            average += (value - average) * Self.weight
            return false
        }
        let isRough = deviations / Double(Self.judged) > Self.rough
        farAway = (value - average).magnitude > Self.limit(isRough: isRough) ? farAway + 1 : 0
        if farAway == 0 { average += (value - average) * Self.weight }
        guard farAway >= Self.patience else { return false }
        reset()
        return true
    }
}
