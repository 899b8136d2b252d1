/// How many periods the audio thread takes together: several while the loudspeaker is closed and no part waits for the
/// microphone. Pure.
struct PeriodPace {
    /// 80 ms: half of a microphone's buffer, and little beside the time in which a loudspeaker opens.
    static let most = 8
    /// Periods without a need until several are taken together: a second.
    static let patience = 100

    private var idle = 0

    /// Takes whether this period was needed immediately; returns the number for the next wait.
    mutating func step(isNeeded: Bool) -> Int {
        idle = isNeeded ? 0 : min(idle + 1, Self.patience)
        return idle == Self.patience ? Self.most : 1
    }
}
