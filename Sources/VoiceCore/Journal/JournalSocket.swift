internal import CLinux
internal import Glibc

/// The journal's socket: one datagram per entry, a sealed file in memory for one that is too large.
///
/// Nobody waits for the journal longer than 50 ms; what it does not take then is lost to it.
package final class JournalSocket: Sendable {
    private static let path = "/run/systemd/journal/socket"
    private static let attempts = 5

    private let socket: Int32
    private let path: String

    /// Nil where there is no journal.
    package init?(path: String = JournalSocket.path) {
        guard access(path, W_OK) == 0 else { return nil }
        socket = clinux_local_datagram()
        self.path = path
        if socket < 0 { return nil }
    }

    deinit { close(socket) }

    /// Sends an entry; false where the journal did not take it.
    package func send(_ entry: JournalEntry) -> Bool {
        let bytes = entry.bytes
        for attempt in 1...Self.attempts {
            switch clinux_local_send(socket, path, bytes, bytes.count, -1) {
            case 0: return true
            case EMSGSIZE, ENOBUFS: return sendLarge(bytes)
            // It is being restarted, or has more to do than it can.
            case EAGAIN, ECONNREFUSED, ENOENT: if attempt < Self.attempts { usleep(10_000) }
            default: return false
            }
        }
        return false
    }

    private func sendLarge(_ bytes: [UInt8]) -> Bool {
        let memory = clinux_sealed_memory("jarvis-journal", bytes, bytes.count)
        guard memory >= 0 else { return false }
        defer { close(memory) }
        return clinux_local_send(socket, path, nil, 0, memory) == 0
    }
}
