import Testing
import VoiceSimulator

@testable import TestSupport
@testable import VoiceBase
@testable import VoiceCore
@testable import VoiceNetwork

/// The warnings of `config check` about `jarvis.api = "openai"`, against servers on loopback.
struct AgentStyleTests {
    private static let token = "of-the-agent"

    /// The warning for this address and API.
    private func warning(
        _ url: String,
        api: Configuration.Jarvis.API = .openai,
        token: String? = Self.token,
        verdict: TransportVerdict = .allowed,
        limit: Duration = .seconds(30)
    ) async throws -> String? {
        var configuration = Configuration()
        configuration.jarvis.url = url
        configuration.jarvis.api = api
        let environment = token.map { ["JARVIS_TOKEN": $0] } ?? [:]
        let secrets = try Secrets(configuration: configuration, environment: environment, files: .stub([:]))
        let transport = ServiceTransport(key: "jarvis.url", host: "agent", load: "the token", verdict: verdict)
        return await AgentStyle.warning(configuration, secrets: secrets, transports: [transport], within: limit)
    }

    @Test func termLLMBehindTheWrongAPIIsNamed() async throws {
        let agent = AgentStandIn(token: Self.token) { _ in "Nothing." }
        let port = try await agent.start()
        for path in ["/ui", "/ui/v1"] {
            let line = try await warning("http://127.0.0.1:\(port)\(path)")
            #expect(line?.contains("stores each question as a conversation: set jarvis.api to") == true)
        }
        for api in [Configuration.Jarvis.API.chat, .responses] {
            #expect(try await warning("http://127.0.0.1:\(port)/ui", api: api) == nil)
        }
        #expect(try await warning("http://127.0.0.1:\(port)/ui", token: "another") == nil)
        #expect(agent.requests.isEmpty, "nothing was asked of the agent itself")
        await agent.stop()
    }

    @Test func tokenIsNotSentOutsideTheHome() async throws {
        let agent = AgentStandIn(token: Self.token) { _ in "Nothing." }
        let url = "http://127.0.0.1:\(try await agent.start())/ui"
        let outside = try #require(NetworkAddress(text: "203.0.113.7"))
        for verdict in [TransportVerdict.exposed(outside), .unresolved] {
            #expect(try await warning(url, verdict: verdict) == nil)
        }
        await agent.stop()
    }

    @Test func missingAndSilentServersGiveNoWarning() async throws {
        #expect(try await warning("http://127.0.0.1:1/ui") == nil)
        let silent = try LoopbackServer { $0.waitForEnd() }
        #expect(try await warning("http://127.0.0.1:\(silent.port)/ui", limit: .milliseconds(50)) == nil)
    }
}
