package import VoiceBase

/// An agent's name and its table in the configuration: adapts messages, which are written for Jarvis.
package struct AgentName: Sendable, Equatable {
    package var name = "Jarvis"
    /// The table of the wake word that calls this agent: "words.okay_nabu"; nil for [jarvis].
    package var table: String?

    package init() {}

    package init(_ assistant: Assistant) { (name, table) = (assistant.name, assistant.table) }

    /// Adapts a message about Jarvis to this agent.
    package func told(_ message: String) -> String {
        guard let table else { return message }
        return ["url", "token_file"].reduce(message.replacing("Jarvis", with: name)) {
            $0.replacing("jarvis.\($1)", with: "\(table).\($1)")
        }
    }
}
