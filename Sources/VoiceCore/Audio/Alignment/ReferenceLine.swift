internal import VoiceBase

/// The loudspeaker's last two seconds, served in step with the microphone as the reference for the echo canceller.
///
/// Frames are counted from the first one ever appended. The time origin of every call of `next` is the moment at which the
/// two delays were read, just after the captured period. At that moment, with `written` frames appended so far:
///
/// - the frame being heard is `written - playbackDelay` (`snd_pcm_delay`: a frame written now is heard after that many);
/// - the frame after the last one of the captured period was at the converter `captureDelay` frames ago (`snd_pcm_delay`:
///   that many were captured and not read yet).
///
/// So the period ends when `end = written - playbackDelay - captureDelay` was heard: of the loudspeaker it contains the
/// frames `end - 480 ..< end`, delayed by the path through the air. The reference handed over ends `lead` frames later, at
/// `min(end + keep, written)`: it leads the echo by `keep` (40 ms by default), or by the whole delay if that is shorter,
/// since frames not yet written do not exist. The lead must never be negative, or no canceller can work.
///
/// `snd_pcm_delay` jitters by a millisecond. Once aligned, periods are therefore served back to back, without a gap or a
/// repetition, and only the smoothed deviation from their expected end is monitored. The line is realigned
/// - when that deviation has exceeded 4 ms for half a second (clock drift between two cards, or an unreported delay),
/// - immediately at the first period after `discontinuity()`,
/// - immediately when the next frames do not exist yet or any more.
///
/// `AlignmentCorrection`s state the true position of the echo. The first one after an alignment is applied in one step.
/// Later, up to 4 ms are corrected within seconds by reading the line slightly faster or slower, between the frames; larger
/// errors are corrected in one step. From then on the line follows the measured drift, and delays count only by their change
/// since the echo was found. Until the first correction the frames come out as they were appended.
///
/// How fast the card is fed (`DriftControl.step`) moves the echo in the line as a clock does, but is known: the line follows
/// each change immediately. Corrections and blocks leave out what it has followed so since the echo was first found, so that
/// the search sees only the clocks, whose drift is steady. Measured drift alone would lag behind each change for seconds.
///
/// Owned by the audio thread; a pure computation that allocates in `init` only.
package struct ReferenceLine: ~Copyable {
    /// Default lead of the reference over the echo, in frames: 40 ms.
    package static let keep = AudioFormat.deviceRate * 40 / 1000
    /// Length of the history in frames: 2 s. Longer delays are clamped to it.
    package static let history = 2 * AudioFormat.deviceRate

    private static let period = AudioFormat.periodFrames
    private static let tolerance = DelayTracker.jump
    /// The smallest step of the first correction: 0.25 ms. A canceller that has learned little by then loses less by a
    /// reported step than by an echo that creeps for seconds, and so does the search.
    private static let firstStep = Double(AudioFormat.deviceRate) * 0.25e-3
    private static let patience = 50
    private static let smoothing = 1.0 / 8
    /// Rate at which the expected delays follow the reported ones while the echo is tracked: 2.5 s.
    private static let biasSmoothing = 1.0 / 256
    /// Errors are corrected with a time constant of 1 s, but never faster than 2000 ppm.
    private static let slewing = 1.0 / Double(AudioFormat.deviceRate)
    private static let fastest = 2e-3
    /// Frames that must exist after the end of a period that is read between the frames.
    private static let margin = 16
    /// Additional frames when such a period is chosen: the following ones may start slightly later relative to the end of the
    /// line.
    private static let reserve = 48

    private var frames = PlayedFrames()
    private let keep: Int

    private var written: Int
    /// Microphone frames before the next period.
    private var captured: Int
    /// Start of the next period to serve: a frame and a fraction beyond it.
    private var position = 0
    private var fraction = 0.0
    private var lead = 0

    private var aligned = false
    private var isFirst = true
    private var deviation = 0.0
    private var periodsOff = 0

    private var epoch: UInt64
    /// Position of the echo, once known in this alignment.
    private var target: AlignmentCorrection?
    private var isFirstCorrection = false
    /// Whether the reference ever followed the echo, so that what the canceller has learned belongs to that position.
    private var hasFollowed = false
    private var drift = 0.0
    /// Frames fed to the card for each one that it plays: when the echo was first found, and how much more now.
    private var usualStep = 1.0
    private var following = 0.0
    /// Frames that `following` has added up to.
    private(set) var followed = 0.0
    /// Frames by which the delays place the sound being heard too late: the echo was found that much earlier in the line.
    private var bias = 0.0

    /// Number of alignments, the first included.
    package private(set) var alignments = 0
    /// Block to push with the period last served, for the delay search.
    package private(set) var block = AlignmentBlock()

    /// - Parameters:
    ///   - keep: wanted lead of the reference over the echo, in frames.
    ///   - epoch: the first one to use; see `AlignmentFeed.nextEpoch`.
    ///   - written: starts as if this many frames of silence had been appended.
    ///   - captured: starts as if this many microphone frames had been served.
    package init(keep: Int = Self.keep, epoch: UInt64 = 1, written: Int = 0, captured: Int = 0) {
        self.keep = keep
        self.epoch = epoch
        self.written = written
        self.captured = captured
    }

    /// Appends the frames just written to the card, as the loudspeaker gets them: after the last mix and gain.
    package mutating func append(_ new: UnsafePointer<Float>, count: Int) {
        frames.write(new, count: count, at: written)
        written += count
    }

    /// Appends the mean of both channels of the frames just written to the card.
    package mutating func append(_ new: UnsafePointer<StereoFrame>, count: Int) {
        frames.write(new, count: count, at: written)
        written += count
    }

    /// Takes back the newest frames, which a flush removed from the card before they were played.
    ///
    /// The count is clamped to the number of frames appended and to 0.73 s.
    package mutating func dropNewest(_ count: Int) {
        written -= max(0, min(count, written, PlayedFrames.capacity - Self.history))
    }

    /// Notes an xrun or a restart of either side, which voids the alignment.
    package mutating func discontinuity() {
        aligned = false
    }

    /// Frames by which the echo comes earlier than the delays say; nil until the echo was found.
    package var confirmedBias: Double? { target == nil ? nil : bias }

    /// 20 ms: a remembered bias with this much error still keeps the reference ahead of its echo and costs nothing until the
    /// echo is found.
    private static let farthestExpected = Double(AudioFormat.deviceRate) * 20e-3

    /// Starts from an earlier `confirmedBias`. Without effect once the echo was found, or if the bias exceeds 20 ms.
    package mutating func expect(bias: Double) {
        guard target == nil, bias.magnitude <= Self.farthestExpected else { return }
        self.bias = bias
        aligned = false
    }

    /// Serves the reference for the period of `AudioFormat.periodFrames` just captured.
    ///
    /// The delays are those of both sides in frames, read after the period was and before anything more is appended; negative
    /// ones count as 0. `step` is the number of frames that are fed to the card for each one that it plays. `correction` is a
    /// new one or nil. The returned lead is `keep`, or less if the whole delay is shorter.
    /// It is rounded down, because overstating the delay makes the canceller deaf and understating it does not.
    package mutating func next(
        playbackDelay: Int,
        captureDelay: Int,
        step: Double = 1,
        correction: AlignmentCorrection? = nil,
        into output: UnsafeMutablePointer<Float>
    ) -> ReferencePeriod {
        let longest = Self.history - Self.period
        let delay = min(max(0, playbackDelay) + max(0, captureDelay), longest)
        if !hasFollowed { usualStep = step }
        following = step - usualStep
        if let correction, correction.epoch == epoch, aligned {
            isFirstCorrection = target == nil
            target = correction
            drift = correction.drift
        }
        let expected = position
        let oldLead = lead
        var result = ReferencePeriod()
        result.cause = alignIfNeeded(heard: Double(written - Self.period - delay) - bias)
        if result.cause != .none && result.cause != .start {
            result.jump = position - expected
            result.echoShift = result.cause == .found && !hasFollowed ? result.jump : lead - oldLead
        }
        hasFollowed = hasFollowed || target != nil
        result.leadMilliseconds = lead * 1000 / AudioFormat.deviceRate
        result.isConfirmed = target != nil
        result.echoDelay = written - Self.period - (position - lead)

        let rate = target == nil ? drift : followTarget()
        note(rate)
        serve(rate: rate + following, into: output)
        captured += Self.period
        followed += following * Double(Self.period)
        return result
    }

    // MARK: Alignment

    /// Frame assumed to be heard at the start of the period to serve.
    private var servedHeard: Double { Double(position - lead) + fraction }

    /// The last frame at which a period may start.
    private func latestStart(betweenFrames: Bool) -> Int {
        written - Self.period - (betweenFrames ? Self.margin : 0)
    }

    private var isBetweenFrames: Bool { fraction != 0 || drift != 0 || following != 0 || target != nil }

    /// Frames by which the line is behind the echo.
    private func error(against target: AlignmentCorrection) -> Double {
        Double(captured) + target.offset(at: captured) + followed - servedHeard
    }

    private mutating func alignIfNeeded(heard: Double) -> ReferencePeriod.Cause {
        guard aligned else {
            let cause = isFirst ? ReferencePeriod.Cause.start : .discontinuity
            isFirst = false
            forget()
            align(heard: heard)
            return cause
        }
        if let target {
            let error = error(against: target)
            let isFirst = isFirstCorrection
            isFirstCorrection = false
            if error.magnitude > (isFirst ? Self.firstStep : Self.tolerance) {
                bias -= error
                epoch += 1
                align(heard: servedHeard + error)
                return isFirst ? .found : .moved
            }
        }
        guard position <= latestStart(betweenFrames: isBetweenFrames), position >= written - Self.history else {
            if target != nil, (heard - servedHeard).magnitude <= Self.tolerance {
                epoch += 1
                align(heard: servedHeard)
                return .shortage
            }
            forget()
            align(heard: heard)
            return .delays
        }
        guard hasDrifted(heard: heard) else { return .none }
        // The smoothed deviation is more accurate than a single reading.
        let step = Int(deviation.rounded())
        forget()
        let latest = latestStart(betweenFrames: isBetweenFrames)
        lead = leadPossible(heard: heard, latest: latest)
        settle(at: min(latest, position + step))
        return .delays
    }

    /// Drops the position of the echo, which belongs to another alignment. The drift and the error of the delays remain.
    private mutating func forget() {
        target = nil
        epoch += 1
    }

    private mutating func hasDrifted(heard: Double) -> Bool {
        let wanted = min(heard + Double(keep), Double(latestStart(betweenFrames: isBetweenFrames)))
        deviation += (wanted - Double(position) - fraction - deviation) * Self.smoothing
        periodsOff = deviation.magnitude > Self.tolerance ? periodsOff + 1 : 0
        if target != nil, periodsOff == 0 {
            let error = min(max(heard - servedHeard, -Self.tolerance), Self.tolerance)
            bias += error * Self.biasSmoothing
        }
        return periodsOff >= Self.patience
    }

    private func leadPossible(heard: Double, latest: Int) -> Int {
        max(0, min(keep, latest - Int(heard.rounded(.down))))
    }

    private mutating func align(heard: Double) {
        let whole = heard.rounded(.down)
        fraction = heard - whole
        let latest = latestStart(betweenFrames: isBetweenFrames) - (isBetweenFrames ? Self.reserve : 0)
        lead = leadPossible(heard: heard, latest: latest)
        settle(at: min(latest, Int(whole) + lead))
    }

    private mutating func settle(at start: Int) {
        position = start
        aligned = true
        alignments += 1
        deviation = 0
        periodsOff = 0
    }

    // MARK: Serving

    /// Returns how much faster than the microphone the line has to be read, `following` aside, to remove the error.
    private mutating func followTarget() -> Double {
        guard let target else { return drift }
        let error = error(against: target)
        let slew = min(max(error * Self.slewing, -Self.fastest), Self.fastest)
        bias -= slew * Double(Self.period)
        return target.drift + slew
    }

    private mutating func note(_ rate: Double) {
        block.epoch = epoch
        block.position = captured
        block.offset = servedHeard - Double(captured) - followed + rate * Double(Self.period / 2)
        block.lead = lead
        block.isUnsure = target == nil
    }

    private mutating func serve(rate: Double, into output: UnsafeMutablePointer<Float>) {
        if rate == 0 && fraction == 0 {
            frames.copy(from: position, count: Self.period, into: output)
            position += Self.period
            return
        }
        frames.interpolate(from: position, fraction: fraction, step: 1 + rate, count: Self.period, into: output)
        let end = fraction + Double(Self.period) * (1 + rate)
        let whole = end.rounded(.down)
        fraction = end - whole
        position += Int(whole)
    }
}
