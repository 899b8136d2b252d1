internal import Logging
internal import VoiceAgent
package import VoiceBase
internal import VoiceNetwork

/// Detects a term-llm server where `jarvis.api = "openai"` expects an OpenAI-compatible one. For `config check`.
package enum AgentStyle {
    /// Time limit of the check; without an answer there is no warning.
    package static let limit = Duration.seconds(2)

    /// One line for the user; nil if nothing is wrong, no server answers, or the token must not travel there.
    ///
    /// - Parameter transports: how the token would travel; see `ServiceTransport`.
    package static func warning(
        _ configuration: Configuration,
        secrets: Secrets,
        transports: [ServiceTransport],
        within limit: Duration = AgentStyle.limit
    ) async -> String? {
        let jarvis = configuration.jarvis
        guard jarvis.api == .openai, let base = ServerURL(jarvis.url) else { return nil }
        let mayTravel = transports.allSatisfy { $0.key != "jarvis.url" || $0.isReachable }
        guard mayTravel else { return nil }
        let token = secrets.jarvisToken.secret
        // Abandoned if it hangs, as in a name lookup.
        let isMistaken = await TimeLimit.run(limit) {
            let network = NetworkThread(label: "jv-check")
            guard (try? network.start()) != nil else { return false }
            let client = JarvisClient(
                base: base,
                token: token,
                settings: jarvis,
                transport: network,
                logger: Logger(label: "check") { _ in SwiftLogNoOpLogHandler() }
            )
            let isMistaken = await client.isMistakenForPlain()
            await network.stop()
            return isMistaken
        }
        return isMistaken == true ? "\(JarvisClient.mistakenAPI): \(JarvisClient.rightAPI)" : nil
    }
}
