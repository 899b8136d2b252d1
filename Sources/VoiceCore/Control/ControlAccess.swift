internal import Glibc

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
