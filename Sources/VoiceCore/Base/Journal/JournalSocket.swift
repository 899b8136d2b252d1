internal import CLinux
internal import Glibc

/// The journal's socket: one datagram per entry, or a sealed memory file for an entry that is too large. Never blocks.
package final class JournalSocket: Sendable {
    package enum Outcome: Sendable {
        case taken
        /// The journal is overloaded.
        case busy
        /// The journal does not listen: it may be restarting.
        case away
        /// The journal will never accept this entry.
        case refused
    }

    private static let path = "/run/systemd/journal/socket"

    private let socket: Int32
    private let path: String

    /// nil if there is no journal.
    package init?(path: String = JournalSocket.path) {
        guard access(path, W_OK) == 0 else { return nil }
        socket = clinux_local_datagram()
        self.path = path
        if socket < 0 { return nil }
    }

    deinit { close(socket) }

    /// Sends an entry.
    package func send(_ entry: JournalEntry) -> Outcome {
        let bytes = entry.bytes
        let errno = clinux_local_send(socket, path, bytes, bytes.count, -1)
        return errno == EMSGSIZE || errno == ENOBUFS ? sendLarge(bytes) : Self.outcome(errno)
    }

    private func sendLarge(_ bytes: [UInt8]) -> Outcome {
        let memory = clinux_sealed_memory("jarvis-journal", bytes, bytes.count)
        guard memory >= 0 else { return .refused }
        defer { close(memory) }
        return Self.outcome(clinux_local_send(socket, path, nil, 0, memory))
    }

    private static func outcome(_ errno: Int32) -> Outcome {
        switch errno {
        case 0: .taken
        case EAGAIN, ETOOMANYREFS: .busy
        case ECONNREFUSED, ENOENT: .away
        default: .refused
        }
    }
}
