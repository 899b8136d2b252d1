import ArgumentParser
import CLinux
import Glibc
import Synchronization
import VoiceBase
import VoiceCore

/// `jarvis-voiced watch`: shows what the running daemon does, in a terminal or line by line.
struct Watch: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show what the running daemon does; q quits.",
        discussion: """
            Where the output is not a terminal, prints a line for each change of the state, for each turn and for each \
            trouble. Waits for a daemon that is not there. NO_COLOR=1 switches the colours off.
            """
    )

    @Option(help: "Path of the control socket.")
    var socket: String?

    @Flag(help: "Print one picture and exit.")
    var once = false

    func run() throws {
        let environment = ProcessEnvironment.values
        let isDumb = ["", "dumb"].contains(environment["TERM"] ?? "")
        let canDraw = isatty(STDOUT_FILENO) == 1 && !isDumb
        let isColoured = canDraw && (environment["NO_COLOR"] ?? "").isEmpty
        let paths = socket.map { [$0] } ?? ControlPath.candidates(environment: environment)
        let feed = StatusFollower(paths, hasLevels: once || canDraw)
        if once {
            try showOnce(feed, isColoured: isColoured)
        } else if canDraw {
            try follow(feed, isColoured: isColoured)
        } else {
            var lines = WatchLines()
            while true {
                let (mirror, problem) = feed.latest
                let new = lines.lines(mirror, at: Monotonic.now(), problem: problem?.message)
                if !new.isEmpty { Screen.write(new.map { $0 + "\n" }.joined()) }
                usleep(200_000)
            }
        }
    }

    private func showOnce(_ feed: StatusFollower, isColoured: Bool) throws {
        let began = Monotonic.now()
        var (mirror, problem) = feed.latest
        // The levels come up to 100 ms after the snapshot.
        while problem == nil, mirror["levels"] == nil,
            Monotonic.now() - began < (mirror.lastHeard == nil ? .seconds(15) : .milliseconds(500))
        {
            usleep(20_000)
            (mirror, problem) = feed.latest
        }
        guard mirror.lastHeard != nil else {
            let problem = problem ?? ControlProblem(.notAvailable, "the daemon does not answer")
            StandardError.write("jarvis-voiced watch: \(problem.message.escapingHidden())\n")
            throw ArgumentParser.ExitCode(problem.exitCode.rawValue)
        }
        var size = Screen.size ?? WatchPicture.Size(columns: 80, rows: 24)
        // Leaves a row for the prompt.
        if Screen.size != nil { size.rows -= 1 }
        Screen.write(picture(mirror, nil, size, isColoured).map { $0 + "\n" }.joined())
    }

    private func follow(_ feed: StatusFollower, isColoured: Bool) throws {
        let ends = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]
        let signals = ends + [SIGTSTP, SIGCONT]
        clinux_note_signals(signals, Int32(signals.count))
        var screen = Screen()
        screen.enter()
        defer { screen.leave() }
        while true {
            let (mirror, problem) = feed.latest
            let size = Screen.size ?? WatchPicture.Size(columns: 80, rows: 24)
            screen.show(picture(mirror, problem?.message, size, isColoured), size)
            // Five pictures a second, each in the current size of the terminal.
            let next = Monotonic.now() + .milliseconds(200)
            while Monotonic.now() < next {
                if Screen.quits(within: (next - Monotonic.now()).wholeMilliseconds) { return }
            }
            if let end = ends.first(where: { clinux_take_noted($0) }) {
                screen.leave()
                Self.deliver(end)
                throw ArgumentParser.ExitCode(128 + end)
            }
            if clinux_take_noted(SIGTSTP) {
                screen.leave()
                Self.deliver(SIGTSTP)
                clinux_note_signals([SIGTSTP], 1)
                screen.enter()
            } else if clinux_take_noted(SIGCONT) {
                // The program was stopped before it could restore the terminal, and the shell has changed it.
                screen.enter()
            }
        }
    }

    /// Lets the signal have its default effect. Returns once the program was stopped and continued, or if the signal had no
    /// effect within one second.
    private static func deliver(_ number: Int32) {
        signal(number, SIG_DFL)
        _ = clinux_take_noted(SIGCONT)
        // The signal goes to the process, because this thread may mask it.
        kill(getpid(), number)
        for _ in 0..<50 where !clinux_take_noted(SIGCONT) { usleep(20_000) }
    }

    private func picture(
        _ mirror: StatusMirror,
        _ problem: String?,
        _ size: WatchPicture.Size,
        _ isColoured: Bool
    ) -> [String] {
        let picture = WatchPicture(
            mirror, size: size, isColoured: isColoured, at: Monotonic.now(), offset: ClockInstant.now().offset,
            problem: problem
        )
        return picture.lines
    }
}

