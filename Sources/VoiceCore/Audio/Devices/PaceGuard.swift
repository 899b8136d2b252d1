/// Notices a microphone that delivers without any clock, such as ALSA's `null`: a loop over it would take a whole core.
struct PaceGuard: Sendable, Equatable {
    /// Five seconds of sound, more than any card holds, within one.
    static let periods = 500
    static let nanoseconds: UInt64 = 1_000_000_000

    /// It delivers at once: time has to come from elsewhere.
    private(set) var isBroken = false
    private var count = 0
    private var start: UInt64 = 0

    /// Takes the arrival of a period, in nanoseconds of CLOCK_MONOTONIC; true when that shows that there is no clock.
    mutating func arrived(at now: UInt64) -> Bool {
        guard !isBroken else { return false }
        if count == 0 { start = now }
        count += 1
        guard count > Self.periods else { return false }
        isBroken = now &- start < Self.nanoseconds
        count = 0
        return isBroken
    }
}
