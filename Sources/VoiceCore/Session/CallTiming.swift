/// The daemon's own share of a call's time.
package struct CallTiming: Equatable, Sendable {
    package var callID: String
    /// The number of the turn in which the call was made.
    package var turn: Int
    /// From the complete call to the first byte of its request; nil if no request was made.
    package var dispatch: Duration?
    /// From the first byte of the request to the whole reply: the agent's time.
    package var agent: Duration?
    /// From the whole reply to the output on the socket.
    package var delivery: Duration?
}
