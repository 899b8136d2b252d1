internal import CLinux
internal import Glibc

/// Runs a program to its end; blocks, so it belongs on a thread of its own.
enum HookProcess {
    enum Result: Equatable, Sendable {
        case ended(Int32)
        case tookTooLong
        case notStarted(errno: Int32)
    }

    /// - Parameter environment: all that the program finds in its own.
    static func run(_ path: String, _ environment: [String], within limit: Duration) -> Result {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for descriptor in 0...2 as ClosedRange<Int32> {
            posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
        }
        // The thread has every signal masked; the program starts with none.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        let arguments = [strdup(path), nil]
        let variables = environment.map { strdup($0) } + [nil]
        defer { for text in arguments + variables { free(text) } }
        var child = pid_t()
        let problem = posix_spawn(&child, path, &actions, &attributes, arguments, variables)
        guard problem == 0 else { return .notStarted(errno: problem) }
        return wait(for: child, until: Monotonic.now() + limit)
    }

    private static func wait(for child: pid_t, until deadline: Duration) -> Result {
        var status: Int32 = 0
        while true {
            let done = waitpid(child, &status, WNOHANG)
            if done == child { return .ended(status & 0x7f == 0 ? (status >> 8) & 0xff : 128 + status & 0x7f) }
            if done < 0, errno != EINTR { return .ended(0) }
            if Monotonic.now() > deadline {
                kill(child, SIGKILL)
                waitpid(child, &status, 0)
                return .tookTooLong
            }
            clinux_sleep_until_ns(clinux_monotonic_ns() + 10_000_000)
        }
    }
}
