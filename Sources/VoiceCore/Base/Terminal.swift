internal import CLinux
internal import Glibc

/// The terminal of a dialog.
package enum Terminal {
    /// Signals that end a program.
    private static let ends = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]

    /// Whether a person types and reads.
    package static var isThere: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 }

    /// Lets a signal end the program only before or after `body`.
    package static func holdingSignals(_ body: () throws -> Void) rethrows {
        clinux_note_signals(ends, Int32(ends.count))
        defer { release() }
        try body()
    }

    /// Reads a line that the terminal does not show; nil at the end of the input. A signal ends the program, but the
    /// terminal shows again what is typed.
    package static func hiddenLine() -> String? {
        var shown = termios()
        guard tcgetattr(STDIN_FILENO, &shown) == 0 else { return nil }
        clinux_note_signals(ends, Int32(ends.count))
        // A shell would not show what is typed either.
        signal(SIGTSTP, SIG_IGN)
        var hidden = shown
        hidden.c_lflag &= ~tcflag_t(ECHO)
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden)
        var end: Int32?
        repeat {
            end = ends.first { clinux_take_noted($0) }
        } while end == nil && clinux_wait_readable(STDIN_FILENO, 100) <= 0
        let line = end == nil ? readLine() : nil
        tcsetattr(STDIN_FILENO, TCSANOW, &shown)
        print("")
        signal(SIGTSTP, SIG_DFL)
        release()
        if let end { kill(getpid(), end) }
        return line
    }

    /// Runs a program that asks its own questions here.
    ///
    /// - Parameter arguments: its absolute path, and never a secret.
    /// - Returns: its exit status; nil if a signal has ended it, or it does not start.
    package static func run(_ arguments: [String]) -> Int32? {
        guard let path = arguments.first else { return nil }
        var child: pid_t = 0
        let code = withCStrings(arguments) { posix_spawn(&child, path, nil, nil, $0, environ) }
        guard code == 0 else { return nil }
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0 { if errno != EINTR { return nil } }
        return status & 0x7F == 0 ? status >> 8 & 0xFF : nil
    }

    private static func release() {
        for number in ends {
            signal(number, SIG_DFL)
            if clinux_take_noted(number) { kill(getpid(), number) }
        }
    }
}
