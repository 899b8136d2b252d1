/// Something of a stream that was lost, summed up for one line of the log.
package enum StreamLoss: Equatable, Sendable {
    /// Microphone audio that the uplink did not take in time.
    case microphone(milliseconds: Int)
    /// Speech that found no room in the playout queue.
    case voice(milliseconds: Int)
    /// Messages of the service that could not be read.
    case messages(Int)
}
