internal import VoiceBase
internal import VoiceReply

extension JarvisPrompt {
    /// The prompt as it is put to the user.
    func asked(as number: Int) -> AgentPrompt {
        let (kind, facts, essence) =
            switch self {
            // The user needs the questions, but not their options.
            case .questions(_, let questions):
                (AgentPrompt.Kind.question, [Self.facts(questions)], questions.map(\.question).joined(separator: " "))
            case .approval(let approval):
                (
                    .permission(action: approval.action), Self.facts(approval),
                    approval.action + (approval.is_shell == true ? approval.work_dir ?? "" : "")
                )
            }
        return AgentPrompt(number: number, kind: kind, facts: facts, characters: essence.unicodeScalars.count)
    }

    private static func facts(_ questions: [Question]) -> String {
        let texts = questions.map { question in
            let options = (question.options ?? []).prefix(8).map(\.label.quoted)
            guard !options.isEmpty else { return question.question.quoted }
            let several = question.multi_select == true ? " Several may be chosen." : ""
            return "\(question.question.quoted) The options are: \(options.joined(separator: "; ")).\(several)"
        }
        return texts.joined(separator: " And: ")
    }

    private static func facts(_ approval: Approval) -> [String] {
        var facts = [approval.request]
        if approval.is_shell == true, let folder = approval.work_dir, !folder.isEmpty {
            facts.append("It would run in the folder \(folder.quoted)")
        }
        if let reach = approval.reach { facts.append(reach) }
        return facts
    }
}
