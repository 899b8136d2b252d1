internal import Glibc

/// Location of the control socket.
package enum ControlPath {
    package static let name = "control.sock"
    package static let system = "/run/jarvis-voiced/control.sock"

    /// The daemon's path: in the folder made by the service manager ($RUNTIME_DIRECTORY), else in the user's runtime
    /// folder; nil if there is neither.
    package static func daemon(environment: [String: String]) -> String? {
        if let folders = environment["RUNTIME_DIRECTORY"], let first = folders.split(separator: ":").first,
            first.hasPrefix("/")
        {
            return "\(first)/\(name)"
        }
        return users(environment)
    }

    /// The paths `ctl` tries in order.
    package static func candidates(environment: [String: String]) -> [String] {
        if let path = environment["JARVIS_CONTROL_SOCKET"], !path.isEmpty { return [path] }
        return [users(environment), system].compactMap { $0 }
    }

    private static func users(_ environment: [String: String]) -> String? {
        guard let folder = environment["XDG_RUNTIME_DIR"], folder.hasPrefix("/") else { return nil }
        return "\(folder)/jarvis-voiced/\(name)"
    }

    /// Makes the folder for the user's own socket, accessible by the user only.
    package static func makeFolder(of path: String) {
        let folder = String(path.dropLast(name.utf8.count + 1))
        mkdir(folder, 0o700)
    }
}

/// Who may use the socket: root, the daemon's user, and members of the group that owns the socket, but no process
/// started by the daemon itself.
///
/// The permissions of the socket say the same; this check also holds if they were loosened.
package struct ControlAccess: Sendable, Equatable {
    package struct Peer: Sendable, Equatable {
        package var process: Int32
        package var user: UInt32
        /// Primary and supplementary groups.
        package var groups: [UInt32]
        /// Started by the daemon: a decoder or a hook, which processes untrusted input.
        package var isOwnChild = false
    }

    package var user: UInt32
    package var group: UInt32

    package init(user: UInt32 = geteuid(), group: UInt32 = getegid()) {
        self.user = user
        self.group = group
    }

    package func allows(_ peer: Peer) -> Bool {
        !peer.isOwnChild && (peer.user == 0 || peer.user == user || peer.groups.contains(group))
    }
}
