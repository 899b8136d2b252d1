internal import CLinux
package import Glibc

/// A program started by this process, and reaped once. For one thread at a time. Releasing the object kills the program if
/// it still runs.
package final class ChildProcess {
    package let id: pid_t
    private var status: ProcessEnd?

    /// Starts a program that inherits no files.
    ///
    /// - Parameters:
    ///   - arguments: the program, looked up in PATH, and its arguments; never a secret, since every user can see them.
    ///   - environment: its whole environment as "NAME=value"; nil for that of this process.
    ///   - output: the descriptor for standard output; -1 to discard it.
    ///   - isHook: it leads a session of its own, and `ChildProcesses.endOrphans` must be called after its end.
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

    /// - Parameter spawn: returns the ID of a new process, or a value not above zero with errno set.
    package init(isHook: Bool = false, spawning spawn: () -> pid_t) throws(SystemError) {
        var code: Int32 = 0
        func spawned() -> pid_t {
            let child = spawn()
            code = errno
            return child
        }
        let child = isHook ? ChildProcesses.startHook(spawned) : ChildProcesses.start(spawned)
        // Thrown before anything is stored: kill(2) with a negative ID would address every process.
        guard child > 0 else { throw SystemError(code: code) }
        id = child
    }

    deinit { end() }

    /// Whether it has ended. It is not reaped here, so its ID still refers to it alone.
    package var hasEnded: Bool { status != nil || clinux_has_ended(id) }

    /// Sends a signal unless the program was reaped; with `toGroup`, to the process group it leads.
    package func signal(_ number: Int32, toGroup: Bool = false) {
        if status == nil { kill(toGroup ? -id : id, number) }
    }

    /// Kills it and waits for its end, which takes a few milliseconds.
    @discardableResult
    package func end() -> ProcessEnd {
        signal(SIGKILL)
        return wait()
    }

    /// Waits for its end; blocks.
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

    /// Waits for its end, and kills it when `limit` has passed.
    package func wait(within limit: Duration) -> ProcessEnd {
        if let status { return status }
        if !ends(within: limit) {
            signal(SIGKILL)
            // A process stuck in the kernel is abandoned.
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

/// How a program ended. ffmpeg 7 exits with any status up to 255, so no exit status alone indicates a signal.
package enum ProcessEnd: Sendable, Equatable {
    case exited(Int32)
    case killed(signal: Int32)

    /// - Parameter raw: the status from waitpid.
    init(_ raw: Int32) {
        self = raw & 0x7F == 0 ? .exited(raw >> 8 & 0xFF) : .killed(signal: raw & 0x7F)
    }

    /// The status as a shell reports it: 128 plus the signal number if killed.
    package var status: Int32 {
        switch self {
        case .exited(let status): status
        case .killed(let signal): 128 + signal
        }
    }
}

/// Passes texts in the form execve expects: a null-terminated list of pointers, valid while `body` runs.
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
