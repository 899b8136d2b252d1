package import VoiceBase

/// By what name the user knows an agent, and where its keys are: for messages, which are written for Jarvis.
package struct AgentName: Sendable, Equatable {
    package var name = "Jarvis"
    /// The table of the wake word that leads to it: "words.okay_nabu"; nil for [jarvis].
    package var table: String?

    package init() {}

    package init(_ assistant: Assistant) { (name, table) = (assistant.name, assistant.table) }

    /// A message about this agent, from one about Jarvis.
    package func told(_ message: String) -> String {
        guard let table else { return message }
        return ["url", "token_file"].reduce(message.replacing("Jarvis", with: name)) {
            $0.replacing("jarvis.\($1)", with: "\(table).\($1)")
        }
    }
}
