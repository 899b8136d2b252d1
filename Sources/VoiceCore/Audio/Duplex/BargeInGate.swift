/// Decides, period by period, whether the microphone goes upstream while the box itself speaks.
///
/// A period speaks for a talker when the detector hears speech in the output, the output is loud enough, and the canceller
/// took away little: echo is loud at the microphone and faint at the output, a talker is nearly as loud at both. Enough such
/// periods within the window open the gate. It takes no samples and keeps none: `UplinkLine` holds back what may have to
/// be sent after all.
///
/// A pure value; allocates nothing.
package struct BargeInGate: Sendable, Equatable {
    /// The numbers of the rule. Levels in dBFS (mean power), times in periods of 10 ms.
    ///
    /// Chosen on simulated rooms with the whole chain before it, 180 utterances at -28 dBFS over echo, of which 45 were not
    /// looked at: 95 % are found within a second (median 200 ms), all of them but in the room that is late, loud and clipping
    /// at once. Nothing is taken for a talker but the moment of an unannounced jump of the delay. 20 dB in place of 24 finds
    /// 93 %.
    package struct Rule: Sendable, Equatable {
        /// Quieter output is never a talker.
        package var outputLevel: Float = -50
        /// The most that the canceller may take from a talker, in dB.
        package var suppression: Float = 24
        /// So many periods out of `window` open the gate.
        package var needed = 14
        package var window = 24
        /// The same for a talker who is far above the threshold and hardly touched: such periods are never echo.
        package var clearLevel: Float = -42
        package var clearSuppression: Float = 10
        package var clearNeeded = 9
        package var clearWindow = 12
        /// With so many of the window when the box falls silent, what was held back goes out.
        package var suspected = 6
        /// An open gate shuts so long after the last sign of a talker, which is `alive` periods of the last 20.
        package var hold = 60
        package var alive = 4
        /// How much is sent from before the first sign of the talker: onsets are softer than what follows.
        package var lead = 10

        package init() {}
    }

    /// What the gate may do while the box plays.
    package enum Permission: Sendable, Equatable {
        /// Never shuts.
        case open
        /// Opens for a talker.
        case guarded
        /// Shut whatever comes.
        case shut
    }

    /// What happens to a period.
    package enum Step: Sendable, Equatable {
        /// It goes upstream as it is.
        case pass
        /// Silence goes upstream; it is kept in case it turns out to be a talker's.
        case hold
        /// The gate opens: so many of the periods before go out as they were, older ones as silence, then this one.
        case release(Int)
    }

    private static let alivePeriods = 20

    package let rule: Rule
    package private(set) var isOpen = true
    /// Bit n: the period n periods ago spoke for a talker.
    private var signs: UInt64 = 0
    private var clearSigns: UInt64 = 0
    private var isTalking = false
    private var quiet = 0

    package init(rule: Rule = Rule()) {
        self.rule = rule
    }

    /// - Parameters:
    ///   - isPlaying: whether sound of the box may be at the microphone: it plays, or its echo has not died away yet.
    ///   - floor: what a talker must be above beside the rule's own levels, in dBFS.
    package mutating func step(
        _ reading: EchoReading,
        permission: Permission,
        isPlaying: Bool,
        above floor: Float = -.infinity
    ) -> Step {
        let wasOpen = isOpen
        if isPlaying && permission == .shut {
            // What was heard while nothing could be told apart is no evidence.
            signs = 0
            clearSigns = 0
            isTalking = false
            isOpen = false
            return .hold
        }
        observe(reading, above: floor)
        isOpen = !isPlaying || permission == .open || isTalking
        if isOpen && wasOpen { return .pass }
        guard isOpen else { return .hold }
        return .release(isTalking || count(signs, rule.window) >= rule.suspected ? talkerPeriods : 0)
    }

    private mutating func observe(_ reading: EchoReading, above floor: Float) {
        let taken = reading.microphone - reading.output
        let isLoud = reading.output > max(rule.outputLevel, floor)
        let isSign = reading.hasVoice && isLoud && taken < rule.suppression
        let isClear = isSign && reading.output > rule.clearLevel && taken < rule.clearSuppression
        signs = signs << 1 | (isSign ? 1 : 0)
        clearSigns = clearSigns << 1 | (isClear ? 1 : 0)
        if count(signs, rule.window) >= rule.needed || count(clearSigns, rule.clearWindow) >= rule.clearNeeded {
            isTalking = true
        }
        quiet = count(signs, Self.alivePeriods) >= rule.alive ? 0 : quiet + 1
        if quiet >= rule.hold { isTalking = false }
    }

    /// Periods before this one that belong to the talker who is heard now.
    private var talkerPeriods: Int {
        let recent = signs & ((1 << UInt64(rule.window)) - 1)
        return recent == 0 ? 0 : (63 - recent.leadingZeroBitCount) + rule.lead
    }

    private func count(_ signs: UInt64, _ window: Int) -> Int {
        (signs & ((1 << UInt64(window)) - 1)).nonzeroBitCount
    }
}
