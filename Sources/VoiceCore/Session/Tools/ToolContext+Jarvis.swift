package import Logging
package import VoiceActivation
package import VoiceAgent
package import VoiceBase
package import VoiceConversation

extension ToolContext {
    /// Makes tools that use this agent.
    package init(_ client: JarvisClient, _ settings: Configuration.Jarvis, logger: Logger) {
        self.init(Agents(client), settings, logger: logger)
    }

    /// Makes tools that use the agent of the open conversation.
    package init(_ agents: Agents, _ settings: Configuration.Jarvis, logger: Logger) {
        self.init(logger: logger)
        ask = { await agents.ask($0, $1, inParts: $2) }
        answer = { await agents.owner(ofPrompt: $1).answer($0, heard: $1, inParts: $2) }
        approve = { await agents.owner(ofPrompt: $2).approve($0, $1, heard: $2, inParts: $3) }
        add = { await agents.present.add($0) }
        progress = { await agents.present.progress() }
        activity = { agents.present.activity }
        forgetLast = { await agents.present.forgetLast() }
        startFresh = { await agents.present.startFresh() }
        readOn = { await agents.present.readOn() }
        cancelRequest = { await agents.present.cancelRequest() }
        if settings.stillWorkingS > 0 { lateAfter = .seconds(settings.stillWorkingS) }
    }
}

extension JarvisClient {
    /// How long the user waits for a greeting.
    private static let greetingLimit = Duration.seconds(5)

    /// Asks the agent for a greeting; nil if it does not answer in time, fails, or asks something back.
    package func greeting() async -> String? {
        let request = """
            (The user has just called and has said nothing yet. Greet him in one short sentence, and use no tool.)
            """
        let reply = ask(request, context: nil, inParts: false)
        guard let answer = await TimeLimit.run(Self.greetingLimit, { await reply.answer() }) else { return nil }
        return answer.failure == nil && answer.prompt == nil ? answer.spoken : nil
    }
}

extension ConversationEvent {
    /// Translates news from the client of the agent with this number for the conversation.
    package init(_ news: JarvisClient.News, agent: Int = 0) {
        switch news {
        case .asks(let prompt): self = .agentAsks(prompt, agent: agent)
        case .settled: self = .agentAsks(nil, agent: agent)
        case .answered(let answer, let query):
            self = .agentReported(ToolResult(answer, lateQuestion: query), agent: agent)
        }
    }
}

extension ToolRegistry.Options {
    package init(_ settings: Configuration.Jarvis, mode: ActivationMode = .always, playsMedia: Bool = false) {
        self.playsMedia = playsMedia
        takesRemarks = settings.api.isTermLLM
        asksUser = settings.api.isTermLLM
        asksApproval = settings.approval == .aloud && settings.api == .responses
        mayEnd =
            switch settings.endConversation {
            case .on: true
            case .off: false
            case .auto: mode != .always
            }
    }
}
