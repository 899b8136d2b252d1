import FoundationEssentials
internal import VoiceNetwork

/// Requests about the conversation and the current run, apart from the questions themselves.
extension JarvisRequest {
    /// Longest time for a question beside the run: the user waits for the answer.
    static let asideLimit = Duration.seconds(8)

    /// A remark for the current run.
    func interrupt(_ remark: String, session: String) -> HTTPRequest {
        struct Body: Encodable {
            let message: String
            let delivery: String
        }
        return control(route(session, "interrupt"), body: Self.json(Body(message: remark, delivery: "steer")))
    }

    /// A question answered while the run continues, and kept out of the history.
    func aside(_ question: String, session: String) -> HTTPRequest {
        let route = "/api/sessions/\(Self.plain(session))/side-question"
        let body = Self.json(["question": question])
        return request(route, body: body, accept: "text/event-stream", limit: Self.asideLimit)
    }

    /// The end of the stored conversation.
    func lastMessages(session: String) -> HTTPRequest {
        control(route(session, "messages"), query: "tail=1&limit=50")
    }

    /// Removes the last turn from the stored conversation, if that has not changed since it was read.
    func undo(session: String, revision: Int, head: Int) -> HTTPRequest {
        let body = Self.json(["expected_rev": revision, "expected_head_id": head])
        return control(route(session, "runtime/undo"), body: body)
    }

    private func route(_ session: String, _ last: String) -> String { "/v1/sessions/\(Self.plain(session))/\(last)" }
}
