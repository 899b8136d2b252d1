internal import VoiceBase
internal import VoiceReply

/// What a run of the agent waits for: an answer or a permission from the user.
package enum JarvisPrompt: Sendable, Equatable {
    case questions(callID: String, [Question])
    case approval(Approval)

    package struct Question: Sendable, Equatable, Decodable {
        package var header: String?
        package var question: String
        package var options: [Option]?
        package var multi_select: Bool?

        package struct Option: Sendable, Equatable, Decodable {
            package var label: String
            package var description: String?
        }
    }

    package struct Approval: Sendable, Equatable, Decodable {
        package var approval_id: String
        package var title: String?
        /// The command, or the path.
        package var path: String?
        package var command: String?
        /// The folder a command would run in.
        package var work_dir: String?
        package var is_shell: Bool?
        package var is_write: Bool?
        package var is_workspace: Bool?
        package var options: [Option]?
        /// The tool that wants it; nil if the server hides its tools.
        package var tool: String?

        package struct Option: Sendable, Equatable, Decodable {
            package var index: Int
            package var label: String?
            package var description: String?
            package var choice: String?
        }

        private enum CodingKeys: String, CodingKey {
            case approval_id, title, path, command, work_dir, is_shell, is_write, is_workspace, options
        }

        /// The action, as the user is to hear it.
        package var action: String { command ?? path ?? "" }
    }

    /// Longest action that is read aloud, including its folder, in Unicode scalars. No one can follow a longer one by ear.
    static let longestAction = 300
    /// Longest text of questions with their options that is read aloud, in UTF-8 bytes: two minutes of speech.
    static let longestQuestions = 2048
    /// The sentence for the user if the model has answered on the user's behalf.
    static let unheard =
        "Nothing was allowed or answered: the user has to hear what Jarvis wants, and to speak after it."

    var id: String {
        switch self {
        case .questions(let callID, _): callID
        case .approval(let approval): approval.approval_id
        }
    }

    /// False if the user could not decide by ear, or if nothing known can be allowed.
    var isSpeakable: Bool {
        switch self {
        case .questions(_, let questions):
            guard !questions.isEmpty, questions.count <= 4 else { return false }
            return asked(as: 0).forModel.utf8.count <= Self.longestQuestions
        case .approval(let approval):
            let action = approval.action
            let heard = (action + (approval.work_dir ?? "")).unicodeScalars
            guard approval.narrowest != nil, heard.count <= Self.longestAction else { return false }
            return !action.allSatisfy(\.isWhitespace) && heard.allSatisfy(Self.isHeard)
        }
    }

    /// False for characters that can hide text from a listener: controls, direction marks, zero-width characters.
    private static func isHeard(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned: false
        default: true
        }
    }
}

/// The reply to the agent.
package enum JarvisPromptReply: Sendable, Equatable, Encodable {
    case answers(callID: String, [Answer])
    case dismissal(callID: String)
    case choice(approvalID: String, index: Int)
    case denial(approvalID: String)

    package struct Answer: Sendable, Equatable, Encodable {
        var question_index: Int
        var selected: String?
        var selected_list: [String]?
        var is_custom: Bool?
    }

    /// The last part of the route.
    var route: String {
        switch self {
        case .answers, .dismissal: "ask_user"
        case .choice, .denial: "approval"
        }
    }

    private enum CodingKeys: String, CodingKey {
        case call_id
        case approval_id
        case answers
        case choice
        case cancelled
    }

    package func encode(to encoder: any Encoder) throws {
        var box = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .answers(let callID, let answers):
            try box.encode(callID, forKey: .call_id)
            try box.encode(answers, forKey: .answers)
        case .dismissal(let callID):
            try box.encode(callID, forKey: .call_id)
            try box.encode(true, forKey: .cancelled)
        case .choice(let approvalID, let index):
            try box.encode(approvalID, forKey: .approval_id)
            try box.encode(index, forKey: .choice)
        case .denial(let approvalID):
            try box.encode(approvalID, forKey: .approval_id)
            try box.encode(true, forKey: .cancelled)
        }
    }
}

