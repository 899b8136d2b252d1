internal import Logging
internal import VoiceAgent
internal import VoiceBase
internal import VoiceNetwork

/// Whether the agent answers at the configured path and accepts the token.
enum AgentCheck {
    static let limit = Duration.seconds(15)

    static func findings(_ context: DoctorContext, network: NetworkThread) async -> [DoctorFinding] {
        guard let values = context.loaded?.values, let secrets = context.secrets,
            let base = ServerURL(values.jarvis.url)
        else { return [DoctorFinding("agent", .skipped, "needs a valid configuration")] }
        async let findingsOfWords = findingsOfWords(context, network: network)
        let client = client(base, secrets.jarvisToken.secret, values.jarvis, network)
        let hasToken = secrets.jarvisToken.secret != nil
        let isElsewhere = !(base.host == "localhost" || base.host == "::1" || base.host.hasPrefix("127."))
        let result = await client.check()
        let findings = judge(
            result, hasToken: hasToken, isClosed: !hasToken && !context.unreadable.isEmpty, isElsewhere: isElsewhere,
            folder: context.unit.folder, settings: values.jarvis
        )
        let others = await findingsOfWords
        guard case .success(let health) = result else { return findings + others }
        // Home Assistant gets only the user's words: no prompt for voices.
        if values.jarvis.api == .homeAssistant { return findings + others }
        return findings + judgeAPI(isMistaken: await client.isMistakenForPlain())
            + [briefing(health, values.jarvis.preamble)] + others
    }

    /// The agents of wake words with one of their own, all at the same time.
    private static func findingsOfWords(_ context: DoctorContext, network: NetworkThread) async -> [DoctorFinding] {
        let agents = Array(context.settings?.agents.dropFirst() ?? [])
        return await withTaskGroup(of: (Int, [DoctorFinding]).self) { group in
            for (place, agent) in agents.enumerated() {
                group.addTask { (place, await findings(of: agent, network: network)) }
            }
            var found: [Int: [DoctorFinding]] = [:]
            for await (place, findings) in group { found[place] = findings }
            return agents.indices.flatMap { found[$0] ?? [] }
        }
    }

    private static func findings(of agent: AgentSettings, network: NetworkThread) async -> [DoctorFinding] {
        let client = client(agent.base, agent.token, agent.settings, network)
        // An agent that is away must not use up the time of the whole check.
        let result = await TimeLimit.run(.seconds(5)) { await client.check() }
        return judge(
            result ?? .failure(.offline(detail: "no answer")),
            hasToken: agent.token != nil,
            settings: agent.settings,
            agent: agent.name
        ).map { $0.of(agent.name) }
    }

    private static func client(
        _ base: ServerURL,
        _ token: Secret?,
        _ settings: Configuration.Jarvis,
        _ network: NetworkThread
    ) -> JarvisClient {
        JarvisClient(
            base: base,
            token: token,
            settings: settings,
            transport: network,
            logger: Logger(label: "doctor") { _ in SwiftLogNoOpLogHandler() }
        )
    }

    static func judgeAPI(isMistaken: Bool) -> [DoctorFinding] {
        guard isMistaken else { return [] }
        let advice: MarkedText = "jarvis.api = \"responses\" (or \"chat\")"
        return [DoctorFinding("agent-api", .warn, "\(public: JarvisClient.mistakenAPI)", advice: advice)]
    }

    /// Whether the agent knows that its answers are heard, not read.
    static func briefing(_ health: JarvisHealth?, _ preamble: Configuration.Jarvis.Preamble) -> DoctorFinding {
        if health?.capabilities.contains(AgentBriefing.capability) == true {
            return DoctorFinding("agent-prompt", .ok, "the agent confirms that it has the prompt for voices")
        }
        let advice: MarkedText = "to set it permanently, put \(prompt) into its prompt (term-llm: agent.yaml beside it)"
        switch preamble {
        case .auto, .always:
            return DoctorFinding(
                "agent-prompt",
                .ok,
                "the daemon tells the agent, with the first question of each conversation, that its reply is heard, "
                    + "not read",
                advice: preamble == .auto ? advice : nil
            )
        case .off:
            return DoctorFinding(
                "agent-prompt", .ok,
                "jarvis.preamble is off: the agent knows that its reply is heard, not read, only from its own prompt",
                advice: "text for its prompt: \(prompt) (term-llm: agent.yaml beside it)"
            )
        }
    }

