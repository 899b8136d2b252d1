internal import VoiceBase

extension JarvisPrompt {
    /// The text for the speaking model to pass on: everything the user must know to decide. The agent's own words are
    /// quoted, so that none of them can pass for a sentence of the daemon.
    package var spoken: String {
        switch self {
        case .questions(_, let questions): Self.spoken(questions)
        case .approval(let approval): Self.spoken(approval)
        }
    }

    /// The part the user cannot do without: the action and where it happens, or the questions without their options.
    var essence: String {
        switch self {
        case .questions(_, let questions): questions.map(\.question).joined(separator: " ")
        case .approval(let approval):
            approval.action + (approval.is_shell == true ? approval.work_dir ?? "" : "")
        }
    }

    private static func spoken(_ questions: [Question]) -> String {
        let texts = questions.map { question in
            let options = (question.options ?? []).prefix(8).map(\.label.quoted)
            guard !options.isEmpty else { return question.question.quoted }
            let several = question.multi_select == true ? " Several may be chosen." : ""
            return "\(question.question.quoted) The options are: \(options.joined(separator: "; ")).\(several)"
        }
        return "Jarvis asks the user: \(texts.joined(separator: " And: ")) "
            + "Put this to the user, then call answer_question with what the user says."
    }

    private static func spoken(_ approval: Approval) -> String {
        var lines = ["Jarvis asks for permission to \(approval.request)"]
        if approval.is_shell == true, let folder = approval.work_dir, !folder.isEmpty {
            lines.append("It would run in the folder \(folder.quoted)")
        }
        if let reach = approval.reach { lines.append(reach) }
        lines.append(
            "Tell the user exactly that, leaving nothing out, and ask for a yes or a no, then call approve with it. "
                + "Without a clear yes it is a no."
        )
        return lines.joined(separator: "\n")
    }
}
