internal import CLinux
internal import Glibc

/// Sends notices to the service manager: datagrams to $NOTIFY_SOCKET (sd_notify(3)).
///
/// Sending never blocks. A notice that is not accepted is lost; the next one carries the same or newer information.
package final class ServiceManager: Sendable {
    /// The interval in which the watchdog expects a notice; nil if there is no watchdog.
    package let watchdog: Duration?
    private let path: String
    private let socket: Int32

    /// nil if there is no service manager. The path is absolute or abstract ("@name").
    package init?(environment: [String: String], process: Int32 = getpid()) {
        guard let path = environment["NOTIFY_SOCKET"], path.hasPrefix("/") || path.hasPrefix("@") else { return nil }
        socket = clinux_local_datagram()
        guard socket >= 0 else { return nil }
        self.path = path
        watchdog = Self.watchdog(environment: environment, process: process)
    }

    deinit { close(socket) }

    /// Sends several notices in one datagram, so that they take effect together.
    package func send(_ notices: [ServiceNotice]) {
        guard !notices.isEmpty else { return }
        let bytes = Array(notices.map(\.line).joined(separator: "\n").utf8)
        _ = clinux_local_send(socket, path, bytes, bytes.count, -1)
    }

    /// $WATCHDOG_USEC, if it applies to this process (sd_watchdog_enabled(3)).
    static func watchdog(environment: [String: String], process: Int32) -> Duration? {
        if let text = environment["WATCHDOG_PID"], Int32(text) != process { return nil }
        guard let text = environment["WATCHDOG_USEC"], let time = Int64(text), time > 0 else { return nil }
        return .microseconds(time)
    }
}

/// A notice to the service manager (sd_notify(3)).
package enum ServiceNotice: Sendable, Equatable {
    case ready
    /// One line for people, shown by `systemctl status`.
    case status(String)
    case watchdog
    /// The configuration is being reloaded, since this monotonic time; `ready` ends it.
    case reloading(since: Duration)
    case stopping

    /// Maximum length of a status, in bytes.
    static let longestStatus = 512

    /// The assignment, such as "READY=1"; several make one datagram, one per line.
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

    /// Replaces control characters, which could begin another assignment, and bounds the length.
    private static func oneLine(_ text: String) -> String {
        var line = ""
        for scalar in text.unicodeScalars {
            guard line.utf8.count < longestStatus - 4 else { break }
            line.unicodeScalars.append(scalar.value < 0x20 || scalar.value == 0x7F ? " " : scalar)
        }
        return line
    }
}
