internal import CLinux
internal import Glibc
internal import VoiceBase

/// Runs a program to its end, then kills everything it started. Blocks, so it needs a thread of its own.
enum HookProcess {
    enum Result: Equatable, Sendable {
        case ended(Int32)
        case tookTooLong
        case notStarted(errno: Int32)
    }

    private static let lastMoments = Duration.milliseconds(500)

    /// - Parameters:
    ///   - environment: the program's complete environment, except for a mark that identifies its children.
    ///   - arguments: of the program, without its name.
    ///   - isEnding: whether the daemon is shutting down, which leaves the program `lastMoments`.
    static func run(
        _ path: String,
        _ environment: [String],
        arguments: [String] = [],
        within limit: Duration,
        isEnding: () -> Bool = { false }
    ) -> Result {
        var errors = ErrorPipe(isOpen: false)
        return run(path, environment, arguments: arguments, within: limit, isEnding: isEnding, errors: &errors)
    }

    /// The same, with a pipe for the program's standard error.
    static func run(
        _ path: String,
        _ environment: [String],
        arguments: [String],
        within limit: Duration,
        isEnding: () -> Bool,
        errors: inout ErrorPipe
    ) -> Result {
        defer { errors.closeInput() }
        let hook = String(UInt64.random(in: 0 ... .max), radix: 36)
        let child: ChildProcess
        do throws(SystemError) {
            let marked = environment + ["\(ChildProcesses.mark)=\(hook)"]
            child = try ChildProcess([path] + arguments, environment: marked, errors: errors.input, isHook: true)
        } catch {
            return .notStarted(errno: error.code)
        }
        var deadline = Monotonic.now() + limit
        var isLate = false
        while !child.hasEnded, !isLate {
            clinux_sleep_until_ns(clinux_monotonic_ns() + 10_000_000)
            errors.drain()
            if isEnding() { deadline = min(deadline, Monotonic.now() + lastMoments) }
            isLate = Monotonic.now() > deadline
        }
        // The child is not reaped yet, so its number cannot belong to another process group.
        child.signal(SIGKILL, toGroup: true)
        let end = child.wait()
        ChildProcesses.endOrphans(of: hook)
        return isLate ? .tookTooLong : .ended(end.status)
    }
}
