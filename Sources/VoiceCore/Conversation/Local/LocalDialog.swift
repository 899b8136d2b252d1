internal import VoiceBase
internal import VoiceReply

/// How the local voice understands the user, in place of a model: a sentence is an order, a reply to an open question,
/// or a question for the agent. Keeps the things that the next sentence may refer to.
struct LocalDialog: Sendable {
    /// The consequence of a sentence of the user.
    enum Move: Equatable {
        case nothing
        /// - reminds: whether the text only reminds the user of the agent's open question.
        case say(String, reminds: Bool = false)
        /// The last answer, once more.
        case again
        /// The rest of the last answer.
        case more
        case call(tool: String, arguments: JSONValue)
    }

    /// Whether this is the name of a known station.
    private let knowsStation: @Sendable (String) -> Bool
    /// The question of the agent, until the user's next turn.
    private var prompt: AgentPrompt?
    private var isPromptRepeated = false
    /// The order whose question, morning or evening, is open until the user's next turn.
    private var unsettled: SpokenCommand?
    /// The words that led to the last `ask_jarvis` call.
    private var words: [String] = []
    /// Whether they were a question.
    private var isQuestion = false
    /// Handles of the media named in an answer.
    private var offered: [String] = []
    /// The announcement of the house since the user's last words.
    private var announced: String?

    init(knowsStation: @escaping @Sendable (String) -> Bool) { self.knowsStation = knowsStation }

    private static let help = """
        I can tell the time and the date, set timers, alarms and reminders, and change the volume. Music you can pause, resume and skip. \
        Say stop to silence me, again to hear it once more, and go on for the rest. Everything else I pass on to Jarvis.
        """
    private static let howToPlay = "To hear it, say: play it."

    // MARK: The user

    /// - Parameters:
    ///   - isSure: false if it may have been noise, so that it must not approve anything.
    ///   - cut: the sentence at which the user interrupted the last answer, if it still waits to be continued.
    mutating func move(for text: String, isSure: Bool, cut: String?) -> Move {
        let text = SpokenGrammar.withoutCall(text)
        let words = LocalTurn.words(text)
        guard !words.isEmpty else { return .nothing }
        defer { announced = nil }
        if let settled = unsettled?.settled(by: text) { return obey(settled) }
        unsettled = nil
        let command = SpokenGrammar.command(in: text)
        if let move = replyToPrompt(text, command, isSure: isSure) { return move }
        if let command { return obey(command) }
        if let what = play(words) { return .call(tool: "play_audio", arguments: ["what": what]) }
        return ask(text, words, cut: cut)
    }

    private mutating func obey(_ command: SpokenCommand) -> Move {
        unsettled = nil
        if let question = command.question {
            unsettled = command
            return .say(question)
        }
        switch command {
        case .again: return .again
        case .more: return .more
        case .help: return .say(Self.help)
        default: return command.call.map { .call(tool: $0.tool, arguments: $0.arguments) } ?? .nothing
        }
    }

    /// nil if nothing was asked, or the user turned to something else.
    private mutating func replyToPrompt(_ text: String, _ command: SpokenCommand?, isSure: Bool) -> Move? {
        guard let meaning = prompt?.meaning(of: text, command, isSure: isSure) else { return nil }
        if case .isUnclear = meaning, !isPromptRepeated {
            isPromptRepeated = true
            return .say("Please say yes or no.", reminds: true)
        }
        guard let reply = meaning.call else { return nil }
        prompt = nil
        return .call(tool: reply.tool, arguments: reply.arguments)
    }

    /// Not every recogniser writes question marks.
    private static let interrogatives: Set<String> = [
        "what", "what's", "which", "who", "who's", "when", "where", "why", "how", "is", "are", "was", "were", "do",
        "does", "did", "has", "have",
    ]

    private mutating func ask(_ text: String, _ words: [String], cut: String?) -> Move {
        self.words = words
        isQuestion = text.contains("?") || words.first.map(Self.interrogatives.contains) ?? false
        var query = text
        if let cut { query += "\n(The user interrupted the last answer at: \"\(cut.prefix(200))\")" }
        // The user's words may answer the announcement, which the agent does not know.
        if let announced { query += "\n(This box has just announced for the house: \(announced.quoted))" }
        offered = []
        return .call(tool: "ask_jarvis", arguments: ["query": .string(query)])
    }

    /// What to play: a known station, or the media named in the last answer.
    private func play(_ words: [String]) -> JSONValue? {
        let orders: [[String]] = [["play"], ["put", "on"], ["listen", "to"], ["turn", "on"]]
        guard let order = orders.first(where: { words.starts(with: $0) }), words.count <= 8 else { return nil }
        var left = words.dropFirst(order.count)
        if left.first == "the" { left = left.dropFirst() }
        let name = left.joined(separator: " ")
        if !offered.isEmpty, ["it", "that", "this", "them", "first", "first one"].contains(name) {
            let isOne = name.hasPrefix("first")
            return .array((isOne ? Array(offered.prefix(1)) : offered).map { .string($0) })
        }
        guard !name.isEmpty, knowsStation(name) else { return nil }
        return .string(name)
    }

    // MARK: The box

    mutating func houseAnnounced(_ text: String) { announced = text }

    /// The sequel of an output.
    enum Sequel: Equatable {
        case nothing
        /// Arguments of the call that plays the media named in the output.
        case play(JSONValue)
        case say(String)
    }

    /// Keeps the question or the offer in an output for the user's reply. Media that the agent names is played, in
    /// whatever language the user asked for it; after a question, the user is told how to hear it.
    mutating func received(_ output: ToolResult) -> Sequel {
        switch output.content {
        case .prompt(let asked, _):
            (prompt, isPromptRepeated) = (asked, false)
            return .nothing
        case .answer(_, let media?) where !media.handles.isEmpty:
            offered = media.handles
            let isWanted = !isQuestion || !Set(words).isDisjoint(with: Self.playing)
            return isWanted ? .play(["what": .array(offered.map { .string($0) })]) : .say(Self.howToPlay)
        default: return .nothing
        }
    }

    private static let playing: Set<String> = ["play", "listen", "put", "music", "radio", "podcast", "hear"]
}
