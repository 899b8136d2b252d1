internal import VoiceBase

/// A step of opening a connection that exceeded its time limit.
package struct ConnectionTimeout: Equatable, Sendable, CustomStringConvertible {
    /// The steps from nothing to a connection that has proved itself, in order.
    package enum Step: Int, Comparable, CaseIterable, Sendable {
        /// DNS.
        case resolving
        /// TCP, to the server or a proxy.
        case connecting
        /// TLS, and the tunnel through a proxy.
        case securing
        /// The WebSocket request is sent; no byte of a reply has arrived.
        case asking
        /// The reply has begun.
        case upgrading
        /// The WebSocket is open; no message has arrived.
        case listening
        case done

        package static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
    }

    package var host: String
    package var step: Step
    /// The limit of the step, or of all steps together.
    package var limit: Duration
    /// Whether all steps together took too long.
    package var isWhole = false

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
