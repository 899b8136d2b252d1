/// Decides for each period whether the microphone goes upstream while the daemon itself speaks.
///
/// A period indicates a talker if the detector finds speech in the output, the output is loud enough, and the canceller
/// removed little: echo is loud at the microphone and faint at the output, a talker nearly as loud at both. Enough such
/// periods within the window open the gate, unless the residual has the shape of the echo: the box was moved, and the gate
/// waits for the canceller to find that out. The gate sees no samples: `UplinkLine` holds back those that may have to be sent
/// after all.
///
/// A pure value; allocates nothing.
package struct BargeInGate: Sendable, Equatable {
    // The parameters of the rule. Levels in dBFS (mean power), times in periods of 10 ms.
    //
    // Tuned on simulated rooms with the whole chain in front, 180 utterances at -28 dBFS over echo, of which 45 were held
    // out. 95 % are found within a second (median 200 ms), all except those in the room that is late, loud and clipping at
    // once. The only false talker is the moment of an unannounced jump of the delay. 20 dB instead of 24 finds 93 %.

    /// Quieter output is never a talker.
    package static let outputLevel: Float = -50
    /// As little as this above the noise, in dB, is noise: that of a gain control is as loud as a talker, and opened the gate in
    /// every pause of the box. With 4 dB, a talker as loud as such noise is heard half as often.
    package static let noise: Float = 2
    /// The most that the canceller may remove from a talker, in dB.
    package static let suppression: Float = 24
    /// Periods out of `window` that open the gate.
    package static let needed = 14
    package static let window = 24
    /// As above, for a talker far above the threshold and hardly attenuated: such periods are never echo.
    package static let clearLevel: Float = -42
    package static let clearSuppression: Float = 10
    package static let clearNeeded = 9
    package static let clearWindow = 12
    /// The most periods that the gate stays shut after enough signs while the residual has the shape of the echo. After the
    /// box was moved, the canceller has recognised the echo by then.
    package static let doubt = 60
    /// Periods out of `window` that release what was held back when the daemon falls silent.
    package static let suspected = 6
    /// Time until an open gate shuts after the last sign of a talker; a sign is `alive` periods out of the last 20.
    package static let hold = 60
    package static let alive = 4
    /// Periods sent from before the first sign of a talker: onsets are softer than what follows.
    package static let lead = 10

    /// How far the gate may open during playback.
    package enum Permission: Sendable, Equatable {
        /// Never shuts.
        case open
        /// Opens for a talker.
        case guarded
        /// Shut in any case.
        case shut
    }

    /// The decision about a period.
    package enum Step: Sendable, Equatable {
        /// The period goes upstream unchanged.
        case pass
        /// Silence goes upstream; the period is kept in case it turns out to be a talker's.
        case hold
        /// The gate opens: this many of the held periods go out unchanged, older ones as silence, then this one.
        case release(Int)
    }

    private static let alivePeriods = 20

    package private(set) var isOpen = true
    /// Bit n is set if the period n periods ago indicated a talker.
    private var signs: UInt64 = 0
    private var clearSigns: UInt64 = 0
    /// Whether a talker is heard.
    package private(set) var isTalking = false
    private var quiet = 0
    /// Periods since there were enough signs, all of them shaped like echo.
    private var doubted = 0

    /// - Parameters:
    ///   - isPlaying: whether the daemon's sound may be at the microphone: it plays, or its echo has not decayed yet.
    ///   - floor: level in dBFS that a talker must exceed in addition to the rule's own levels.
    ///   - noise: level of the room's noise in dBFS.
    package mutating func step(
        _ reading: EchoReading,
        permission: Permission,
        isPlaying: Bool,
        above floor: Float = -.infinity,
        noise: Float = -.infinity
    ) -> Step {
        let wasOpen = isOpen
        if isPlaying && permission == .shut {
            // Evidence does not count if talker and echo could not be distinguished at that time.
            signs = 0
            clearSigns = 0
            isTalking = false
            doubted = 0
            isOpen = false
            return .hold
        }
        observe(reading, above: max(Self.outputLevel, floor), noise: noise)
        isOpen = !isPlaying || permission == .open || isTalking
        if isOpen && wasOpen { return .pass }
        guard isOpen else { return .hold }
        return .release(isTalking || isSuspecting ? talkerPeriods : 0)
    }

    private mutating func observe(_ reading: EchoReading, above floor: Float, noise: Float) {
        let taken = reading.microphone - reading.output
        let isLoud = reading.output > floor && reading.residual > noise + Self.noise
        let isSign = reading.hasVoice && isLoud && taken < Self.suppression
        let isClear = isSign && reading.output > Self.clearLevel && taken < Self.clearSuppression
        signs = signs << 1 | (isSign ? 1 : 0)
        clearSigns = clearSigns << 1 | (isClear ? 1 : 0)
        if count(signs, Self.window) < Self.needed && count(clearSigns, Self.clearWindow) < Self.clearNeeded {
            doubted = 0
        } else if !isTalking && reading.isShapedLikeEcho && doubted < Self.doubt {
            doubted += 1
        } else {
            isTalking = true
        }
        quiet = count(signs, Self.alivePeriods) >= Self.alive ? 0 : quiet + 1
        if quiet >= Self.hold { isTalking = false }
    }

    /// Whether a talker may have been heard within the last window.
    var isSuspecting: Bool { count(signs, Self.window) >= Self.suspected }

    /// Number of periods before this one that belong to the present talker.
    private var talkerPeriods: Int {
        let recent = signs & ((1 << UInt64(min(63, Self.window + doubted))) - 1)
        return recent == 0 ? 0 : min(UplinkLine.capacity, (63 - recent.leadingZeroBitCount) + Self.lead)
    }

    private func count(_ signs: UInt64, _ window: Int) -> Int {
        (signs & ((1 << UInt64(window)) - 1)).nonzeroBitCount
    }
}
