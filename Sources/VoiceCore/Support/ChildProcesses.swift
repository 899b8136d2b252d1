internal import CLinux
internal import Glibc
internal import Synchronization

/// The processes that this one has started and not reaped yet, and what they leave behind.
package enum ChildProcesses {
    /// Marks in its environment whatever a hook starts.
    static let mark = "JARVIS_HOOK"

    private static let known = Mutex<Set<pid_t>>([])
    private static let adopts = Atomic<Bool>(false)

    /// Has processes whose parent has ended become children of this one, so that `endOrphans` finds them. For the daemon.
    package static func adoptOrphans() {
        if clinux_adopt_orphans() { adopts.store(true, ordering: .releasing) }
    }

    /// - Parameter spawn: the number of a new process, or none above zero.
    static func start(_ spawn: () -> pid_t) -> pid_t {
        known.withLock { known in
            let child = spawn()
            let code = errno
            if child > 0 { known.insert(child) }
            errno = code
            return child
        }
    }

    /// It was reaped.
    static func forget(_ child: pid_t) { _ = known.withLock { $0.remove(child) } }

    /// Ends what a hook has left running, whose environment holds `mark=hook`; takes a second at most.
    static func endOrphans(of hook: String) {
        guard adopts.load(ordering: .acquiring) else { return }
        let wanted = Array("\(mark)=\(hook)".utf8)
        var killed: Set<pid_t> = []
        var quietRounds = 0
        for _ in 0..<100 {
            // What is killed leaves orphans of its own.
            let (found, isCertain) = orphans(wanted)
            for process in found {
                kill(process, SIGKILL)
                killed.insert(process)
            }
            // Nobody else waits for them.
            killed = killed.filter { waitpid($0, nil, WNOHANG) == 0 }
            quietRounds = found.isEmpty && killed.isEmpty && isCertain ? quietRounds + 1 : 0
            if quietRounds == 2 { return }
            usleep(10_000)
        }
    }

    /// - Returns: `isCertain`: false while one of them cannot be told, because it is about to execute another program.
    private static func orphans(_ wanted: [UInt8]) -> (marked: [pid_t], isCertain: Bool) {
        let own = getpid()
        return known.withLock { known in
            var marked: [pid_t] = []
            var isCertain = true
            for name in Folder.names(in: "/proc") {
                guard let process = pid_t(name), !known.contains(process), ProcessTree.parent(of: process) == own,
                    !ProcessTree.hasEnded(process),
                    let file = try? FileReader.system.read("/proc/\(name)/environ", 1 << 20)
                else { continue }
                if file.bytes.isEmpty { isCertain = false }
                if file.bytes.split(separator: 0).contains(where: { $0.elementsEqual(wanted) }) {
                    marked.append(process)
                }
            }
            return (marked, isCertain)
        }
    }
}
