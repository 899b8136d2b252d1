internal import CLinux
package import Glibc
internal import Synchronization

/// The processes started here and not yet reaped, and the orphans they leave behind.
package enum ChildProcesses {
    /// Environment variable that marks everything a hook starts.
    package static let mark = "JARVIS_HOOK"

    private struct Known {
        /// Started here and not yet reaped.
        var children: Set<pid_t> = []
        /// Hooks started whose orphans have not been ended yet.
        var hooks = 0
    }

    private static let known = Mutex(Known())
    private static let adopts = Atomic<Bool>(false)

    /// Makes orphaned descendants children of this process, so that `endOrphans` finds them. For the daemon.
    package static func adoptOrphans() {
        if clinux_adopt_orphans() { adopts.store(true, ordering: .releasing) }
    }

    /// - Parameter spawn: returns the ID of a new process, or a value not above zero.
    package static func start(_ spawn: () -> pid_t) -> pid_t {
        known.withLock { known in
            let child = spawn()
            let code = errno
            if child > 0 { known.children.insert(child) }
            errno = code
            return child
        }
    }

    /// Notes that a child was reaped.
    package static func forget(_ child: pid_t) { _ = known.withLock { $0.children.remove(child) } }

    /// Starts a hook whose environment holds `mark=hook`. If that succeeds, `endOrphans` must be called after its end.
    package static func startHook(_ spawn: () -> pid_t) -> pid_t {
        known.withLock { $0.hooks += 1 }
        let child = start(spawn)
        if child <= 0 { known.withLock { $0.hooks -= 1 } }
        return child
    }

    /// Ends what a hook has left running, and reaps everything that has ended; takes a second at most.
    package static func endOrphans(of hook: String) {
        defer { known.withLock { $0.hooks -= 1 } }
        guard adopts.load(ordering: .acquiring) else { return }
        let wanted = Array("\(mark)=\(hook)".utf8)
        var quietRounds = 0
        for _ in 0..<100 {
            // Killed processes leave orphans of their own.
            let round = known.withLock { sweep(wanted, $0) }
            quietRounds = round.found == 0 && round.isCertain ? quietRounds + 1 : 0
            if quietRounds == 2 { return }
            usleep(10_000)
        }
    }

    /// Orphans are children not started here. A hook leads a session of its own, so none of its orphans is in ours.
    ///
    /// - Returns: how many were found, and `isCertain`: false if one cannot be classified because it is about to execute
    ///   another program.
    private static func sweep(_ wanted: [UInt8], _ known: Known) -> (found: Int, isCertain: Bool) {
        let (own, session) = (getpid(), getsid(0))
        var found = 0
        var isCertain = true
        for name in Folder.names(in: "/proc") {
            guard let process = pid_t(name), !known.children.contains(process),
                let entry = ProcessTree.entry(of: process), entry.parent == own, entry.session != session
            else { continue }
            if entry.hasEnded {
                // No other thread waits for it.
                waitpid(process, nil, WNOHANG)
                found += 1
                continue
            }
            let file = try? FileReader.system.read("/proc/\(name)/environ", 1 << 20)
            let isMarked = file?.bytes.split(separator: 0).contains { $0.elementsEqual(wanted) } ?? false
            // It may have cleared its environment: if no other hook runs, it belongs to this one.
            if isMarked || known.hooks == 1 {
                kill(process, SIGKILL)
                found += 1
            } else if file?.bytes.isEmpty ?? false {
                isCertain = false
            }
        }
        return (found, isCertain)
    }
}
