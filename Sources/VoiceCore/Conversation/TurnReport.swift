/// The stages of one turn, each in time since the end of the user's speech as the server told it.
package struct TurnReport: Equatable, Sendable {
    package var number: Int
    package var calls = 0
    package var interrupted = false
    /// First byte of the first call's request.
    package var dispatched: Duration?
    /// The last call's answer came in.
    package var answered: Duration?
    /// First sample of the acknowledgement at the loudspeaker, where there was one.
    package var acknowledged: Duration?
    /// First audio of the answer came in.
    package var firstDelta: Duration?
    /// First sample of the answer at the loudspeaker: what the user waits for.
    package var firstSample: Duration?

    package init(number: Int) {
        self.number = number
    }
}
