internal import Synchronization

/// What the audio thread (T1) made of the echo, period by period, for `EchoTest`.
///
/// | field | writes | reads |
/// |---|---|---|
/// | `ring` | T1, while it is wanted; what finds no room is left out | `EchoTest` |
/// | `isWanted` | `EchoTest` | T1 |
package final class EchoTrace: Sendable {
    package let ring = SampleRing<EchoPeriod>(capacity: 1024, filling: EchoPeriod())

    private let wanted = Atomic<Bool>(false)

    package init() {}

    package var isWanted: Bool {
        get { wanted.load(ordering: .relaxed) }
        set { wanted.store(newValue, ordering: .relaxed) }
    }
}
