/// What the audio thread is doing.
package enum AudioState: Sendable, Equatable {
    /// The devices are not open yet.
    case starting
    /// Periods flow.
    case running
    /// Ended as asked.
    case stopped
    /// A device went away; `errno` is what ALSA said (ENODEV, EIO, ETIMEDOUT for no progress). Close and reopen.
    case lost(errno: Int32)

    var code: Int {
        switch self {
        case .starting: 0
        case .running: 1
        case .stopped: 2
        case .lost(let errno): -Int(max(1, abs(errno)))
        }
    }

    init(code: Int) {
        switch code {
        case 0: self = .starting
        case 1: self = .running
        case 2: self = .stopped
        default: self = .lost(errno: Int32(truncatingIfNeeded: -code))
        }
    }
}

/// A short sound that is not speech.
package enum Earcon: Int, Sendable, CaseIterable {
    /// The box listens.
    case listening = 1
    /// Work goes on; meant to be asked for again and again while it does.
    case thinking = 2
    /// Something went wrong.
    case error = 3
    /// The conversation has ended.
    case goodbye = 4
}
