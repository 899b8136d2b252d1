internal import VoiceBase

extension ControlLoop {
    /// Somebody who is connected; lives on the loop's thread.
    final class Client {
        let socket: Int32
        let peer: ControlAccess.Peer
        var input = LineBuffer(longest: ControlMessage.longestRequest)
        /// Lines that were no requests.
        var badLines = 0
        private(set) var output: [UInt8] = []
        /// Bytes of `output` that are out.
        private var sent = 0
        /// A request is under way.
        var isBusy = false
        /// It has given an order.
        var isServed = false
        /// It will send no more.
        var hasFinished = false
        /// To be cut off once it has been written to, whether it takes it all or not.
        private(set) var isLeaving = false
        var subscription: DaemonEvents.Subscription?
        var events: Task<Void, Never>?

        init(socket: Int32, peer: ControlAccess.Peer) {
            self.socket = socket
            self.peer = peer
        }

        /// Bytes that wait for it.
        var waiting: Int { output.count - sent }

        var isDone: Bool { isLeaving || hasFinished && !isBusy && waiting == 0 && events == nil }

        func say(_ bytes: [UInt8]) { output += bytes }

        /// Says why and leaves.
        func refuse(_ problem: ControlProblem, id: JSONValue = .null) {
            say(ControlMessage.line(ControlMessage.reply(id: id, .failure(problem))))
            isLeaving = true
        }

        /// Hands what waits to `send`, which says how many bytes it took: 0 or less for none.
        func write(_ send: (UnsafeRawBufferPointer) -> Int) {
            while sent < output.count {
                let count = output.withUnsafeBytes { send(UnsafeRawBufferPointer(rebasing: $0[sent...])) }
                guard count > 0 else { break }
                sent += count
            }
            // Moved only once more is out than is left: each byte once.
            guard sent > waiting else { return }
            output.removeFirst(sent)
            sent = 0
        }
    }
}
