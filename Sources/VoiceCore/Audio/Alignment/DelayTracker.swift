internal import VoiceBase

/// Tracks the offset between what is played and what is heard, and the drift of the two clocks, from single estimates.
///
/// An alpha-beta filter (E. Brookner, "Tracking and Kalman Filtering Made Easy", 1998, chapter 1). Its gains follow from the
/// time between estimates and the present uncertainty, as in a Kalman filter with the two states offset and drift. Positions
/// count microphone frames; offsets are in frames. A pure value.
///
///     unconfirmed --an estimate--> confirmed          restart: an xrun, a new start value
///     confirmed --near the track--> refined           within what the filter expects
///     confirmed --away from it, once--> doubted       kept until the next estimate
///     confirmed --away, twice the same--> moved       up to 4 ms: the room changed
///                                     \-> jumped      beyond: frames were lost without a report
///
/// Without estimates (the far end is silent) the offset continues with the drift known so far.
package struct DelayTracker: Sendable, Equatable {
    /// Effect of an estimate; changes of the offset are in frames.
    package enum Change: Sendable, Equatable {
        case confirmed(by: Double)
        case refined(by: Double)
        case doubted(by: Double)
        case moved(by: Double)
        case jumped(by: Double)
    }

    /// Anything beyond this, 4 ms, is a jump.
    package static let jump = Double(AudioFormat.deviceRate * 4 / 1000)
    /// Largest clock drift: 500 ppm.
    package static let largestDrift = 500e-6

    private static let rate = Double(AudioFormat.deviceRate)
    /// Variance of an estimate in frames squared. Estimates at least half a second apart are independent.
    private static let noise = 1.0
    private static let independent = 0.5
    /// Variance of the first estimate after a start or a restart, 4 frames either way: it comes from a shorter stretch, and
    /// its error would pass for drift.
    private static let firstNoise = 16.0
    /// Within 0.25 ms an estimate never counts as away from the track.
    private static let nearest = rate * 0.25e-3
    /// Two estimates this close, 1 ms, agree on a jump; those of a smaller move must agree within `nearest`.
    private static let agreement = rate * 1e-3
    /// How long the first of the two counts, in seconds.
    private static let patience = 3.0
    /// Initial uncertainty of the drift: 100 ppm either way, in (frames per second) squared.
    private static let driftVariance = (rate * 100e-6) * (rate * 100e-6)
    /// Growth of the variances per second: the room changes a little, temperature shifts the clocks.
    private static let offsetWalk = 0.02
    private static let driftWalk = 2.5e-5

    private var offset = 0.0
    /// Frames per second.
    private var slope = 0.0
    private var position = 0
    private var offsetVariance = 0.0
    private var covariance = 0.0
    private var slopeVariance = DelayTracker.driftVariance
    private var doubt: (offset: Double, position: Int)?

    /// Whether an estimate has arrived since the start or the last restart.
    package private(set) var isConfirmed = false
    /// How often an estimate moved the offset by more than 4 ms, the first one after a restart included.
    package private(set) var jumps = 0

    package static func == (a: Self, b: Self) -> Bool {
        a.offset == b.offset && a.slope == b.slope && a.position == b.position && a.isConfirmed == b.isConfirmed
            && a.jumps == b.jumps && a.doubt?.offset == b.doubt?.offset && a.doubt?.position == b.doubt?.position
    }

    /// How much faster the loudspeaker's clock is, in frames per frame, -500e-6 ... 500e-6.
    package var drift: Double { slope / Self.rate }

    /// Whether an estimate away from the track awaits a second one.
    package var isDoubting: Bool { doubt != nil }

    /// Returns the offset at a position between or beyond the estimates.
    package func offset(at place: Int) -> Double {
        offset + slope * Double(place - position) / Self.rate
    }

    /// Starts again from a value that the next estimate may replace. Knowledge of the drift is kept.
    package mutating func restart(offset: Double, at position: Int) {
        self.offset = offset
        self.position = position
        isConfirmed = false
        doubt = nil
    }

    /// Takes an estimate of the offset at a position. Estimates that are not finite or not newer than the last one are
    /// ignored.
    @discardableResult
    package mutating func update(_ estimate: Double, at place: Int) -> Change? {
        guard estimate.isFinite, !isConfirmed || place > position else { return nil }
        guard isConfirmed else { return confirm(estimate, at: place) }
        let time = Double(place - position) / Self.rate
        let expected = offset(at: place)
        let spread = offsetVariance + 2 * time * covariance + time * time * slopeVariance + Self.noise
        let gate = max(Self.nearest, 4 * spread.squareRoot())
        guard (estimate - expected).magnitude > min(gate, Self.jump) else {
            doubt = nil
            return refine(estimate, expected: expected, at: place, time: time)
        }
        return weigh(estimate, expected: expected, at: place)
    }

    private mutating func confirm(_ estimate: Double, at place: Int) -> Change {
        let change = estimate - offset(at: place)
        if change.magnitude > Self.jump { jumps += 1 }
        adopt(estimate, at: place, variance: Self.firstNoise)
        isConfirmed = true
        return .confirmed(by: change)
    }

    private mutating func adopt(_ estimate: Double, at place: Int, variance: Double = Self.noise) {
        offset = estimate
        position = place
        offsetVariance = variance
        covariance = 0
        doubt = nil
    }

    private mutating func weigh(_ estimate: Double, expected: Double, at place: Int) -> Change {
        let change = estimate - expected
        let isJump = change.magnitude > Self.jump
        if let doubt, Double(place - doubt.position) <= Self.patience * Self.rate {
            let difference = estimate - doubt.offset - slope * Double(place - doubt.position) / Self.rate
            if difference.magnitude <= (isJump ? Self.agreement : Self.nearest) {
                adopt(estimate, at: place)
                if isJump { jumps += 1 }
                return isJump ? .jumped(by: change) : .moved(by: change)
            }
        }
        doubt = (estimate, place)
        return .doubted(by: change)
    }

    private mutating func refine(_ estimate: Double, expected: Double, at place: Int, time: Double) -> Change {
        // Predicted variances, then the gains alpha and beta.
        let a = offsetVariance + 2 * time * covariance + time * time * slopeVariance + Self.offsetWalk * time
        let b = covariance + time * slopeVariance
        let c = slopeVariance + Self.driftWalk * time
        let noise = Self.noise * max(1, Self.independent / time)
        let alpha = a / (a + noise)
        let beta = b / (a + noise)
        let error = estimate - expected
        let largest = Self.largestDrift * Self.rate
        offset = expected + alpha * error
        slope = min(max(slope + beta * error, -largest), largest)
        position = place
        offsetVariance = (1 - alpha) * a
        covariance = (1 - alpha) * b
        // After hours of silence the uncertainty is large, but never above the initial one.
        slopeVariance = min(c - beta * b, Self.driftVariance)
        return .refined(by: alpha * error)
    }
}