    private static let prompt: MarkedText = "/usr/share/doc/jarvis-voiced/examples/agent-prompt.txt"

    /// - Parameters:
    ///   - isClosed: whether there may be a token this user cannot read.
    ///   - isElsewhere: whether the agent is on another machine.
    ///   - folder: that of the secrets.
    ///   - settings: the settings by which the failure is judged.
    ///   - agent: whose server it is.
    static func judge(
        _ result: Result<JarvisHealth?, JarvisFailure>,
        hasToken: Bool,
        isClosed: Bool = false,
        isElsewhere: Bool = false,
        folder: String = ServiceEnvironment.folder,
        settings: Configuration.Jarvis = Configuration.Jarvis(),
        agent: AgentName = AgentName()
    ) -> [DoctorFinding] {
        let place: MarkedText =
            agent.table.map { "a file of jarvis-voiced (mode 600), and name that in \($0).token_file" }
            ?? "\(folder)/jarvis-token (mode 600)"
        let reached = DoctorFinding("agent", .ok, "answers")
        let rightPath = DoctorFinding("agent-path", .ok, "jarvis.url leads to the agent")
        switch result {
        case .success(let health):
            let name = health?.agent.flatMap { $0.isEmpty ? nil : $0 }
            let who = health.map { "term-llm \($0.version)" + (name.map { ", agent \($0)" } ?? "") }
            let message: MarkedText = hasToken ? "the token is accepted" : "no token needed"
            let findings = [
                DoctorFinding("agent", .ok, who.map { "answers: \($0)" } ?? "answers"), rightPath,
                DoctorFinding("agent-token", .ok, message),
            ]
            // An empty name means a server without an agent; servers of other kinds report no name.
            guard health?.agent == "" else { return findings }
            return findings + [
                DoctorFinding(
                    "agent-name", .warn, "the server runs without an agent, so it has web tools only",
                    advice: "on its machine, run: term-llm serve api --agent NAME"
                )
            ]
        case .failure(.authentication) where isClosed:
            return [
                reached, rightPath,
                DoctorFinding(
                    "agent-token", .skipped, "only root can read the token", advice: "sudo jarvis-voiced doctor"
                ),
            ]
        case .failure(.authentication):
            return [
                reached, rightPath,
                DoctorFinding(
                    "agent-token",
                    .fail,
                    hasToken ? "the agent refuses the token" : "the agent requires a token, but there is none",
                    advice:
                        "put the server's TERM_LLM_SERVE_TOKEN into \(place)"
                ),
            ]
        case .failure(.wrongBasePath(let hint)):
            return [
                reached,
                DoctorFinding(
                    "agent-path", .fail, "jarvis.url does not lead to the agent: \(hint)",
                    advice: "\(public: settings.addressAdvice)"
                ),
            ]
        // Refused locally: the finding agent-transport has the remedy.
        case .failure(let failure) where failure.isLocal:
            return [DoctorFinding("agent", .fail, "\(failure.logLine)", advice: "see agent-transport")]
        case .failure(let failure):
            return [
                DoctorFinding(
                    "agent",
                    .fail,
                    "\(failure.logLine)",
                    advice: "on its machine: TERM_LLM_SERVE_TOKEN=... term-llm serve api "
                        + (isElsewhere ? "--host 0.0.0.0 " : "")
                        + "--agent NAME; then jarvis.url = its address and base path"
                        + (isElsewhere ? " (without --host it listens on 127.0.0.1 only)" : "")
                )
            ]
        }
    }
}
