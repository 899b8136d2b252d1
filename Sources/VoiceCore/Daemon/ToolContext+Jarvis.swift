package import Logging

extension ToolContext {
    /// Tools that are answered by this agent.
    package init(_ client: JarvisClient, _ settings: Configuration.Jarvis, logger: Logger) {
        self.init(logger: logger)
        ask = { await client.ask($0) }
        answer = { await client.answer($0) }
        approve = { await client.approve($0, $1) }
        startFresh = { await client.startFresh() }
        readOn = { await client.readOn() }
        cancelRequest = { await client.cancelRequest() }
        if settings.stillWorkingS > 0 { lateAfter = .seconds(settings.stillWorkingS) }
    }
}

extension ToolRegistry.Options {
    package init(_ settings: Configuration.Jarvis, mode: ActivationMode = .always, playsMedia: Bool = false) {
        self.playsMedia = playsMedia
        asksUser = settings.askUser == .aloud && settings.api != .openai
        asksApproval = settings.approval == .aloud && settings.api == .responses
        mayEnd =
            switch settings.endConversation {
            case .on: true
            case .off: false
            case .auto: mode != .always
            }
    }
}

extension Configuration.Jarvis {
    /// The last resort against a tool that hangs: a question may wait for two others, and each for the user.
    var longestCall: Duration { .seconds(3 * (timeoutS + humanTimeoutS) + 30) }
}
