/// How the stand-in agent treats one request.
package struct AgentBehaviour: Sendable, Equatable {
    /// The result that the client receives.
    package enum Outcome: Sendable, Equatable {
        /// A completed run with this Markdown.
        case reply(String)
        /// A completed run in which the server ran tools: `finish_reason` is `tool_calls`, the answer is complete.
        case replyAfterTools(String)
        /// A completed run without words.
        case emptyReply
        /// An error in the agent's JSON format.
        case status(Int, type: String, message: String)
        /// Any status with any body as text/plain.
        case plain(Int, String)
        /// The session is busy: 409 `conflict_error`.
        case busy
        /// The agent's web page: 200 text/html.
        case html
        /// 307 to this location.
        case redirect(String)
        /// 200 application/json with a body that is not JSON.
        case notJSON
        /// A reply padded to this many bytes.
        case huge(Int)
        /// Never answers.
        case silence
        /// Sends half of the answer and cuts the connection.
        case cutMidBody
        /// Cuts the connection before the first byte.
        case cut
    }

    /// Duration of the run.
    package var delayMilliseconds: Int
    package var outcome: Outcome

    package init(_ outcome: Outcome, delayMilliseconds: Int = 0) {
        self.outcome = outcome
        self.delayMilliseconds = delayMilliseconds
    }
}
