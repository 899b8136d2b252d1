internal import VoiceBase
internal import VoiceConversation
internal import VoiceReply

/// Decisions from the user's own words, without the model: orders to the box, and replies to the agent's questions.
///
/// The model has no tools. It may hand an order over, reply to it or ignore it, and what the box does must not depend on
/// that. So the small grammar reads every whole turn once its words have settled, handed over or not.
extension LiveTranslator {
    /// A question of the agent that waits for a reply.
    struct OpenPrompt: Sendable {
        var prompt: AgentPrompt
        var since: Duration
        /// The user was asked for a yes or a no.
        var isRepeated = false
    }

    private enum Order {
        case call(tool: String, arguments: JSONValue)
        /// Ask the user.
        case ask(String)
    }

    /// How long a question waits for a reply.
    private static let promptLimit = Duration.seconds(120)
    /// Silence of the transcript after which a turn's words are complete, if they reach its end give or take `reach` ms.
    private static let settled = Duration.milliseconds(250)
    private static let reach = 500

    /// Carries out the last turn if it is an order or a reply and its words are complete.
    mutating func settleTurn(_ now: Duration) {
        guard user == nil, let turn = lastUser, !turn.isJudged, !turn.text.isEmpty,
            now - turn.heardAt >= Self.settled, turn.wordsEnd >= turn.voiceEnd - Self.reach
        else { return }
        lastUser?.isJudged = true
        guard let order = order(in: turn.text, isSure: turn.isSure, isDelegated: false, now) else { return }
        tellUser(now, isDue: true)
        // A later delegation of the same words has nothing more to carry out.
        delegations.use(from: turn.start - Self.reach)
        perform(order, delegation: nil, now)
    }

    /// Carries out a delegation whose words are an order or a reply.
    ///
    /// - Returns: false if it is a request for the agent.
    mutating func order(_ id: String, _ text: String, _ now: Duration) -> Bool {
        guard let order = order(in: text, isSure: isSurelyWhole(text), isDelegated: true, now) else { return false }
        perform(order, delegation: id, now)
        return true
    }

    /// Whether these words are all of the latest turn, it has ended, and a talker was certainly heard: only then may the words
    /// permit anything. A delegation may hold the beginning of a turn ("Yes, but ..."), or words of an earlier turn.
    private func isSurelyWhole(_ text: String) -> Bool {
        guard let turn = lastUser, turn.isSure, !voice.isSpeaking, turn.wordsEnd >= turn.voiceEnd - Self.reach else {
            return false
        }
        return text.split(whereSeparator: \.isWhitespace) == turn.text.split(whereSeparator: \.isWhitespace)
    }

    private mutating func order(in text: String, isSure: Bool, isDelegated: Bool, _ now: Duration) -> Order? {
        let text = SpokenGrammar.withoutCall(text)
        let command = unsettled?.settled(by: text) ?? SpokenGrammar.command(in: text)
        unsettled = nil
        if let open = prompt, now - open.since <= Self.promptLimit {
            let meaning = open.prompt.meaning(of: text, command, isSure: isSure)
            if case .isUnclear = meaning {
                // The user may be talking to the model about it.
                guard isDelegated else { return nil }
                if !open.isRepeated {
                    prompt?.isRepeated = true
                    return .ask("Please say yes or no.")
                }
            }
            if let reply = meaning.call {
                prompt = nil
                return .call(tool: reply.tool, arguments: reply.arguments)
            }
        }
        if let question = command?.question {
            unsettled = command
            return .ask(question)
        }
        if let order = command?.call { return .call(tool: order.tool, arguments: order.arguments) }
        // The model repeats and continues on its own; the rest of a long answer is here.
        return command == .more && isDelegated ? .call(tool: "continue_reading", arguments: [:]) : nil
    }

    private mutating func perform(_ order: Order, delegation: String?, _ now: Duration) {
        switch order {
        case .call(let tool, let arguments):
            let id = delegation ?? name("order")
            if delegation == nil { own(id) }
            act(id, tool, arguments)
        case .ask(let question):
            leaveSpeech()
            if let delegation { _ = delegations.close(delegation) }
            say("Say exactly this: \(question)", delegation: delegation, now)
        }
    }

    /// Words to be said for the output of a call; empty if there is nothing to say. The box's own actions are worded for the ear.
    mutating func words(_ output: ToolResult, _ now: Duration) -> String {
        switch output.content {
        case .answer, .prompt, .refusal(.unasked), .readToEnd: put(output, now)
        case .done, .refusal, .list, .data: output.aloud
        }
    }

    /// A prompt of the agent in exact words for the user; anything else in words for the model.
    mutating func put(_ output: ToolResult, _ now: Duration) -> String {
        guard let asked = output.prompt else { return output.forModel }
        prompt = OpenPrompt(prompt: asked, since: now)
        return "Say exactly this: " + output.aloud
    }
}
