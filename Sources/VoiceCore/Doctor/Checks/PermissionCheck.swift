internal import Glibc
internal import VoiceBase

/// Whether the user of the daemon may open the kernel's sound devices.
enum PermissionCheck {
    /// The relevant properties of a device node.
    struct Node: Sendable, Equatable {
        var path: String
        /// Name of its group, or the number if it has no name.
        var group: String
        var isOpenToGroup: Bool
        var isOpenToUs: Bool
    }

    static func findings(isRoot: Bool) -> [DoctorFinding] {
        [judge(nodes(), isRoot: isRoot)]
    }

    static func judge(_ nodes: [Node], isRoot: Bool) -> DoctorFinding {
        func finding(_ verdict: DoctorFinding.Verdict, _ message: MarkedText, _ advice: MarkedText?) -> DoctorFinding {
            DoctorFinding("sound-permission", verdict, message, advice: advice)
        }
        guard !nodes.isEmpty else {
            return finding(
                .warn, "the kernel has no sound card (/dev/snd is empty)",
                "plug it in; aplay -l and dmesg show whether the kernel sees it"
            )
        }
        // Root's own access says nothing about the service, which has the group audio.
        if isRoot {
            if let strange = nodes.first(where: { $0.group != "audio" || !$0.isOpenToGroup }) {
                return finding(
                    .fail, "group audio, which the service has, may not open \(strange.path)",
                    "run udevadm trigger, or set SupplementaryGroups=\(strange.group) in systemctl edit jarvis-voiced"
                )
            }
            return finding(.ok, "group audio, which the service has, may open \(nodes.count) devices", nil)
        }
        if let closed = nodes.first(where: { !$0.isOpenToUs }) {
            var denied = finding(.fail, "this user may not open \(closed.path)", "sudo adduser USER \(closed.group)")
            denied.asksForGroup = true
            return denied
        }
        return finding(.ok, "this user may open \(nodes.count) devices", nil)
    }

    private static func nodes() -> [Node] {
        let folder = "/dev/snd"
        return Folder.names(in: folder).filter { $0.hasPrefix("pcmC") || $0.hasPrefix("controlC") }.compactMap { name in
            let path = "\(folder)/\(name)"
            var status = stat()
            guard stat(path, &status) == 0 else { return nil }
            return Node(
                path: path, group: groupName(status.st_gid), isOpenToGroup: status.st_mode & 0o060 == 0o060,
                isOpenToUs: access(path, R_OK | W_OK) == 0
            )
        }
    }

    private static func groupName(_ id: gid_t) -> String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 4096) { room in
            var entry = group()
            var found: UnsafeMutablePointer<group>?
            guard let base = room.baseAddress, getgrgid_r(id, &entry, base, room.count, &found) == 0,
                let name = found?.pointee.gr_name
            else { return String(id) }
            return String(cString: name)
        }
    }
}
