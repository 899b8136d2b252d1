internal import VoiceBase
package import VoiceReply

/// The result of a tool. Each service words it: for its model, or for the ear. No service reads anything from the words.
package struct ToolResult: Sendable, Equatable {
    package enum Content: Sendable, Equatable {
        /// Words from outside, of the agent, a title or a server, and the media that the agent named.
        case answer(String, media: OfferedMedia? = nil)
        /// The question or permission that the agent needs from the user, behind words of the daemon.
        case prompt(AgentPrompt, after: String = "")
        /// The completed action, in a fixed sentence of this program.
        case done(String)
        case refusal(Refusal)
        /// Lines from outside.
        case list([String])
        /// Facts for a model, as JSON from outside, such as the state of the player. The user hears the effect, or what the
        /// problem was.
        case data(String, problem: String? = nil)
        /// All of the last answer was read.
        case readToEnd
    }

    package enum Refusal: Sendable, Equatable {
        case noTool(named: String)
        /// The user has not asked for it.
        case unasked
        /// The reason, in a sentence of this program; `quotes` if it contains words from outside.
        case because(String, quotes: Bool = false)
    }

    /// Which part of an answer this is, if the answer is spoken while it is being written.
    package enum Part: Sendable {
        case whole, first, next, last
    }

    package private(set) var content: Content
    /// The content in pieces that are said one after another, and counted when a session is lost: the sentences of an answer,
    /// the lines of a list; anything else is one piece.
    package private(set) var sentences: [String] = []
    package var part = Part.whole
    /// The question, if the conversation has moved on before its answer came.
    package var lateFor: String?
    /// False if the user should not hear of it.
    package var wantsReply: Bool
    /// False if it is certain that the call had no effect. Only then may the same turn lead to another reply to the agent's
    /// prompt.
    package var isCarriedOut: Bool
    /// Whether the beginning was spoken while the call was out; this is only the rest.
    package var continues: Bool
    /// Whether it says that there is no answer.
    package var isFailure: Bool

    /// Longest answer in UTF-8 bytes: far more than anybody listens to, and far less than a connection accepts.
    package static let longest = 16 << 10
    /// Longest part of a question that is repeated with its late answer, in characters.
    private static let longestQuestion = 200

    /// - Parameter content: the text of an answer is cut off after `longest` bytes.
    package init(
        _ content: Content,
        lateFor question: String? = nil,
        wantsReply: Bool = true,
        isCarriedOut: Bool = true,
        continues: Bool = false,
        isFailure: Bool = false
    ) {
        self.content = content
        if case .answer(let text, let media) = content {
            self.content = .answer(text.bounded(toBytes: Self.longest), media: media)
        }
        lateFor = question.map { String($0.prefix(Self.longestQuestion)) }
        self.wantsReply = wantsReply
        self.isCarriedOut = isCarriedOut
        self.continues = continues
        self.isFailure = isFailure
        sentences =
            switch self.content {
            case .answer(let text, _): SpeechParts.split(text).filter(\.isSayable)
            case .list(let lines): lines.filter(\.isSayable)
            default: [forModel]
            }
    }

    /// A refusal that the user does not hear of.
    static func silentRefusal(_ reason: String) -> Self { Self(.refusal(.because(reason)), wantsReply: false) }

    /// The origin of its words.
    package var origin: OutputOrigin {
        switch content {
        case .prompt(let prompt, _): .prompt(prompt.number)
        case .answer, .list, .data, .readToEnd, .refusal(.because(_, quotes: true)): .outside
        case .done, .refusal: .own
        }
    }

    package var prompt: AgentPrompt? { if case .prompt(let prompt, _) = content { prompt } else { nil } }

    package var isEmpty: Bool { content == .answer("") }

    /// Appends the next part of an answer.
    mutating func add(_ part: Self) {
        guard case .answer(let text, _) = content, case .answer(let more, let media) = part.content else { return }
        content = .answer([text, more].filter { !$0.isEmpty }.joined(separator: " "), media: media)
        sentences += part.sentences
    }

    /// The result with only its unsaid sentences.
    func with(unsaid: [String]) -> Self {
        var rest = self
        rest.lateFor = nil
        rest.sentences = unsaid
        switch content {
        case .answer(_, let media): rest.content = .answer(unsaid.joined(separator: " "), media: media)
        case .list: rest.content = .list(unsaid)
        default: break
        }
        return rest
    }

    /// The text for a model that speaks to the user.
    package var forModel: String {
        let opening =
            lateFor.map { "This answers the earlier request \"\($0)\"; say so in a few words first. " } ?? ""
        switch content {
        case .answer(let text, let media):
            let words = opening + text
            guard let media else { return words }
            return words + (words.isEmpty ? "" : "\n\n") + media.listing
        case .prompt(let prompt, let words): return opening + words + prompt.forModel
        case .done(let text), .refusal(.because(let text, _)), .data(let text, _): return opening + text
        case .refusal(.noTool(let name)): return "There is no tool named \(name)."
        case .refusal(.unasked):
            return """
                Not done: only the user can ask for this, in words of his own. Tell the user in one short sentence what you \
                would have done, and do not call a function now.
                """
        case .list(let lines): return lines.joined(separator: "\n")
        case .readToEnd: return "That was all of the answer. Ask Jarvis when the user wants to know more."
        }
    }
}
