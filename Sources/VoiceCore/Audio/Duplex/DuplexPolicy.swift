package import VoiceBase

package typealias DuplexSetting = Configuration.Echo.Duplex

/// The policy's decision.
package enum DuplexState: Int, BitwiseCopyable, Sendable, Equatable, CaseIterable {
    /// The canceller has not converged yet: half duplex until the reference is aligned, or until enough has been played, then
    /// guarded, so that talkers are let in. The initial state.
    case learning
    /// The linear canceller removes too little. What it leaves can still be told from a talker, and the gate is guarded. Half
    /// duplex if the device is the canceller.
    case poor
    /// As `poor`, and the microphone clips.
    case clipping
    /// Half duplex: there is no echo canceller.
    case cancellerOff
    case forcedHalf
    /// Full duplex: no echo reaches the microphone (headphones, or a device that cancels its own).
    case clear
    /// Full duplex: the echo is under control.
    case good
    case forcedFull

    package var isFull: Bool {
        switch self {
        case .clear, .good, .forcedFull: true
        case .learning, .poor, .clipping, .cancellerOff, .forcedHalf: false
        }
    }

    /// The reason as written to the log.
    package var reason: String {
        switch self {
        case .learning: "learning"
        case .poor: "poor"
        case .clipping: "clipping"
        case .cancellerOff: "canceller_off"
        case .forcedHalf, .forcedFull: "configuration"
        case .clear: "clear"
        case .good: "good"
        }
    }
}

