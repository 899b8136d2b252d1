internal import Glibc

/// Becomes another user for the rest of the process, with group audio as the unit gives it to the service.
package enum ServiceUser {
    /// Why it did not work, in one line.
    package struct Fault: Error, Sendable, Equatable, CustomStringConvertible {
        package var description: String
    }

    /// For root only; the whole process changes.
    package static func become(_ name: String) throws(Fault) {
        guard geteuid() == 0 else {
            throw Fault(description: "--user needs root: sudo jarvis-voiced doctor --user \(name)")
        }
        guard let (user, group) = find(name) else {
            throw Fault(
                description: "there is no user \"\(name)\" (a DynamicUser= exists only while its service runs)"
            )
        }
        guard initgroups(name, group) == 0 else { throw failed("initgroups") }
        if let audio = groupID("audio") {
            var groups = [gid_t](repeating: 0, count: 64)
            let count = getgroups(Int32(groups.count), &groups)
            if count >= 0, !groups.prefix(Int(count)).contains(audio) {
                let wanted = Array(groups.prefix(Int(count))) + [audio]
                guard setgroups(wanted.count, wanted) == 0 else { throw failed("setgroups") }
            }
        }
        guard setgid(group) == 0 else { throw failed("setgid") }
        guard setuid(user) == 0 else { throw failed("setuid") }
    }

    private static func failed(_ step: String) -> Fault {
        Fault(description: "--user: \(step): \(String(cString: strerror(errno)))")
    }

    private static func find(_ name: String) -> (uid_t, gid_t)? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 16_384) { room in
            guard let base = room.baseAddress else { return nil }
            var entry = passwd()
            var found: UnsafeMutablePointer<passwd>?
            guard getpwnam_r(name, &entry, base, room.count, &found) == 0, let found else { return nil }
            return (found.pointee.pw_uid, found.pointee.pw_gid)
        }
    }

    private static func groupID(_ name: String) -> gid_t? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 16_384) { room in
            guard let base = room.baseAddress else { return nil }
            var entry = group()
            var found: UnsafeMutablePointer<group>?
            guard getgrnam_r(name, &entry, base, room.count, &found) == 0 else { return nil }
            return found?.pointee.gr_gid
        }
    }
}
