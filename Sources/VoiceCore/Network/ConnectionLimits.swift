/// How long the steps of opening a connection may take.
package struct ConnectionLimits: Equatable, Sendable {
    /// From the start to the open WebSocket.
    package var whole: Duration
    /// DNS, TLS, the first byte of the HTTP answer and the rest of it: each.
    package var step: Duration
    /// TCP alone.
    package var tcp: Duration
    /// From the open WebSocket to the first message; nil where the server need not say anything.
    package var firstMessage: Duration?

    /// Parts in fixed proportion: half of the whole for a step.
    ///
    /// Three quarters for TCP: where a name has several addresses, libcurl gives the first half of the time, and the
    /// next should get its chance.
    package init(whole: Duration = .seconds(10), firstMessage: Duration? = nil) {
        self.whole = whole
        self.firstMessage = firstMessage
        step = whole / 2
        tcp = whole * 3 / 4
    }

    func limit(of step: ConnectionTimeout.Step) -> Duration? {
        switch step {
        case .resolving, .securing, .asking, .upgrading: self.step
        case .connecting: tcp
        case .listening: firstMessage
        case .done: nil
        }
    }
}