/// Follows the daemon on a thread of its own, and connects again every second while there is none.
private final class StatusFollower: Sendable {
    private let state = Mutex((mirror: StatusMirror(), problem: ControlProblem?.none))

    /// - Parameter hasLevels: whether to follow the levels of microphone and loudspeaker, ten times a second.
    init(_ paths: [String], hasLevels: Bool) {
        let started = OwnThread.start("watch") {
            while true {
                let problem = self.follow(paths, hasLevels)
                self.state.withLock { $0.problem = problem }
                sleep(1)
            }
        }
        if !started { state.withLock { $0.problem = ControlProblem(.failed, "cannot start a thread") } }
    }

    /// The status, and why there is no connection at present.
    var latest: (mirror: StatusMirror, problem: ControlProblem?) { state.withLock { $0 } }

    /// Follows the status until the connection ends; returns the reason.
    private func follow(_ paths: [String], _ hasLevels: Bool) -> ControlProblem {
        do throws(ControlProblem) {
            var client = try ControlClient(paths: paths)
            _ = try client.perform(ControlRequest(command: "subscribe", arguments: ["levels": .bool(hasLevels)]))
            while let line = try client.nextEvent() {
                let outcome = state.withLock {
                    $0.problem = nil
                    return $0.mirror.apply(line, at: Monotonic.now())
                }
                if outcome == .broken { return ControlProblem(.failed, "the daemon's status has a gap") }
            }
            return ControlProblem(.notAvailable, "the daemon has gone")
        } catch {
            return error
        }
    }
}

/// The terminal, while a picture covers it.
private struct Screen {
    private var saved: termios?
    private var shown: [String] = []
    private var size: WatchPicture.Size?

    /// nil if the output is not a terminal, or one that does not know its size.
    static var size: WatchPicture.Size? {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else { return nil }
        return WatchPicture.Size(columns: Int(size.ws_col), rows: Int(size.ws_row))
    }

    /// Writes without waiting for a full buffer.
    static func write(_ text: String) {
        print(text, terminator: "")
        fflush(nil)
    }

    /// Waits for a key, for so many milliseconds; true if it was q, or if the terminal has gone.
    static func quits(within milliseconds: Int) -> Bool {
        guard isatty(STDIN_FILENO) == 1 else {
            usleep(UInt32(clamping: milliseconds * 1000))
            return false
        }
        guard clinux_wait_readable(STDIN_FILENO, Int32(clamping: milliseconds)) > 0 else { return false }
        var key: UInt8 = 0
        return read(STDIN_FILENO, &key, 1) <= 0 || key == UInt8(ascii: "q")
    }

    private static let uncover = "\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"

    /// Covers the terminal: its other screen, no cursor, no wrapping; keys arrive immediately, without an echo.
    mutating func enter() {
        if saved == nil { clinux_restore_terminal_on_crash(Self.uncover) }
        var settings = termios()
        if saved == nil, tcgetattr(STDIN_FILENO, &settings) == 0 { saved = settings }
        if var settings = saved {
            settings.c_lflag &= ~tcflag_t(ICANON | ECHO)
            tcsetattr(STDIN_FILENO, TCSANOW, &settings)
        }
        Self.write("\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l")
        size = nil
    }

    mutating func leave() {
        Self.write(Self.uncover)
        if var settings = saved { tcsetattr(STDIN_FILENO, TCSADRAIN, &settings) }
        saved = nil
    }

    /// Draws the lines that have changed, or all lines if the size of the screen has changed.
    mutating func show(_ lines: [String], _ size: WatchPicture.Size) {
        var text = ""
        if size != self.size {
            text = "\u{1B}[2J"
            shown = []
        }
        for (row, line) in lines.enumerated() where !shown.indices.contains(row) || shown[row] != line {
            text += "\u{1B}[\(row + 1);1H\u{1B}[2K\(line)"
        }
        (shown, self.size) = (lines, size)
        if !text.isEmpty { Self.write(text) }
    }
}
