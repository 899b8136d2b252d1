internal import CLinux
internal import Glibc
internal import Synchronization

/// Ends the wait of the audio thread (T1) for several periods, so that it runs every 10 ms for a while.
///
/// | field | writes | reads |
/// |---|---|---|
/// | `isArmed` | T1, while it takes several periods together | all others |
package final class AudioWaker: Sendable {
    /// An eventfd that T1 polls beside its device.
    let descriptor = clinux_eventfd()
    private let armed = Atomic<Bool>(false)

    package init() {}

    deinit { if descriptor >= 0 { close(descriptor) } }

    var isArmed: Bool {
        get { armed.load(ordering: .acquiring) }
        set { armed.store(newValue, ordering: .releasing) }
    }

    /// Notes that there is sound to play, that a device is open, or that the microphone is needed now. One write at most;
    /// none while T1 runs every 10 ms.
    package func wake() { if isArmed { interrupt() } }

    /// Interrupts whatever T1 waits for.
    func interrupt() { clinux_eventfd_signal(descriptor) }
}
