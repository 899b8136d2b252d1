internal import Synchronization

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
