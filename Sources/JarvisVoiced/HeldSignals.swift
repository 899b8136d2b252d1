import CLinux
import Glibc

/// Holds the signals that are commands to the daemon, from before the first statement of the program (CHeldSignals).
///
/// By default each of them ends the process. A mask would not hold them: once `main` is asynchronous, the main thread
/// waits for any signal (dispatch_main(3)).
enum HeldSignals {
    private static let orders = [SIGHUP, SIGUSR1, SIGUSR2]

    static func hold() {
        clinux_note_signals(orders, Int32(orders.count))
        // A reader of the program's output may leave at any time; write(2) then fails with EPIPE.
        signal(SIGPIPE, SIG_IGN)
    }

    /// Restores the behaviour expected of a command: a signal or a closed pipe ends it.
    static func release() {
        signal(SIGPIPE, SIG_DFL)
        release(orders)
    }

    /// For a daemon on a terminal, where SIGHUP means that the terminal was closed.
    static func releaseHangUp() { release([SIGHUP]) }

    /// Takes the signals received before anything listened for them; call it once something does.
    static func dequeue() -> [Int32] { orders.filter { clinux_take_noted($0) } }

    private static func release(_ signals: [Int32]) {
        for number in signals {
            signal(number, SIG_DFL)
            if clinux_take_noted(number) { raise(number) }
        }
    }
}
