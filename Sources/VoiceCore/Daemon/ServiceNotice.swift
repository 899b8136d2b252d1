/// What the service manager is told (sd_notify(3)).
package enum ServiceNotice: Sendable, Equatable {
    case ready
    /// One line for people, shown by `systemctl status`.
    case status(String)
    case watchdog
    /// The configuration is being read again, since this monotonic time; `ready` ends it.
    case reloading(since: Duration)
    case stopping

    /// Longest line of a status, in bytes.
    static let longestStatus = 512

    /// "READY=1" and the like; several make one datagram, a line each.
    package var line: String {
        switch self {
        case .ready: "READY=1"
        case .status(let text): "STATUS=" + Self.oneLine(text)
        case .watchdog: "WATCHDOG=1"
        case .reloading(let since):
            "RELOADING=1\nMONOTONIC_USEC="
                + "\(since.components.seconds * 1_000_000 + since.components.attoseconds / 1_000_000_000_000)"
        case .stopping: "STOPPING=1"
        }
    }

    /// Without what would begin another assignment, and not endless.
    private static func oneLine(_ text: String) -> String {
        var line = ""
        for scalar in text.unicodeScalars {
            guard line.utf8.count < longestStatus - 4 else { break }
            line.unicodeScalars.append(scalar.value < 0x20 || scalar.value == 0x7F ? " " : scalar)
        }
        return line
    }
}
