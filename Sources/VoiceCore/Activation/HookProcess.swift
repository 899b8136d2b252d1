internal import CLinux
internal import Glibc
internal import VoiceBase

/// Runs a program to its end, and ends with it whatever it has started; blocks, so it belongs on a thread of its own.
enum HookProcess {
    enum Result: Equatable, Sendable {
        case ended(Int32)
        case tookTooLong
        case notStarted(errno: Int32)
    }

    private static let lastMoments = Duration.milliseconds(500)

    /// - Parameters:
    ///   - environment: all that the program finds in its own, beside a mark.
    ///   - arguments: of the program, without its name.
    ///   - isEnding: whether the daemon is to end, which leaves the program `lastMoments`.
    static func run(
        _ path: String,
        _ environment: [String],
        arguments: [String] = [],
        within limit: Duration,
        isEnding: () -> Bool = { false }
    ) -> Result {
        let hook = String(UInt64.random(in: 0 ... .max), radix: 36)
        var texts = ([path] + arguments).map { strdup($0) } + [nil]
        var variables = (environment + ["\(ChildProcesses.mark)=\(hook)"]).map { strdup($0) } + [nil]
        defer { for text in texts + variables { free(text) } }
        var problem: Int32 = 0
        let child = ChildProcesses.startHook {
            let child = clinux_spawn(&texts, &variables, -1, -1, true)
            problem = errno
            return child
        }
        guard child > 0 else { return .notStarted(errno: problem) }
        var deadline = Monotonic.now() + limit
        var isLate = false
        while !clinux_has_ended(child), !isLate {
            clinux_sleep_until_ns(clinux_monotonic_ns() + 10_000_000)
            if isEnding() { deadline = min(deadline, Monotonic.now() + lastMoments) }
            isLate = Monotonic.now() > deadline
        }
        // It is not reaped yet: its number cannot mean another group by now.
        kill(-child, SIGKILL)
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0, errno == EINTR {}
        ChildProcesses.forget(child)
        ChildProcesses.endOrphans(of: hook)
        if isLate { return .tookTooLong }
        return .ended(status & 0x7f == 0 ? (status >> 8) & 0xff : 128 + status & 0x7f)
    }
}
