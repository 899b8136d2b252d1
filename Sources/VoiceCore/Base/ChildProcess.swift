internal import CLinux
package import Glibc

/// A program that this one has started, and reaps once. For one thread at a time; killed at the latest when nobody keeps
/// it any more.
package final class ChildProcess {
    package let id: pid_t
    private var status: ProcessEnd?

    /// Starts a program that inherits no files.
    ///
    /// - Parameters:
    ///   - arguments: the program, sought in PATH, and its arguments; never a secret: every user sees them.
    ///   - environment: "NAME=value", all that it finds in its own; nil for that of this process.
    ///   - output: where standard output goes; -1 for nowhere.
    ///   - isHook: it leads a session of its own, and `ChildProcesses.endOrphans` has to follow its end.
    package convenience init(
        _ arguments: [String],
        environment: [String]? = nil,
        output: Int32 = -1,
        errors: Int32 = -1,
        isHook: Bool = false
    ) throws(SystemError) {
        try self.init(isHook: isHook) { () -> pid_t in
            withCStrings(arguments) { argv in
                guard let environment else { return clinux_spawn(argv, nil, output, errors, isHook) }
                return withCStrings(environment) { clinux_spawn(argv, $0, output, errors, isHook) }
            }
        }
    }

    /// - Parameter spawn: the number of a new process, or none above zero and an errno.
    package init(isHook: Bool = false, spawning spawn: () -> pid_t) throws(SystemError) {
        var code: Int32 = 0
        func spawned() -> pid_t {
            let child = spawn()
            code = errno
            return child
        }
        let child = isHook ? ChildProcesses.startHook(spawned) : ChildProcesses.start(spawned)
        // Thrown before anything is kept: a number below zero would mean every process there is.
        guard child > 0 else { throw SystemError(code: code) }
        id = child
    }

    deinit { end() }

    /// Whether it has ended; its number still means it alone.
    package var hasEnded: Bool { status != nil || clinux_has_ended(id) }

    /// Sends a signal, unless it was reaped; to all of its group where it leads one.
    package func signal(_ number: Int32, toGroup: Bool = false) {
        if status == nil { kill(toGroup ? -id : id, number) }
    }

    /// Kills it and waits for its end, which takes a few milliseconds.
    @discardableResult
    package func end() -> ProcessEnd {
        signal(SIGKILL)
        return wait()
    }

    /// Waits for its end, which blocks.
    @discardableResult
    package func wait() -> ProcessEnd {
        if let status { return status }
        var raw: Int32 = 0
        while waitpid(id, &raw, 0) < 0, errno == EINTR {}
        ChildProcesses.forget(id)
        let ended = ProcessEnd(raw)
        status = ended
        return ended
    }

    /// The same, but kills it when `limit` is over.
    package func wait(within limit: Duration) -> ProcessEnd {
        if let status { return status }
        if !ends(within: limit) {
            signal(SIGKILL)
            // One that hangs in the system is left to it.
            guard ends(within: .seconds(1)) else {
                ChildProcesses.forget(id)
                status = .killed(signal: SIGKILL)
                return .killed(signal: SIGKILL)
            }
        }
        return wait()
    }

    private func ends(within limit: Duration) -> Bool {
        let deadline = Monotonic.now() + limit
        while !hasEnded {
            guard Monotonic.now() < deadline else { return false }
            usleep(1000)
        }
        return true
    }
}

/// How a program ended. ffmpeg 7 exits with any status up to 255: no number says by itself that there was a signal.
package enum ProcessEnd: Sendable, Equatable {
    case exited(Int32)
    case killed(signal: Int32)

    /// - Parameter raw: as waitpid has it.
    init(_ raw: Int32) {
        self = raw & 0x7F == 0 ? .exited(raw >> 8 & 0xFF) : .killed(signal: raw & 0x7F)
    }

    /// As a shell tells it: 128 and the number of the signal.
    package var status: Int32 {
        switch self {
        case .exited(let status): status
        case .killed(let signal): 128 + signal
        }
    }
}

/// Texts as execve takes them: a list of pointers with a null at its end, for as long as `body` runs.
package func withCStrings<Result>(
    _ texts: [String],
    _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Result
) -> Result {
    let pointers = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.allocate(capacity: texts.count + 1)
    for (index, text) in texts.enumerated() { (pointers + index).initialize(to: strdup(text)) }
    (pointers + texts.count).initialize(to: nil)
    defer {
        for index in texts.indices { free(pointers[index]) }
        pointers.deallocate()
    }
    return body(pointers)
}
