internal import Glibc
internal import VoiceBase

/// Whether the state folder is writable, and whether there is enough disk space.
enum StateCheck {
    static let scarce = 50 << 20
    static let full = 1 << 20

    static func findings(_ context: DoctorContext, isRoot: Bool) -> [DoctorFinding] {
        // systemd creates the service's folder at the first start.
        let isService = isRoot && context.environment["STATE_DIRECTORY"] == nil
        guard let path = isService ? StateDirectory.service : StateDirectory.path(environment: context.environment)
        else {
            return [
                DoctorFinding(
                    "state", .warn, "there is no folder to remember volumes and spending in",
                    advice: "set HOME or STATE_DIRECTORY; the unit has StateDirectory="
                )
            ]
        }
        guard let nearest = nearest(path) else { return [] }
        let isThere = nearest == path
        var findings = [judge(path: path, isThere: isThere, problem: isThere || !isService ? probe(nearest) : 0)]
        var disk = statvfs()
        if statvfs(nearest, &disk) == 0 {
            findings.append(judge(free: Int(clamping: disk.f_bavail) * Int(clamping: disk.f_frsize), at: nearest))
        }
        return findings
    }

    /// - Parameter problem: errno of a test write; 0 if it succeeded.
    static func judge(path: String, isThere: Bool, problem: Int32) -> DoctorFinding {
        guard problem == 0 else {
            return DoctorFinding(
                "state", .fail, "\(path) cannot be written: \(public: String(cString: strerror(problem)))",
                advice: "let the daemon's user write there; the unit's StateDirectory= does this by itself"
            )
        }
        return DoctorFinding("state", .ok, isThere ? "\(path) can be written" : "\(path) is created at the first start")
    }

    static func judge(free bytes: Int, at path: String) -> DoctorFinding {
        let text = bytes >= 10 << 30 ? "\(bytes >> 30) GB" : "\(bytes >> 20) MB"
        guard bytes < scarce else { return DoctorFinding("disk", .ok, "\(public: text) free") }
        return DoctorFinding(
            "disk", bytes < full ? .fail : .warn, "\(public: text) free at \(path)",
            advice: "free some space: journalctl --vacuum-size=100M, apt-get clean"
        )
    }

    private static func nearest(_ path: String) -> String? {
        var path = path
        var status = stat()
        while stat(path, &status) != 0 {
            guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return "/" }
            path = String(path[..<slash])
        }
        return path
    }

    private static func probe(_ folder: String) -> Int32 {
        let path = "\(folder)/.jarvis-voiced-doctor-\(getpid())"
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { return errno }
        close(file)
        unlink(path)
        return 0
    }
}
