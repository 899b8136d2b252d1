package import Synchronization
internal import VoiceConfiguration

/// Decoded media on its way from the media player to the audio thread (T1), and how it is to be played.
///
/// | field | writes | reads |
/// |---|---|---|
/// | `ring`, `isComplete` | the decoder's thread | T1 |
/// | `flush` | the player and the decoder's thread | T1 |
/// | `isPaused`, levels and release | the player | T1 |
/// | `duck` | the conversation | T1 |
/// | `flushDone` | T1 | the next engine |
/// | `underruns`, `isSounding` | T1 | whoever watches |
///
/// Positions count frames of the ring.
package final class MediaFeed: Sendable {
    /// Who wants media to be quiet.
    package enum Duck: Int, Sendable {
        case nobody = 0
        /// Somebody is about to speak, or thinks aloud: the voice, the agent.
        case voice = 1
        /// The user speaks.
        case user = 2
    }

    /// Decoded media, 48 kHz, about 11 s. The decoder waits while it is full.
    package let ring = SampleRing<StereoFrame>(capacity: 524_288, filling: .silence)

    private let flushWanted = Atomic<UInt64>(0)
    /// T1 writes: everything before this position has been dropped or played.
    let flushDone = Atomic<UInt64>(0)
    package let isPaused = Atomic<Bool>(false)
    /// The decoder writes: what is in the ring is all there is for now, so it is played to its last frame.
    package let isComplete = Atomic<Bool>(true)

    private let voiceLevel = Atomic<UInt32>(Float(Configuration.Media().duckedLevel).bitPattern)
    private let userLevel = Atomic<UInt32>(Float(Configuration.Media().duckedLevelUser).bitPattern)
    private let releaseTime = Atomic<Int>(48 * Configuration.Media().releaseMS)
    private let wanted = Atomic<Int>(0)
    private let wantedUntil = Atomic<UInt64>(0)

    /// T1 writes: times the ring ran dry while more was to come, and whether media sounds.
    let underruns = Atomic<UInt64>(0)
    let isSounding = Atomic<Bool>(false)

    init() {}

    /// The position up to which everything is to be dropped.
    var flushRequest: UInt64 { flushWanted.load(ordering: .acquiring) }

    /// Drops all frames before `position`, with a fade of 10 ms.
    package func flush(to position: UInt64) {
        var known = flushWanted.load(ordering: .acquiring)
        while position > known {
            let result = flushWanted.compareExchange(
                expected: known,
                desired: position,
                ordering: .acquiringAndReleasing
            )
            if result.exchanged { return }
            known = result.original
        }
    }

    /// Sets how loud media is while the voice and while the user speaks: linear, 0 ... 1.
    package func setLevels(voice: Float, user: Float) {
        voiceLevel.store(voice.bitPattern, ordering: .relaxed)
        userLevel.store(user.bitPattern, ordering: .relaxed)
    }

    /// Sets how long media takes to come back, in frames.
    package func setRelease(frames: Int) { releaseTime.store(frames, ordering: .relaxed) }

    var releaseFrames: Int { releaseTime.load(ordering: .relaxed) }

    /// Ducks from the next period on, at most until `instant` of CLOCK_MONOTONIC in nanoseconds: a lease, so that nobody
    /// who forgets to end it can keep media quiet.
    package func duck(_ who: Duck, until instant: UInt64) {
        wantedUntil.store(instant, ordering: .relaxed)
        wanted.store(who.rawValue, ordering: .releasing)
    }

    /// The level to play at.
    /// - Parameter isVoice: the voice sounds right now.
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
