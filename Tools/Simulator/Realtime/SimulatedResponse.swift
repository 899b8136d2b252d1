/// A response in progress.
struct SimulatedResponse: Sendable {
    /// One piece of the response.
    enum Step: Sendable {
        case openMessage
        /// Words and the audio of one delta.
        case speak(words: String, audio: [Int16])
        case closeMessage
        case call(tool: String, arguments: SimulatedJSON)
        case failed(code: String, message: String)
        /// The end of a response that reached a limit.
        case incomplete(reason: String)
        /// The end of a response that was stopped.
        case cancelled(reason: String)
    }

    /// The message being spoken.
    struct Message: Sendable {
        var id: String
        var index: Int
        var transcript = ""
    }

    var serial: Int
    var id: String
    var metadata: SimulatedJSON
    /// The remaining steps, in reverse order.
    var steps: [Step]
    var message: Message?
    var output: [SimulatedJSON] = []
    var failure: (code: String, message: String)?
    var audioMilliseconds = 0
    var words = 0
}
