internal import Glibc
internal import VoiceBase

/// Switches the rest of the process to another user and that user's groups.
package enum ServiceUser {
    /// The user named in the unit.
    static let name = "jarvis-voiced"

    /// Why switching failed, in one line.
    package struct Fault: Error, Sendable, Equatable, CustomStringConvertible {
        package var description: String
    }

    /// Requires root; changes the whole process.
    /// - Returns: the user's home folder.
    package static func become(_ name: String) throws(Fault) -> String {
        guard geteuid() == 0 else {
            throw Fault(description: "--user needs root: sudo jarvis-voiced doctor --user \(name)")
        }
        guard let (user, group, home) = find(name) else {
            throw Fault(
                description: "there is no user \"\(name)\" (a DynamicUser= exists only while its service runs)"
            )
        }
        guard initgroups(name, group) == 0 else { throw failed("initgroups") }
        guard setgid(group) == 0 else { throw failed("setgid") }
        guard setuid(user) == 0 else { throw failed("setuid") }
        return home
    }

    /// Adapts the environment to that user, so that no folder of the previous user is searched.
    static func environment(_ environment: [String: String], of name: String, home: String) -> [String: String] {
        var result = environment
        result["HOME"] = home
        for name in ["XDG_STATE_HOME", "XDG_RUNTIME_DIR", "STATE_DIRECTORY"] { result[name] = nil }
        // Matches the unit's StateDirectory=.
        if name == Self.name { result["STATE_DIRECTORY"] = StateDirectory.service }
        return result
    }

    private static func failed(_ step: String) -> Fault {
        Fault(description: "--user: \(step): \(String(cString: strerror(errno)))")
    }

    private static func find(_ name: String) -> (uid_t, gid_t, String)? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 16_384) { room in
            guard let base = room.baseAddress else { return nil }
            var entry = passwd()
            var found: UnsafeMutablePointer<passwd>?
            guard getpwnam_r(name, &entry, base, room.count, &found) == 0, let found else { return nil }
            let home = found.pointee.pw_dir.map { String(cString: $0) } ?? "/"
            return (found.pointee.pw_uid, found.pointee.pw_gid, home)
        }
    }
}
