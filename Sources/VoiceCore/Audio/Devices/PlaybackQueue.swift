internal import CLinux

/// The buffer of a simulated card: frames on their way to a loudspeaker that does not exist.
struct PlaybackQueue: ~Copyable {
    private static let capacity = 16_384
    private let frames: UnsafeMutablePointer<StereoFrame>
    private var start = 0
    private(set) var count = 0
    let limit: Int

    /// - Parameter limit: capacity in frames.
    init(limit: Int) {
        self.limit = min(limit, Self.capacity)
        frames = .allocate(capacity: Self.capacity)
        frames.initialize(repeating: .silence, count: Self.capacity)
    }

    deinit { frames.deallocate() }

    /// Appends as many frames as fit and returns their number.
    mutating func push(_ new: UnsafePointer<StereoFrame>, count wanted: Int) -> Int {
        let taken = min(wanted, limit - count)
        for index in 0..<max(0, taken) { frames[(start + count + index) & (Self.capacity - 1)] = new[index] }
        count += max(0, taken)
        return max(0, taken)
    }

    /// Takes up to `wanted` frames and returns their number. The rest of `played` becomes silence.
    mutating func pop(into played: UnsafeMutablePointer<StereoFrame>, count wanted: Int) -> Int {
        let taken = min(wanted, count)
        for index in 0..<taken { played[index] = frames[(start + index) & (Self.capacity - 1)] }
        for index in taken..<max(taken, wanted) { played[index] = .silence }
        start = (start + taken) & (Self.capacity - 1)
        count -= taken
        return taken
    }

    /// Takes back the newest frames beyond `kept` and returns their number.
    mutating func dropNewest(keeping kept: Int) -> Int {
        let removed = max(0, count - kept)
        count -= removed
        return removed
    }
}

/// Replaces an absent microphone as the clock: periods of 10 ms on CLOCK_MONOTONIC.
struct PeriodClock {
    private static let period: UInt64 = 10_000_000
    private var next: UInt64 = 0

    /// Makes the first period end ten milliseconds from now.
    mutating func restart() { next = clinux_monotonic_ns() + Self.period }

    /// Waits for the end of the period, or for the end of `together` periods if this one is not over.
    ///
    /// - Parameter waker: an eventfd that ends the wait. Returns false if it did: the period is not over then.
    mutating func wait(together: Int = 1, waker: Int32 = -1) -> Bool {
        let left = Int64(bitPattern: next &- clinux_monotonic_ns())
        if together > 1, waker >= 0, left > 0 {
            let pause = (left + Int64(Self.period) * Int64(together - 1)) / 1_000_000
            if clinux_wait_readable(waker, Int32(clamping: pause)) == 1 { return false }
        }
        clinux_sleep_until_ns(next)
        next += Self.period
        // After a long pause of the machine, continue from now instead of catching up.
        let now = clinux_monotonic_ns()
        if now > next + 10 * Self.period { next = now + Self.period }
        return true
    }
}

/// Detects a microphone that delivers without any clock, such as ALSA's `null`: reading it in a loop would take a whole core.
struct PaceGuard: Sendable, Equatable {
    /// Five seconds of sound, more than any card holds, within one second.
    static let periods = 500
    static let nanoseconds: UInt64 = 1_000_000_000

    /// Whether the microphone delivers immediately, so that the pace has to come from elsewhere.
    private(set) var isBroken = false
    private var count = 0
    private var start: UInt64 = 0

    /// Takes the arrival of a period, in nanoseconds of CLOCK_MONOTONIC. Returns true if it shows that there is no clock.
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
