internal import VoiceBase

/// A container without systemd: its options grant what elsewhere the unit does.
enum Container {
    static let finding = DoctorFinding("container", .ok, "the daemon is in one, without systemd")

    /// Whether podman, docker or another manager made the surroundings of this process.
    static func isAround(environment: [String: String], files: FileReader = .system) -> Bool {
        func exists(_ path: String) -> Bool {
            do { _ = try files.read(path, 65_536) } catch { return error != .absent }
            return true
        }
        func isNamedByFirstProcess() -> Bool {
            let first = (try? files.read("/proc/1/environ", 65_536))?.bytes ?? []
            return first.split(separator: 0).contains { $0.starts(with: "container=".utf8) }
        }
        return environment["container"] != nil || exists("/run/.containerenv") || exists("/.dockerenv")
            || isNamedByFirstProcess()
    }

    /// The finding with advice for a container in place of that for a machine with systemd.
    static func advised(_ finding: DoctorFinding) -> DoctorFinding {
        guard finding.verdict >= .warn else { return finding }
        switch finding.check {
        case "sound-permission" where finding.verdict == .warn:
            return finding.advised("pass the card to the container: --device /dev/snd, or devices in compose.yaml")
        case "real-time": return finding.advised("start the container with --ulimit rtprio=40")
        case "memory-lock": return finding.advised("start the container with --ulimit memlock=-1")
        case "state": return finding.advised("mount a volume there, which the container's user may write")
        case "clock": return finding.advised("set the clock of the host, which is also the container's")
        default:
            guard finding.asksForGroup else { return finding }
            return finding.advised("start the container with --group-add and the card's group: stat -c %g /dev/snd/*")
        }
    }
}
