internal import VoiceBase

extension ControlLoop {
    /// A connected client. Confined to the loop's thread.
    final class Client {
        let socket: Int32
        let peer: ControlAccess.Peer
        /// All other places were taken when it connected: it may only send orders.
        let isForOrders: Bool
        private let clean: @Sendable (String) -> String
        var input = LineBuffer(longest: ControlMessage.longestRequest)
        /// Number of lines that were not requests.
        var badLines = 0
        private(set) var output: [UInt8] = []
        /// Number of bytes of `output` already sent.
        private var sent = 0
        /// A request is under way.
        var isBusy = false
        /// Since it connected, or since its latest answer.
        var idleSince: Duration
        /// It has closed its sending side.
        var hasFinished = false
        /// It will be disconnected after the next write, even if that is partial.
        private(set) var isLeaving = false
        var subscription: ControlOutbox.Subscription?
        var events: Task<Void, Never>?
        var feed = StatusFeed()

        /// Bytes that a follower may leave unread before it is sent a new snapshot instead of changes.
        static let room = 64 << 10

        init(
            socket: Int32,
            peer: ControlAccess.Peer,
            isForOrders: Bool,
            clean: @escaping @Sendable (String) -> String,
            at now: Duration
        ) {
            self.socket = socket
            self.peer = peer
            self.isForOrders = isForOrders
            self.clean = clean
            idleSince = now
        }

        /// Number of bytes still to be sent.
        var waiting: Int { output.count - sent }

        /// No request is under way, and it does not follow events.
        var isIdle: Bool { !isBusy && events == nil && !isLeaving }

        var isDone: Bool { isLeaving || hasFinished && !isBusy && waiting == 0 && events == nil }

        /// Every text that a client receives passes here, so no secret leaves by this socket.
        func say(_ message: JSONValue) { output += ControlMessage.line(message.replacingTexts(clean)) }

        /// Sends sound, which has no text.
        func say(line: [UInt8]) { output += line }

        /// Sends the reason and marks the client as leaving.
        func refuse(_ problem: ControlProblem) {
            say(ControlMessage.reply(id: .null, .failure(problem)))
            isLeaving = true
        }

        /// Passes the pending bytes to `send`, which returns the number of bytes it took, or 0 or less if none.
        func write(_ send: (UnsafeRawBufferPointer) -> Int) {
            while sent < output.count {
                let count = output.withUnsafeBytes { send(UnsafeRawBufferPointer(rebasing: $0[sent...])) }
                guard count > 0 else { break }
                sent += count
            }
            // Compact only when more has been sent than remains, so that each byte is moved at most once.
            guard sent > waiting else { return }
            output.removeFirst(sent)
            sent = 0
        }
    }
}
