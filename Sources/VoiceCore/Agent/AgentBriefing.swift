internal import VoiceBase
internal import VoiceNetwork

/// Tells the agent about its voice: that it is heard, not read, and that media can be played here.
///
/// An agent that uses docs/examples/agent-prompt.txt begins its first answer with `mark`. Any other agent gets `preamble`
/// with the first question of each conversation.
package enum AgentBriefing {
    /// Opens a first answer to show that the agent has the prompt. A comment, so that no screen shows it and no one hears
    /// it.
    package static let mark = "<!-- voice -->"
    /// Shows the same in `capabilities` of the health answer.
    package static let capability = "voice-box"

    package static let preamble = """
        (A voice box passes this on: it was heard by a microphone, your answers are read aloud. Plain spoken sentences, \
        under 100 words, no Markdown, no tables. The box plays music, radio and podcasts: to have something played, add \
        {"type":"radio, podcast or track","title":"...","url":"https://...","reason":"..."}.)
        """

    /// Splits an answer into its words and whether it had the mark.
    static func read(_ answer: String) -> (words: String, hasMark: Bool) {
        guard answer.contains(mark) else { return (answer, false) }
        return (answer.replacing(mark, with: ""), true)
    }

    private static let naming = "(The box that passes this on is called \""

    /// Whether a question was sent with the preamble, or with the name of the box.
    static func isIn(_ question: String) -> Bool { question.hasPrefix(preamble) || question.hasPrefix(naming) }

    /// The question in the form in which it is sent.
    ///
    /// - Parameter box: the name of the box, which is told with the first question; nil to leave it out.
    static func question(_ query: String, preamble: Bool, box: String? = nil) -> String {
        let name = box.map { naming + $0.replacing("\"", with: "'") + "\".)" }
        return ([preamble ? Self.preamble : nil, name].compactMap { $0 } + [query]).joined(separator: "\n\n")
    }
}

/// Reads the answer to a question asked beside the run: a stream of pieces, with the whole answer at its end.
enum JarvisAside {
    /// Returns the answer; nil if the server has no such route or did not answer.
    static func text(_ result: JarvisResponse) -> String? {
        guard case .success(let response) = result, response.status == 200, response.mediaType == "text/event-stream"
        else { return nil }
        var parser = ServerSentEventParser()
        guard let events = try? parser.feed(response.body) else { return nil }
        var pieces = ""
        for event in events {
            let bytes = event.data.utf8
            guard let part = OutsideJSON.decode(Part.self, from: bytes, atMost: JarvisRequest.maximumReplyBytes) else {
                continue
            }
            if let whole = part.result?.response { return whole }
            if part.type == "text_delta" { pieces += part.text ?? "" }
        }
        return pieces.allSatisfy(\.isWhitespace) ? nil : pieces
    }

    private struct Part: Decodable {
        let type: String?
        let text: String?
        let result: Whole?

        struct Whole: Decodable {
            let response: String?
        }
    }
}