/// Chooses full or half duplex from the blocks of `EchoQuality`.
///
/// | from | to | when |
/// |---|---|---|
/// | learning | good | aligned, and 2 consecutive good blocks (1 s), or 8 (4 s) of which 2 at most are poor |
/// | learning | clear | 2 consecutive blocks without audible echo, aligned or not |
/// | learning | poor, clipping | aligned, and 8 other blocks (4 s): the user may talk over the first answer |
/// | good | clear | 4 consecutive blocks without audible echo |
/// | good, clear | poor, clipping | 5 of the last 6 blocks poor: a talker spoils one or two, never five |
/// | clear | good | aligned, and 3 of the last 4 blocks audible but good |
/// | clear | learning | 3 of the last 4 blocks audible, and not good |
/// | poor, clipping | good, clear | 4 consecutive good or inaudible blocks (2 s) |
/// | good, poor, clipping | learning | the alignment is lost |
/// | any | learning | microphone or loudspeaker may have changed |
///
/// Blocks with a talker say nothing about the echo, however long it lasts.
///
/// If the device cancels its own echo, there is nothing to align and nothing to learn. The blocks then measure what it
/// leaves, the microphone stays shut until two of them were fine, and xruns change nothing.
///
/// A pure value; allocates nothing.
package struct DuplexPolicy: Sendable, Equatable {
    package private(set) var state: DuplexState
    private let isAutomatic: Bool
    /// Whether the device cancels its own echo.
    private let isOfDevice: Bool
    private var wasAligned = false
    /// Bit n is set if the block n blocks ago was of that kind. `seen` counts blocks up to 8.
    private var fine: UInt8 = 0
    private var poor: UInt8 = 0
    private var inaudible: UInt8 = 0
    private var seen = 0
    /// Periods played since the echo was last known, or might have changed its device, up to `patience`. An xrun while it is unknown
    /// does not begin it anew: a machine whose sound keeps breaking up would stay shut.
    private var played = 0

    /// Periods of sound, 3 s, after which an echo that was not found no longer keeps the microphone shut: it is too faint, or too
    /// strange. In rooms it is found within a second.
    private static let patience = 300

    package init(setting: DuplexSetting, hasCanceller: Bool, isOfDevice: Bool = false) {
        state =
            switch setting {
            case .full: .forcedFull
            case .half: .forcedHalf
            case .auto: hasCanceller ? .learning : .cancellerOff
            }
        isAutomatic = setting == .auto && hasCanceller
        self.isOfDevice = isOfDevice
    }

    /// How far the gate may open.
    package var permission: BargeInGate.Permission {
        switch state {
        case .forcedFull: .open
        // The first audible block may be a talker's, or the loudspeaker has been switched on.
        case .clear: inaudible & 1 == 1 ? .open : .guarded
        case .good: .guarded
        // The first block measures a device's canceller; sound that is never loud completes no block.
        case .learning where isOfDevice: isFaint ? .guarded : .shut
        case .learning: wasAligned || played == Self.patience ? .guarded : .shut
        case .poor, .clipping: isOfDevice ? .shut : .guarded
        case .cancellerOff, .forcedHalf: .shut
        }
    }

    /// Whether sound has played for so long without a block that none of it can be loud.
    private var isFaint: Bool { played == Self.patience && seen == 0 }

    /// Takes a period and the block that ended in it.
    ///
    /// - Parameter isPlaying: whether the daemon's sound is at a live microphone.
    package mutating func step(
        _ block: EchoQuality.Block?,
        isAligned: Bool,
        isClipping: Bool = false,
        isPlaying: Bool = true
    ) {
        guard isAutomatic else { return }
        if isPlaying { played = min(played + 1, Self.patience) }
        let isAligned = isAligned || isOfDevice
        if wasAligned && !isAligned {
            loseAlignment()
            played = 0
        }
        wasAligned = isAligned
        if let block {
            note(block)
            decide(isAligned: isAligned, halfState: isClipping ? .clipping : .poor)
        }
    }

    /// Notes an xrun: the position of the echo is void.
    package mutating func discontinuity() {
        guard isAutomatic, !isOfDevice else { return }
        loseAlignment()
    }

    /// Notes another microphone or loudspeaker: all knowledge of the echo is void, including its absence.
    package mutating func beginLearning() {
        guard isAutomatic else { return }
        loseAlignment()
        (inaudible, played) = (0, 0)
        state = .learning
    }

    private mutating func loseAlignment() {
        (fine, poor, seen) = (0, 0, 0)
        // Without echo nothing can be misaligned.
        if state != .clear {
            inaudible = 0
            state = .learning
        }
    }

    private mutating func note(_ block: EchoQuality.Block) {
        guard block != .talker else { return }
        fine = fine << 1 | (block == .good || block == .inaudible ? 1 : 0)
        poor = poor << 1 | (block == .poor ? 1 : 0)
        inaudible = inaudible << 1 | (block == .inaudible ? 1 : 0)
        seen = min(8, seen + 1)
    }

    private mutating func decide(isAligned: Bool, halfState: DuplexState) {
        let isQuiet = seen >= 2 && inaudible & 0b11 == 0b11
        let isPoor = isAligned && (poor & 0b11_1111).nonzeroBitCount >= 5
        switch state {
        case .learning:
            if isQuiet {
                state = .clear
            } else if isAligned && seen >= 2 && fine & 0b11 == 0b11 {
                state = .good
            } else if isAligned && seen == 8 {
                state = poor.nonzeroBitCount > 2 ? halfState : .good
            }
        case .good, .clear:
            if isPoor {
                state = halfState
            } else if inaudible & 0b1111 == 0b1111 {
                state = .clear
            } else if state == .clear && seen >= 4 && (inaudible & 0b1111).nonzeroBitCount <= 1 {
                state = isAligned && (fine & 0b1111).nonzeroBitCount >= 3 ? .good : .learning
            }
        case .poor, .clipping:
            if fine & 0b1111 == 0b1111 {
                state = inaudible & 0b1111 == 0b1111 ? .clear : isAligned ? .good : .learning
            } else if isPoor && halfState == .clipping {
                state = .clipping
            }
        case .cancellerOff, .forcedHalf, .forcedFull:
            break
        }
    }
}
