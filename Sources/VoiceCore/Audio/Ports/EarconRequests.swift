internal import Synchronization
package import VoiceBase

/// Short sounds requested from the audio thread (T1).
///
/// | field | writes | reads |
/// |---|---|---|
/// | request | conversation and activation, with `play`; T1 resets it | T1 |
/// | cancellation | the conversation, with `cancel`; T1 resets it | T1 |
/// | `areOff` | activation | `play` |
/// | `rings` | the timers | T1 |
/// | `isRingLow` | the daemon, by the conversation's state | T1 |
package final class EarconRequests: Sendable {
    /// `Earcon.rawValue`; 0 once taken.
    private let wanted = Atomic<Int>(0)
    private let cancelled = Atomic<Bool>(false)
    private let off = Atomic<Bool>(false)
    private let ringing = Atomic<Bool>(false)
    private let low = Atomic<Bool>(false)
    private let waker: AudioWaker

    package init(waker: AudioWaker = AudioWaker()) { self.waker = waker }

    /// Plays an earcon once, unless earcons are off. Replaces a request that T1 has not taken yet.
    package func play(_ earcon: Earcon) {
        guard !areOff else { return }
        wanted.store(earcon.rawValue, ordering: .releasing)
        waker.wake()
    }

    /// Fades out the present earcon, unless it confirms an order.
    package func cancel() { cancelled.store(true, ordering: .releasing) }

    /// Whether earcons are suppressed, as in quiet hours.
    package var areOff: Bool {
        get { off.load(ordering: .acquiring) }
        set { off.store(newValue, ordering: .releasing) }
    }

    /// Whether a timer or an alarm rings, quiet hours or not.
    package var rings: Bool {
        get { ringing.load(ordering: .acquiring) }
        set {
            ringing.store(newValue, ordering: .releasing)
            waker.wake()
        }
    }

    /// Whether it rings softly, during speech.
    package var isRingLow: Bool {
        get { low.load(ordering: .acquiring) }
        set { low.store(newValue, ordering: .releasing) }
    }

    // MARK: T1

    /// Takes the earcon requested since the last call, as `Earcon.rawValue`; 0 for none.
    func takeRequest() -> Int { wanted.exchange(0, ordering: .acquiringAndReleasing) }

    func takeCancellation() -> Bool { cancelled.exchange(false, ordering: .acquiringAndReleasing) }
}
