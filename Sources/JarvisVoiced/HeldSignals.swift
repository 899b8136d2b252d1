import CLinux
import Glibc

/// The signals that are orders to the daemon, noted from before the first statement of the program on (CHeldSignals).
///
/// By default each of them ends a process. A mask would not hold them: once `main` is asynchronous the main thread waits for
/// any signal (dispatch_main(3)).
enum HeldSignals {
    private static let orders = [SIGHUP, SIGUSR1, SIGUSR2]

    static func hold() {
        clinux_note_signals(orders, Int32(orders.count))
        // Whoever reads what we write may leave at any time: then write(2) says EPIPE.
        signal(SIGPIPE, SIG_IGN)
    }

    /// What a command line is expected to do: a signal ends it, and so does a pipe that was closed.
    static func release() {
        signal(SIGPIPE, SIG_DFL)
        release(orders)
    }

    /// For a daemon on a terminal, where SIGHUP means that the terminal was closed.
    static func releaseHangUp() { release([SIGHUP]) }

    /// The orders that came before somebody listened to them; to be taken once somebody does.
    static func take() -> [Int32] { orders.filter { clinux_take_noted($0) } }

    private static func release(_ signals: [Int32]) {
        for number in signals {
            signal(number, SIG_DFL)
            if clinux_take_noted(number) { raise(number) }
        }
    }
}
