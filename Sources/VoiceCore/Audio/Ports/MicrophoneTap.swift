internal import Synchronization
internal import VoiceBase

/// The cleaned microphone on its way from the audio thread (T1) to the network thread (T2).
///
/// | field | writes | reads |
/// |---|---|---|
/// | `ring` | T1, 240 samples a period | T2 |
/// | `originNanoseconds`, `heldUntil`, `heldPeriods`, `voiceUntil` | T1 | T2 |
/// | `voices` | T1, before the period of it | T2, for periods in the ring |
///
/// A position counts samples of the ring since the start of the program.
package final class MicrophoneTap: Sendable {
    /// 24 kHz. About 10.9 s, most of it for what is said while a session is being opened; full: the newest period is dropped.
    package let ring = SampleRing<Int16>(capacity: 262_144, filling: 0)

    /// Which periods of the ring hold a voice.
    package let voices = VoiceFlags()

    private let origin = Atomic<UInt64>(0)
    private let held = Atomic<UInt64>(0)
    private let holding = Atomic<Int>(0)
    private let voice = Atomic<UInt64>(0)

    package init() {}

    /// CLOCK_MONOTONIC at which sample 0 of the ring would have been captured: sample p was captured at this
    /// + p * 1e9 / 24000, not counting the delay of the filters (below 10 ms). Moves when periods are lost.
    package internal(set) var originNanoseconds: UInt64 {
        get { origin.load(ordering: .relaxed) }
        set { origin.store(newValue, ordering: .releasing) }
    }

    /// Position up to which samples were held back on purpose: their lateness tells nothing of the machine.
    package internal(set) var heldUntil: UInt64 {
        get { held.load(ordering: .relaxed) }
        set { held.store(newValue, ordering: .relaxed) }
    }

    /// Periods of 10 ms that are held back now, and come later: what is in the ring is so much older.
    package internal(set) var heldPeriods: Int {
        get { holding.load(ordering: .relaxed) }
        set { holding.store(newValue, ordering: .relaxed) }
    }

    /// Position up to which somebody was heard to speak; 0 for never.
    package internal(set) var voiceUntil: UInt64 {
        get { voice.load(ordering: .acquiring) }
        set { voice.store(newValue, ordering: .releasing) }
    }
}

/// Whether somebody is heard to speak, for each period that is in the microphone's ring.
package final class VoiceFlags: @unchecked Sendable {
    // Invariant behind @unchecked: the producer writes a flag before the period that it is about is published by the ring's
    // position, and there are more flags than the ring has periods: the one that is read is not written meanwhile.
    private static let count = 2048
    private let flags: UnsafeMutablePointer<Bool>

    init() {
        flags = .allocate(capacity: Self.count)
        flags.initialize(repeating: false, count: Self.count)
    }

    deinit { flags.deallocate() }

    /// - Parameter position: a position of the ring within the period.
    package subscript(position: UInt64) -> Bool { flags[Self.place(position)] }

    /// T1: the period that begins there is about to be written.
    func set(_ isVoice: Bool, at position: UInt64) { flags[Self.place(position)] = isVoice }

    private static func place(_ position: UInt64) -> Int {
        Int(truncatingIfNeeded: position / UInt64(AudioFormat.wirePeriodSamples)) & (count - 1)
    }
}

/// The cleaned microphone on its way from the audio thread (T1) to whoever listens for words on this machine.
///
/// | field | writes | reads |
/// |---|---|---|
/// | `ring` | T1, 240 samples a period while it is wanted | the listener |
/// | `isWanted` | the listener | T1 |
package final class WakeWordTap: Sendable {
    /// 24 kHz. About 2.7 s; full: the newest is dropped.
    package let ring = SampleRing<Int16>(capacity: 65_536, filling: 0)

    private let wanted = Atomic<Bool>(false)

    package init() {}

    package var isWanted: Bool {
        get { wanted.load(ordering: .relaxed) }
        set { wanted.store(newValue, ordering: .relaxed) }
    }
}
