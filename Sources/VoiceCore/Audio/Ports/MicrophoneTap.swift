internal import Synchronization
internal import VoiceBase

/// The cleaned microphone on its way from the audio thread (T1) to the network thread (T2).
///
/// | field | writes | reads |
/// |---|---|---|
/// | `ring` | T1, 240 samples a period | T2 |
/// | `notes` | T1 | T2 |
/// | `voices` | T1, before the period of it | T2, for periods in the ring |
///
/// A position counts samples of the ring since the start of the program.
package final class MicrophoneTap: Sendable {
    /// 24 kHz, about 10.9 s, most of it for speech while a session opens. If full, the newest period is dropped.
    package let ring = SampleRing<Int16>(capacity: 262_144, filling: 0)

    /// Which periods of the ring hold a voice.
    package let voices = VoiceFlags()

    private let published = Published(Notes())

    /// The audio thread's notes on the samples in the ring.
    package struct Notes: BitwiseCopyable, Sendable {
        /// CLOCK_MONOTONIC time of sample 0 of the ring: sample p was captured at this + p * 1e9 / 24000, not counting the
        /// delay of the filters (below 10 ms). Moves if periods are lost.
        package var originNanoseconds: UInt64 = 0
        /// Position up to which samples were held back deliberately: their lateness says nothing about the machine.
        package var heldUntil: UInt64 = 0
        /// Periods of 10 ms held back at present, which come later: samples in the ring are older by as much.
        package var heldPeriods = 0
        /// Position up to which a voice was detected; 0 for never.
        package var voiceUntil: UInt64 = 0
    }

    package internal(set) var notes: Notes {
        get { published.value }
        set { published.value = newValue }
    }
}

/// Whether a voice was detected, for each period in the microphone's ring.
package final class VoiceFlags: @unchecked Sendable {
    // Invariant behind @unchecked: the producer writes the flag of a period before the ring's position publishes that period,
    // and there are more flags than periods in the ring, so a flag being read is never written.
    private static let count = 2048
    private let flags: UnsafeMutablePointer<Bool>

    init() {
        flags = .allocate(capacity: Self.count)
        flags.initialize(repeating: false, count: Self.count)
    }

    deinit { flags.deallocate() }

    /// - Parameter position: a ring position within the period.
    package subscript(position: UInt64) -> Bool { flags[Self.place(position)] }

    /// T1: sets the flag of the period about to be written at `position`.
    func set(_ isVoice: Bool, at position: UInt64) { flags[Self.place(position)] = isVoice }

    private static func place(_ position: UInt64) -> Int {
        Int(truncatingIfNeeded: position / UInt64(AudioFormat.wirePeriodSamples)) & (count - 1)
    }
}

/// The microphone without echo on its way from the audio thread (T1) to the local wake-word listener.
///
/// Its noise is not suppressed: the models miss words in what a suppressor leaves (docs/activation.md). Nor is there automatic
/// gain: the limits of stop words are levels.
///
/// | field | writes | reads |
/// |---|---|---|
/// | `ring` | T1, 240 samples a period while `isWanted` | the listener |
/// | `isWanted` | the listener | T1 |
/// | `due` | T1 | the listener |
package final class WakeWordTap: Sendable {
    /// 24 kHz, about 2.7 s. If full, the newest samples are dropped.
    package let ring = SampleRing<Int16>(capacity: 65_536, filling: 0)

    private let wanted = Atomic<Bool>(false)
    private let next = Atomic<UInt64>(0)

    /// CLOCK_MONOTONIC time of the next samples while T1 takes several periods together, in ns; 0 while they come every 10 ms.
    package internal(set) var due: UInt64 {
        get { next.load(ordering: .relaxed) }
        set { next.store(newValue, ordering: .relaxed) }
    }

    package var isWanted: Bool {
        get { wanted.load(ordering: .relaxed) }
        set { wanted.store(newValue, ordering: .relaxed) }
    }
}
