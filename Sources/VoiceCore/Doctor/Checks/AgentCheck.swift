internal import Logging

/// Whether the agent is there, behind the right path, and takes the token.
enum AgentCheck {
    static let limit = Duration.seconds(15)

    static func findings(_ patient: Patient, network: NetworkThread) async -> [DoctorFinding] {
        guard let values = patient.loaded?.values, let secrets = patient.secrets,
            let base = ServerURL(values.jarvis.url)
        else { return [DoctorFinding("agent", .skipped, "needs a configuration that can be used")] }
        let client = JarvisClient(
            base: base,
            token: secrets.jarvisToken.secret,
            settings: values.jarvis,
            transport: CurlJarvisTransport(network: network),
            logger: Logger(label: "doctor") { _ in SwiftLogNoOpLogHandler() }
        )
        let hasToken = secrets.jarvisToken.secret != nil
        return judge(await client.check(), hasToken: hasToken, isClosed: !hasToken && !patient.unreadable.isEmpty)
    }

    /// - Parameter isClosed: there may be a token that this user cannot read.
    static func judge(
        _ result: Result<JarvisHealth?, JarvisFailure>,
        hasToken: Bool,
        isClosed: Bool = false
    ) -> [DoctorFinding] {
        let reached = DoctorFinding("agent", .ok, "answers")
        let rightPath = DoctorFinding("agent-path", .ok, "jarvis.url leads to the agent")
        switch result {
        case .success(let health):
            let who = health.map { "term-llm \($0.version)" + ($0.agent.map { ", agent \($0)" } ?? "") }
            let message = hasToken ? "the token is accepted" : "none is needed"
            return [
                DoctorFinding("agent", .ok, who.map { "answers: \($0)" } ?? "answers"), rightPath,
                DoctorFinding("agent-token", .ok, message),
            ]
        case .failure(.authentication) where isClosed:
            return [
                reached, rightPath,
                DoctorFinding(
                    "agent-token",
                    .skipped,
                    "the token is root's alone",
                    advice: "sudo jarvis-voiced doctor"
                ),
            ]
        case .failure(.authentication):
            return [
                reached, rightPath,
                DoctorFinding(
                    "agent-token",
                    .fail,
                    hasToken ? "the agent refuses the token" : "the agent wants a token, and there is none",
                    advice:
                        "put the --token of term-llm serve into \(ServiceEnvironment.folder)/jarvis-token (mode 600)"
                ),
            ]
        case .failure(.wrongBasePath(let hint)):
            return [
                reached,
                DoctorFinding(
                    "agent-path",
                    .fail,
                    "jarvis.url does not lead to the agent: \(hint)",
                    advice: "it ends with the base path of term-llm serve, usually /ui"
                ),
            ]
        case .failure(let failure):
            return [
                DoctorFinding(
                    "agent",
                    .fail,
                    failure.logLine,
                    advice:
                        "on its machine: term-llm serve api --token ...; then jarvis.url = its address and base path"
                )
            ]
        }
    }
}
