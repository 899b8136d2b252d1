package import Synchronization
internal import VoiceBase

/// Decoded media on its way from the media player to the audio thread (T1), and its playback settings.
///
/// | field | writes | reads |
/// |---|---|---|
/// | `ring`, `isComplete` | the decoder's thread | T1 |
/// | `flush` | the player and the decoder's thread | T1 |
/// | `isPaused`, `isInput`, levels and release | the player | T1 |
/// | `duck` | the conversation | T1 |
/// | `flushDone` | T1 | the next engine |
/// | `underruns` | T1 | observers |
///
/// Positions count frames of the ring.
package final class MediaFeed: Sendable {
    /// The reason why media is quieter.
    package enum Duck: Int, Sendable {
        case nobody = 0
        /// The voice or the agent is about to speak, or thinks aloud.
        case voice = 1
        /// The user speaks.
        case user = 2
    }

    /// Decoded media at 48 kHz, about 11 s. The decoder waits while it is full.
    package let ring = SampleRing<StereoFrame>(capacity: 524_288, filling: .silence)

    private let flushWanted = Atomic<UInt64>(0)
    /// Written by T1: everything before this position has been dropped or played.
    let flushDone = Atomic<UInt64>(0)
    package let isPaused = Atomic<Bool>(false)
    /// Whether another program plays, which has a volume of its own.
    package let isInput = Atomic<Bool>(false)
    /// Written by the decoder: nothing follows the contents of the ring for now, so they are played to the last frame.
    package let isComplete = Atomic<Bool>(true)

    private let voiceLevel = Atomic<UInt32>(Float(Configuration.Media().duckedLevel).bitPattern)
    private let userLevel = Atomic<UInt32>(Float(Configuration.Media().duckedLevelUser).bitPattern)
    private let wanted = Atomic<Int>(0)
    private let wantedUntil = Atomic<UInt64>(0)

    /// Written by T1: how often the ring ran dry while more was expected.
    let underruns = Atomic<UInt64>(0)

    init() {}

    /// Position before which everything is to be dropped.
    var flushRequest: UInt64 { flushWanted.load(ordering: .acquiring) }

    /// Drops all frames before `position`, with a fade of 10 ms.
    package func flush(to position: UInt64) {
        var known = flushWanted.load(ordering: .acquiring)
        while position > known {
            let result = flushWanted.compareExchange(
                expected: known, desired: position, ordering: .acquiringAndReleasing
            )
            if result.exchanged { return }
            known = result.original
        }
    }

    /// Sets the level of media while the voice and while the user speaks: linear, 0 ... 1.
    package func setLevels(voice: Float, user: Float) {
        voiceLevel.store(voice.bitPattern, ordering: .relaxed)
        userLevel.store(user.bitPattern, ordering: .relaxed)
    }

    /// Time in which media returns to full level: 300 ms.
    static let releaseFrames = 300 * 48

    /// Ducks from the next period on, until `instant` of CLOCK_MONOTONIC in nanoseconds at most. This lease keeps a caller
    /// that forgets to end it from muting media for good.
    package func duck(_ who: Duck, until instant: UInt64) {
        wantedUntil.store(instant, ordering: .relaxed)
        wanted.store(who.rawValue, ordering: .releasing)
    }

    /// Returns the level to play at.
    /// - Parameter isVoice: whether the voice sounds at this moment.
    func level(isVoice: Bool, at now: UInt64) -> Float {
        var who = Duck(rawValue: wanted.load(ordering: .acquiring)) ?? .nobody
        if wantedUntil.load(ordering: .relaxed) <= now { who = .nobody }
        let voice = Float(bitPattern: voiceLevel.load(ordering: .relaxed))
        switch who {
        case .user: return min(voice, Float(bitPattern: userLevel.load(ordering: .relaxed)))
        case .voice: return voice
        case .nobody: return isVoice ? voice : 1
        }
    }
}
