package import VoiceAgent
package import VoiceBase
package import VoiceSession

/// An assistant, with the parts of the daemon made for it.
package struct AssistantSettings: Sendable {
    package var assistant: Assistant
    /// The preferred service and its substitutes, with its voice and instructions.
    package var services: [any VoiceService]
    /// Address and token of its agent.
    package var base: ServerURL
    package var token: Secret?
}

/// An agent in one conversation, for which the daemon has one client.
package struct AgentSettings: Sendable {
    package var name = AgentName()
    package var base: ServerURL
    package var token: Secret?
    package var settings: Configuration.Jarvis
    /// The name of its conversation; empty for the box's own.
    package var session = ""
    /// The file of its conversation in the state folder.
    package var file = "conversation"
    /// The wake words whose assistants use it.
    package var words: [String] = []

    /// nil for an assistant that shares the box's conversation.
    init?(_ own: AssistantSettings) {
        guard let session = own.assistant.session else { return nil }
        self.init(base: own.base, token: own.token, settings: own.assistant.configuration.jarvis)
        (name, self.session) = (AgentName(own.assistant), session)
        (file, words) = ("conversation-" + own.assistant.tag, [own.assistant.word])
    }

    init(base: ServerURL, token: Secret?, settings: Configuration.Jarvis) {
        (self.base, self.token, self.settings) = (base, token, settings)
    }
}

extension DaemonSettings {
    private var ownAgent: AgentSettings {
        var own = AgentSettings(base: jarvisBase, token: jarvisToken, settings: jarvis)
        own.words = assistants.filter { $0.assistant.session == nil }.map(\.assistant.word)
        return own
    }

    /// The agents, the box's own first. Words with the same address, token and name of the conversation share one.
    package var agents: [AgentSettings] {
        assistants.compactMap(AgentSettings.init).reduce(into: [ownAgent]) { all, next in
            let isSame = { (one: AgentSettings) in
                (one.base, one.session) == (next.base, next.session) && one.token == next.token
            }
            if let place = all.firstIndex(where: isSame) { all[place].words += next.words } else { all.append(next) }
        }
    }

    /// The same agent in these settings, which may have a new token; nil if its address, its token file or its conversation has
    /// changed: the client knows the old ones until a restart, and may not send the token there.
    package func renewed(_ agent: AgentSettings) -> AgentSettings? {
        ([ownAgent] + assistants.compactMap(AgentSettings.init)).first {
            ($0.name.table, $0.base, $0.session) == (agent.name.table, agent.base, agent.session)
                && ($0.name.table == nil || $0.settings.tokenFile == agent.settings.tokenFile)
        }
    }
}
