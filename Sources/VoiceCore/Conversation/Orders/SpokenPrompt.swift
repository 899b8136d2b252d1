package import VoiceBase
package import VoiceReply

/// The agent's questions for services whose model has no tools: how they are put to the user, and what a spoken reply
/// means. Pure.
extension AgentPrompt {
    /// The meaning of a reply.
    package enum Meaning: Equatable, Sendable {
        case answers(String)
        case dismisses
        case allows(String)
        case denies(String)
        /// Neither a clear yes nor a no.
        case isUnclear(String)
        /// The text is not a reply: the user has something else in mind.
        case other
    }

    /// The question in words for the user.
    fileprivate var aloud: String {
        switch kind {
        case .question: return "Jarvis asks: " + facts.joined(separator: " ")
        case .permission:
            let put = facts.map { $0.last.map { ".!?".contains($0) } ?? true ? $0 : $0 + "." }
            return "Jarvis asks for permission to \(put.joined(separator: " ")) Shall it? Say yes or no."
        }
    }

    private static let yes: Set<String> = [
        "yes", "yeah", "yep", "sure", "allow", "okay", "ok", "please", "do", "it", "that", "go", "ahead", "fine", "is",
    ]
    private static let clear: Set<String> = ["yes", "yeah", "yep", "sure", "allow", "ahead"]
    private static let no: Set<String> = ["no", "nope", "don't", "not", "never", "deny", "stop", "cancel"]

    /// - Parameters:
    ///   - text: the whole turn, as it was recognised.
    ///   - command: the command that the small grammar finds in it.
    ///   - isSure: false if the turn may have been noise: it allows nothing.
    package func meaning(of text: String, _ command: SpokenCommand?, isSure: Bool) -> Meaning {
        // "Again" repeats the question.
        if command == .again { return .other }
        switch kind {
        case .question:
            if command == .stop { return .dismisses }
            return command == nil ? .answers(text) : .other
        case .permission(let action):
            let words = LocalTurn.words(text)
            if words.contains(where: Self.no.contains) { return .denies(action) }
            let isYes = words.contains(where: Self.clear.contains) && words.allSatisfy(Self.yes.contains)
            return isYes && isSure ? .allows(action) : .isUnclear(action)
        }
    }
}

extension AgentPrompt.Meaning {
    /// The call that carries the reply; nil for none. An unclear reply is a no.
    package var call: (tool: String, arguments: JSONValue)? {
        switch self {
        case .answers(let text): ("answer_question", ["answers": .array([.string(text)])])
        case .dismisses: ("answer_question", ["dismiss": true])
        case .allows(let action): ("approve", ["command": .string(action), "allow": true])
        case .denies(let action), .isUnclear(let action): ("approve", ["command": .string(action), "allow": false])
        case .other: nil
        }
    }
}

extension SpokenCommand {
    /// The tool that carries out the command, if a tool does.
    package var call: (tool: String, arguments: JSONValue)? {
        switch self {
        case .stop: ("stop_talking", [:])
        case .pause: ("pause_playback", [:])
        case .resume: ("resume_playback", [:])
        case .next: ("skip_track", [:])
        case .previous: ("previous_track", [:])
        case .changeVolume(by: let percent): ("change_volume", ["by": .integer(percent)])
        case .volume(to: let percent): ("change_volume", ["to": .integer(percent)])
        case .time: ("tell_time", [:])
        case .date: ("tell_time", ["date": true])
        case .set(let wishes):
            ("set_timer", wishes.count == 1 ? Self.set(wishes[0]) : ["timers": .array(wishes.map(Self.set))])
        case .listTimers: ("list_timers", [:])
        case .cancelTimer(let choice): ("cancel_timer", .object(Self.chosen(choice)))
        case .changeTimer(let choice, let change):
            ("change_timer", .object(Self.chosen(choice).merging(Self.changed(change)) { $1 }))
        case .mute: ("mute_microphone", [:])
        case .again, .more, .help: nil
        }
    }

    /// The question to ask first: neither morning nor evening was stated.
    package var question: String? {
        guard case .set(let wishes) = self, let open = wishes.first(where: \.when.isEither),
            case .at(let minute, _, _, _) = open.when
        else { return nil }
        return "\(SpokenGrammar.spoken(minute)) in the morning, or in the evening?"
    }

    /// The command once its question has this reply; nil if it is not a reply.
    package func settled(by reply: String) -> SpokenCommand? {
        guard case .set(let wishes) = self else { return nil }
        return SpokenGrammar.settle(wishes, by: reply).map { .set($0) }
    }

    private static func set(_ wish: TimerWish) -> JSONValue {
        var arguments: [String: JSONValue] = ["at": .string(wish.when.text)]
        if case .after(let seconds) = wish.when { arguments = ["seconds": .integer(seconds)] }
        if !wish.name.isEmpty { arguments["name"] = .string(wish.name) }
        if wish.isReminder { arguments["remind"] = true }
        return .object(arguments)
    }

    private static func chosen(_ choice: TimerChoice) -> [String: JSONValue] {
        let kind: [String: JSONValue] = ["kind": .string(choice.kind.rawValue)]
        return switch choice.which {
        case .obvious: kind
        case .all: kind.merging(["which": "all"]) { $1 }
        case .named(let name): kind.merging(["which": .string(name)]) { $1 }
        }
    }

    private static func changed(_ change: TimerChange) -> [String: JSONValue] {
        switch change {
        case .add(let seconds): ["change": "add", "seconds": .integer(seconds)]
        case .pause: ["change": "pause"]
        case .resume: ["change": "resume"]
        case .snooze(let seconds): ["change": "snooze", "seconds": .integer(seconds)]
        }
    }
}

extension ToolResult {
    /// The words for the user in a voice without a model; empty if the user hears the effect itself.
    package var aloud: String { [opening, words].filter { !$0.isEmpty }.joined(separator: " ") }

    /// The opening of a late answer.
    package var opening: String { lateFor.map { "About what you asked before: \($0)" } ?? "" }

    package var words: String {
        switch content {
        case .answer(let text, _), .done(let text), .refusal(.because(let text, _)): text
        case .prompt(let prompt, let words): words + prompt.aloud
        case .refusal(.noTool): "This box cannot do that."
        case .refusal(.unasked): "That is only done when you ask for it yourself."
        case .list(let lines): lines.joined(separator: ". ")
        case .data(_, let problem): problem.map { "That does not play: \($0)." } ?? ""
        case .readToEnd: "That was all of it."
        }
    }
}
