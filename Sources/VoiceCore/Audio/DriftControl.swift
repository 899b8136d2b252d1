internal import VoiceBase

/// Keeps two cards with different clocks in step: sets how much faster the loudspeaker is fed and, if that is not enough, how
/// many periods to write for each period read.
///
/// The measure is playback delay plus capture delay, taken after a read and before the write: it does not depend on how late
/// the thread woke. Its usual value is the mean over one second, after half a second of settling; a slow average then shows
/// when it moves.
///
/// - Beyond 60 frames (1.25 ms) from the usual value, the loudspeaker starts to follow the microphone's clock: a critically
///   damped PI controller with a time constant of 20 s turns the average into a step of at most 500 ppm, far below what is
///   audible. Cards on one clock never get there and are left alone.
/// - Beyond 300 frames (6 ms), which two clocks within 500 ppm never reach, one period is left out or added.
/// - A measure that suddenly lies more than 15 ms away and stays there is not drift: a sound server has moved the sound to
///   another device or has changed its quantum. The new value becomes the usual one, and users of the delays are notified.
/// - After a restart of a sound server's stream the measure is meaningless for a while and is ignored. Then the usual value
///   is restored immediately, as after a loss.
///
/// A device whose delay moves in steps, such as a sound server's quantum, gets a slower average and wider windows.
///
/// Behind a sound server the measure is what lies in the buffers of its plugins. The delays it reports are estimates:
/// libpulse extrapolates between updates up to 1.5 s apart and is wrong by up to 15 ms with nothing lost. They only show
/// that the sound has been moved.
struct DriftControl {
    private static let settling = 50
    private static let learning = 100
    private static let window = 300.0
    private static let weight = 1.0 / 64
    /// Threshold in frames; then the step per frame of error, from the error itself and from its sum over the periods.
    private static let following = 60.0
    private static let proportional = 1.0 / (10 * Double(AudioFormat.deviceRate))
    private static let integral = proportional / (4 * 10 * 100)
    private static let roughWeight = 1.0 / 1024
    /// The least playback delay to go on with after a jump: 15 ms.
    private static let least = AudioFormat.deviceRate * 15 / 1000
    /// Periods that may be left out after a loss. A device that is still too far behind has changed and stays as it is.
    private static let patience = 8

    /// Periods after a restart of a sound server's stream until it is judged (PulseAudio's delay is right again after 20),
    /// and how many of them, at the end, it is judged by.
    private static let restPeriods = 50
    private static let judgedPeriods = 16

    private let period = AudioFormat.periodFrames
    private var seen = 0
    private var sum = 0.0
    private var deviations = 0.0
    private var target: Double
    private var average: Double
    private var isRough = false
    private var isFollowing = false
    private var summed = 0.0
    private var farAway = 0
    private var jump = DelayJump()
    private var resync = false
    private var leftOut = 0
    private var resting = 0
    private var judged = 0.0
    /// Minus the periods still to be left out.
    private var owed = 0
    /// Whether the last step left out or added a period because of drift.
    private(set) var slipped = false
    /// Whether the last step found that the measure had moved for good.
    private(set) var moved = false
    /// Frames to write for each frame that the loudspeaker plays: within 500 ppm of 1, and 1 while the clocks agree.
    private(set) var step = 1.0

    /// - Parameter nominal: the expected measure, in frames, until it is learned.
    init(nominal: Int) {
        target = Double(nominal)
        average = target
    }

    /// Notes that frames were lost: the next period restores the usual measure.
    mutating func discontinuity() {
        resync = true
        leftOut = 0
        farAway = 0
        jump.reset()
        resting = 0
        owed = 0
    }

    /// Notes that a sound server's stream was stopped and started again.
    mutating func restarted() {
        resting = Self.restPeriods
        resync = false
        judged = 0
        owed = 0
        farAway = 0
        jump.reset()
    }

    /// Takes the measure of this period and returns the number of periods to write: 1, rarely 0 or 2; more after a loss, and
    /// none while a late thread catches up.
    ///
    /// - Parameters:
    ///   - playback: the loudspeaker's part of the measure, in frames.
    ///   - reported: the sum of the reported delays, if the measure is what lies in the buffers.
    mutating func step(total: Int, playback: Int = .max, reported: Int? = nil) -> Int {
        let measure = Double(total)
        slipped = false
        moved = false
        if let reported, !resync, resting == 0 { moved = jump.note(reported) }
        if resync {
            let missing = Int(((target - measure) / Double(period)).rounded())
            if missing < 0 && leftOut < Self.patience {
                leftOut += 1
                return 0
            }
            resync = false
            average = target
            return 1 + max(0, min(missing, 4))
        }
        if owed < 0 {
            owed += 1
            return 0
        }
        if resting > 0 { return rest(measure) }
        guard seen >= Self.settling + Self.learning else {
            learn(measure)
            return 1
        }
        if hasJumped(measure) {
            // Too little is left to play: that is an unreported loss.
            guard playback >= Self.least else {
                discontinuity()
                return step(total: total, playback: .max)
            }
            moved = true
            jump.reset()
            seen = Self.settling
            sum = 0
            deviations = 0
            target = measure
            average = measure
            learn(measure)
            return 1
        }
        // A distant measure enters neither the average nor a jump until it is clear which it is.
        guard farAway == 0 else { return 1 }
        average += (measure - average) * (isRough ? Self.roughWeight : Self.weight)
        follow()
        return slip()
    }

    private mutating func rest(_ measure: Double) -> Int {
        resting -= 1
        if resting < Self.judgedPeriods { judged += measure }
        guard resting == 0, seen >= Self.settling + Self.learning else { return 1 }
        let mean = judged / Double(Self.judgedPeriods)
        let missing = max(-Self.patience, min(Int(((target - mean) / Double(period)).rounded()), 4))
        average = mean + Double(missing * period)
        owed = min(0, missing)
        return 1 + max(0, missing)
    }

    private mutating func learn(_ measure: Double) {
        seen += 1
        guard seen > Self.settling else { return }
        sum += measure
        let count = Double(seen - Self.settling)
        deviations += (measure - sum / count).magnitude
        guard seen == Self.settling + Self.learning else { return }
        target = sum / count
        average = target
        isRough = deviations / count > DelayJump.rough
    }

    private mutating func hasJumped(_ measure: Double) -> Bool {
        farAway = (measure - average).magnitude > DelayJump.limit(isRough: isRough) ? farAway + 1 : 0
        guard farAway >= DelayJump.patience else { return false }
        farAway = 0
        return true
    }

    private mutating func follow() {
        let error = average - target
        if !isFollowing {
            guard error.magnitude > (isRough ? Self.window : Self.following) else { return }
            isFollowing = true
        }
        let wanted = Self.proportional * error + summed
        let largest = ClockFollower.largest
        // Anti-windup: at the limit the sum stands still.
        if wanted.magnitude < largest || wanted * error < 0 { summed += Self.integral * error }
        step = 1 + min(max(wanted, -largest), largest)
    }

    private mutating func slip() -> Int {
        let window = isRough ? 4 * Self.window : Self.window
        if average > target + window {
            average -= Double(period)
            slipped = true
            return 0
        }
        if average < target - window {
            average += Double(period)
            slipped = true
            return 2
        }
        return 1
    }
}
