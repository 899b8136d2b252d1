internal import VoiceBase

/// A step of opening a connection that was not done in time.
package struct ConnectionTimeout: Equatable, Sendable, CustomStringConvertible {
    /// The steps from nothing to a connection that has proved itself, in their order.
    package enum Step: Int, Comparable, CaseIterable, Sendable {
        /// DNS.
        case resolving
        /// TCP, to the server or a proxy.
        case connecting
        /// TLS, and the way through a proxy.
        case securing
        /// The request for a WebSocket is sent, no byte of a reply is here.
        case asking
        /// The reply has begun.
        case upgrading
        /// The WebSocket is open, no message has come.
        case listening
        case done

        package static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
    }

    package var host: String
    package var step: Step
    /// What the step was allowed, or all of them together.
    package var limit: Duration
    /// Whether all steps together took too long.
    package var isWhole = false

    package init(host: String, step: Step, limit: Duration, isWhole: Bool = false) {
        self.host = host
        self.step = step
        self.limit = limit
        self.isWhole = isWhole
    }

    package var description: String {
        let missing =
            switch step {
            case .resolving: "no answer from the name server"
            case .connecting: "no TCP connection"
            case .securing: "no end of the TLS handshake"
            case .asking: "connected, but no HTTP answer"
            case .upgrading: "connected, but no whole HTTP answer"
            case .listening, .done: "connected, but no event"
            }
        return "\(host): \(missing) within \(limit.inSeconds)\(isWhole ? " in all" : "")"
    }
}
