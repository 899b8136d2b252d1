internal import Glibc

/// Where the control socket is.
package enum ControlPath {
    package static let name = "control.sock"
    package static let system = "/run/jarvis-voiced/control.sock"

    /// For the daemon: the folder that the service manager has made ($RUNTIME_DIRECTORY), else one of the user's; nil where
    /// there is none.
    package static func daemon(environment: [String: String]) -> String? {
        if let folders = environment["RUNTIME_DIRECTORY"], let first = folders.split(separator: ":").first,
            first.hasPrefix("/")
        {
            return "\(first)/\(name)"
        }
        return users(environment)
    }

    /// For `ctl`: the first that exists is taken.
    package static func candidates(environment: [String: String]) -> [String] {
        if let path = environment["JARVIS_CONTROL_SOCKET"], !path.isEmpty { return [path] }
        return [users(environment), system].compactMap { $0 }
    }

    private static func users(_ environment: [String: String]) -> String? {
        guard let folder = environment["XDG_RUNTIME_DIR"], folder.hasPrefix("/") else { return nil }
        return "\(folder)/jarvis-voiced/\(name)"
    }

    /// Makes the folder of the user's own socket, for the user only.
    package static func makeFolder(of path: String) {
        let folder = String(path.dropLast(name.utf8.count + 1))
        mkdir(folder, 0o700)
    }
}

/// Who may give orders: root, the daemon's own user, and members of the group that owns the socket; none that the daemon
/// has started itself.
///
/// The permissions of the socket say the same; this holds where somebody has loosened them.
package struct ControlAccess: Sendable, Equatable {
    package struct Peer: Sendable, Equatable {
        package var process: Int32
        package var user: UInt32
        /// Primary and supplementary ones.
        package var groups: [UInt32]
        /// The daemon has started it: a decoder or a hook, which read what others sent or stood near it.
        package var isOwnChild: Bool

        package init(process: Int32, user: UInt32, groups: [UInt32], isOwnChild: Bool = false) {
            self.process = process
            self.user = user
            self.groups = groups
            self.isOwnChild = isOwnChild
        }
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
