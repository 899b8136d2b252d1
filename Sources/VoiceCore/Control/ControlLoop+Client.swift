extension ControlLoop {
    /// Somebody who is connected.
    struct Client {
        var socket: Int32
        var peer: ControlAccess.Peer
        var input = LineBuffer(longest: ControlMessage.longestRequest)
        var output: [UInt8] = []
        /// A request is under way.
        var isBusy = false
        /// It will send no more.
        var hasFinished = false
        /// To be cut off once its output is out.
        var isLeaving = false
        var subscription: DaemonEvents.Subscription?
        var events: Task<Void, Never>?

        var isDone: Bool { isLeaving && output.isEmpty || hasFinished && !isBusy && output.isEmpty && events == nil }

        /// Says why and leaves.
        mutating func refuse(_ problem: ControlProblem) {
            output += ControlMessage.line(ControlMessage.reply(id: .null, .failure(problem)))
            isLeaving = true
        }
    }
}
