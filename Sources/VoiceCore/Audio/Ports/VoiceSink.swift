internal import Synchronization

/// Speech on its way from the network thread (T2) to the audio thread (T1), and its progress.
///
/// | field | writes | reads |
/// |---|---|---|
/// | `ring` | T2 | T1, 240 samples a period |
/// | `flushRequest` | T2 | T1 |
/// | `progress` | T1, every period | T2 |
///
/// A voice position counts samples of the ring since the start of the program and so identifies an instant of the speech.
package final class VoiceSink: Sendable {
    /// 24 kHz, about 0.7 s. If full, T2 keeps the rest.
    package let ring = SampleRing<Int16>(capacity: 16_384, filling: 0)

    private let wanted = Atomic<UInt64>(0)
    private let published = Published(Progress())

    package struct Progress: BitwiseCopyable, Sendable {
        /// Samples taken from the ring, skipped ones included.
        package var consumed: UInt64 = 0
        /// The voice position now at the loudspeaker. Never decreases; equals the write position once everything has been
        /// played. After a flush up to P it becomes P as soon as the remaining voice has been heard.
        package var heard: UInt64 = 0
        /// CLOCK_MONOTONIC time at which the newest period had been written to the card.
        package var writtenNanoseconds: UInt64 = 0
        /// P once the flush up to P is complete, and the position up to which the cut voice was or will be heard.
        package var flushDone: UInt64 = 0
        package var flushHeard: UInt64 = 0
    }

    package internal(set) var progress: Progress {
        get { published.value }
        set { published.value = newValue }
    }

    // MARK: Flush (barge-in)

    /// Drops all voice written so far, from the ring and from the card, at T1's next cycle. Returns its position P, to be
    /// compared with `flushDone`. T2 must not write old voice after this. If nothing is newer than the last flush, the
    /// `flushHeard` of that one applies.
    @discardableResult
    package func requestFlush() -> UInt64 {
        let position = ring.writePosition
        if position > wanted.load(ordering: .relaxed) { wanted.store(position, ordering: .releasing) }
        return position
    }

    /// The position P before which all voice is to be dropped. Only grows.
    var flushRequest: UInt64 { wanted.load(ordering: .acquiring) }
}
