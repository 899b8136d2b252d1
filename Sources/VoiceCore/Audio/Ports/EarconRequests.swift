internal import Synchronization
package import VoiceBase

/// Short sounds that the audio thread (T1) is asked to play.
///
/// | field | writes | reads |
/// |---|---|---|
/// | request | conversation and activation, with `play`; T1 resets it | T1 |
/// | cancellation | the conversation, with `cancel`; T1 resets it | T1 |
/// | `areOff` | activation | `play` |
/// | `rings` | the timers | T1 |
/// | `isRingLow` | the daemon, by the conversation's state | T1 |
package final class EarconRequests: Sendable {
    /// `Earcon.rawValue`; 0 when taken.
    private let wanted = Atomic<Int>(0)
    private let cancelled = Atomic<Bool>(false)
    private let off = Atomic<Bool>(false)
    private let ringing = Atomic<Bool>(false)
    private let low = Atomic<Bool>(false)

    package init() {}

    /// Plays an earcon once, unless they are off. A request that T1 has not taken yet is replaced.
    package func play(_ earcon: Earcon) {
        guard !areOff else { return }
        wanted.store(earcon.rawValue, ordering: .releasing)
    }

    /// Fades out the earcon that plays, unless it tells that an order was taken.
    package func cancel() { cancelled.store(true, ordering: .releasing) }

    /// true: no earcon is played, as in quiet hours.
    package var areOff: Bool {
        get { off.load(ordering: .acquiring) }
        set { off.store(newValue, ordering: .releasing) }
    }

    /// true: a timer or an alarm rings until it is false again, quiet hours or not.
    package var rings: Bool {
        get { ringing.load(ordering: .acquiring) }
        set { ringing.store(newValue, ordering: .releasing) }
    }

    /// true: somebody speaks, so it rings softly.
    package var isRingLow: Bool {
        get { low.load(ordering: .acquiring) }
        set { low.store(newValue, ordering: .releasing) }
    }

    // MARK: T1

    /// The earcon that was asked for since the last call, as `Earcon.rawValue`; 0 for none.
    func takeRequest() -> Int { wanted.exchange(0, ordering: .acquiringAndReleasing) }

    func takeCancellation() -> Bool { cancelled.exchange(false, ordering: .acquiringAndReleasing) }
}
