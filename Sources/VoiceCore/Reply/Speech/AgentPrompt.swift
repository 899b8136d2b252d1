/// The agent's request to the user before it can continue: the answer to a question, or a permission.
package struct AgentPrompt: Sendable, Equatable {
    package enum Kind: Sendable, Equatable {
        case question
        /// - action: as the reply has to name it.
        case permission(action: String)
    }

    /// The number under which the agent waits for the reply.
    package var number: Int
    package var kind: Kind
    /// The facts for the user's decision: the question with its options, or what is to be allowed, where, and how far a yes
    /// reaches. The agent's own words are quoted in it, so that none of them can pass for words of the daemon.
    package var facts: [String]
    /// Length of the part the user has to hear, in Unicode scalars.
    package var characters: Int

    package init(number: Int, kind: Kind, facts: [String], characters: Int = 0) {
        self.number = number
        self.kind = kind
        self.facts = facts
        self.characters = characters
    }

    /// The text for a speaking model to pass on.
    package var forModel: String {
        switch kind {
        case .question:
            "Jarvis asks the user: \(facts.joined(separator: " ")) "
                + "Put this to the user, then call answer_question with what the user says."
        case .permission:
            """
            Jarvis asks for permission to \(facts.joined(separator: "\n"))
            Tell the user exactly that, leaving nothing out, and ask for a yes or a no, then call approve with it. Without a \
            clear yes it is a no.
            """
        }
    }
}