extension JarvisPrompt {
    /// The reply that denies a permission or dismisses the questions.
    var refusal: JarvisPromptReply {
        switch self {
        case .questions(let callID, _): .dismissal(callID: callID)
        case .approval(let approval): .denial(approvalID: approval.approval_id)
        }
    }

    /// Maps the user's words to answers: an option if one is meant, otherwise free text. One answer per question; nil if
    /// there is none for one of them.
    func reply(with words: [String]) -> JarvisPromptReply? {
        guard case .questions(let callID, let questions) = self, words.count >= questions.count else { return nil }
        var answers: [JarvisPromptReply.Answer] = []
        for (index, question) in questions.enumerated() {
            // If there is only one question, all words belong to it.
            let said = questions.count == 1 && words.count > 1 ? words.joined(separator: "; ") : words[index]
            guard let answer = Self.answer(said, to: question, index: index) else { return nil }
            answers.append(answer)
        }
        return .answers(callID: callID, answers)
    }

    private static func answer(_ said: String, to question: Question, index: Int) -> JarvisPromptReply.Answer? {
        let labels = (question.options ?? []).map(\.label)
        if question.multi_select == true {
            let chosen = options(said, of: labels)
            return chosen.isEmpty ? nil : .init(question_index: index, selected_list: chosen)
        }
        if let label = option(said, of: labels) { return .init(question_index: index, selected: label) }
        guard !said.allSatisfy(\.isWhitespace) else { return nil }
        return .init(question_index: index, selected: said, is_custom: true)
    }

    /// The options named, among any other words. None if some are taken back: the server accepts no free text for such a
    /// question, and a guess would be worse than asking again.
    private static func options(_ said: String, of labels: [String]) -> [String] {
        func words(_ text: String) -> [String] {
            text.lowercased().split { !$0.isLetter && !$0.isNumber }.map(String.init)
        }
        let spoken = words(said)
        guard !spoken.contains(where: takingBack.contains) else {
            return said.split(separator: ";").compactMap { option(String($0), of: labels) }
        }
        if !spoken.isEmpty, spoken.allSatisfy(["all", "both", "of", "them", "everything"].contains) { return labels }
        return labels.filter { label in
            let wanted = words(label)
            guard !wanted.isEmpty, wanted.count <= spoken.count else { return false }
            return (0...(spoken.count - wanted.count)).contains { Array(spoken[$0...].prefix(wanted.count)) == wanted }
        }
    }

    /// "Don't" splits into two words here.
    private static let takingBack: Set<String> = [
        "not", "no", "none", "never", "neither", "nor", "except", "without", "but", "t", "dont", "skip", "nicht",
        "nichts",
        "kein", "keine", "keinen", "ohne", "au\u{DF}er", "aber", "nein", "pas", "sans", "sauf", "aucun", "niet", "geen",
        "inte",
        "ikke", "sin", "senza", "non",
    ]

    private static func option(_ said: String, of labels: [String]) -> String? {
        func plain(_ text: String) -> String { text.lowercased().filter { $0.isLetter || $0.isNumber } }
        let wanted = plain(said)
        guard !wanted.isEmpty else { return nil }
        return labels.first { plain($0) == wanted }
    }

    /// Permission for exactly this action, in the narrowest form offered, which is the one that was read aloud. Returns nil
    /// if the action is not the one asked about, or if no known choice is offered. The action may be written as it was read
    /// out, with its quotes and escapes.
    func permission(for command: String) -> JarvisPromptReply? {
        guard case .approval(let approval) = self else { return nil }
        func trimmed(_ text: String) -> [Substring] { text.split(whereSeparator: \.isWhitespace) }
        let action = approval.action
        let quoted = action.quoted
        let forms = [action, quoted, String(quoted.dropFirst().dropLast()), "\"\(action)\""].map(trimmed)
        guard !action.isEmpty, forms.contains(trimmed(command)) else { return nil }
        guard let narrowest = approval.narrowest else { return nil }
        return .choice(approvalID: approval.approval_id, index: narrowest.option.index)
    }
}
