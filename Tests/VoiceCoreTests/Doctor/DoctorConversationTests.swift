import SimulatedDatagrid
import SimulatedLive
import Testing
import VoiceSimulator

@testable import TestSupport
@testable import VoiceBase
@testable import VoiceCore

/// The doctor against the simulated service and the stand-in for the agent.
struct DoctorConversationTests {
    private static let key = "sk-simulated"
    private static let token = "of-the-agent"

    /// Findings by check.
    private func examine(
        key: String = Self.key,
        token: String = Self.token,
        path: String = "/ui",
        isOffline: Bool = false
    ) async throws -> [String: DoctorFinding] {
        let simulator = RealtimeSimulator(
            configuration: RealtimeSimulatorConfiguration(key: Self.key), script: ConversationScript(turns: [])
        )
        let agent = AgentStandIn(token: Self.token) { _ in "Nothing." }
        let ports = (try await simulator.start(), try await agent.start())
        let context = DoctorContext(
            overrides: [
                "realtime.url=ws://127.0.0.1:\(ports.0)/v1/realtime", "jarvis.url=http://127.0.0.1:\(ports.1)\(path)",
            ],
            environment: ["OPENAI_API_KEY": key, "JARVIS_TOKEN": token],
            files: .stub([:])
        )
        let report = await Doctor(context, isOffline: isOffline, looksAtMachine: false).examine()
        await simulator.stop()
        await agent.stop()
        return Dictionary(report.findings.map { ($0.check, $0) }, uniquingKeysWith: { first, _ in first })
    }

    @Test func healthyBoxHasNoWarnings() async throws {
        let findings = try await examine()
        #expect(findings.values.allSatisfy { $0.verdict < .warn })
        #expect(findings["session"]?.message.contains("settings") == true)
        #expect(findings["agent-token"]?.verdict == .ok)
        #expect(findings["service-tcp"]?.verdict == .ok)
    }

    @Test func wrongKeyAndTokenAreReportedWithoutTheirValues() async throws {
        let findings = try await examine(key: "sk-canary-1234567890", token: "canary-token-1234567890")
        #expect(findings["session"]?.verdict == .fail)
        #expect(findings["agent"]?.verdict == .ok)
        #expect(findings["agent-token"]?.verdict == .fail)
        let text = DoctorReport(Array(findings.values)).text + DoctorReport(Array(findings.values)).json(version: "1")
        #expect(!text.contains("canary"))
    }

    @Test func aWrongBasePathIsFound() async throws {
        let findings = try await examine(path: "/other")
        #expect(findings["agent-path"]?.verdict == .fail)
    }

    @Test func setupTriesKeyAndToken() async throws {
        let simulator = RealtimeSimulator(
            configuration: RealtimeSimulatorConfiguration(key: Self.key), script: ConversationScript(turns: [])
        )
        let agent = AgentStandIn(token: Self.token) { _ in "Nothing." }
        let ports = (try await simulator.start(), try await agent.start())
        func refusal(_ secret: SetupSecret, _ typed: String) async throws -> String? {
            var plan = SetupPlan(Configuration())
            _ = plan.set("realtime.url", to: "127.0.0.1:\(ports.0)/v1/realtime")
            _ = plan.set("jarvis.url", to: "127.0.0.1:\(ports.1)/ui")
            plan.secrets[secret] = Secret(typed)
            return await SecretTrial.refusal(of: secret, in: plan)
        }
        #expect(try await refusal(SetupSecret(.openAI), Self.key) == nil)
        #expect(try await refusal(SetupSecret(.openAI), "sk-wrong-1234567890")?.contains("invalid_api_key") == true)
        #expect(try await refusal(.token, Self.token) == nil)
        #expect(try await refusal(.token, "wrong") == "the agent refuses the token")
        await simulator.stop()
        #expect(try await refusal(SetupSecret(.openAI), Self.key) != nil, "nothing answers")
        await agent.stop()
    }

    /// Whether the service asks at all, and whether the agent repeats the question.
    @Test(arguments: [(false, false, "did not ask"), (true, false, "simple task"), (true, true, "simple task")])
    func simulatedServicesDoNotPassTheLiveTurn(asks: Bool, isEcho: Bool, reason: String) async throws {
        var script = ConversationScript(turns: [])
        if asks { script.toRemarks = [.call(filler: "", tool: "ask_jarvis", arguments: ["query": "Question 1?"])] }
        let simulator = RealtimeSimulator(configuration: RealtimeSimulatorConfiguration(key: Self.key), script: script)
        let agent = AgentStandIn(token: Self.token) { isEcho ? $0 : "Nothing." }
        let ports = (try await simulator.start(), try await agent.start())
        let context = DoctorContext(
            overrides: [
                "realtime.url=ws://127.0.0.1:\(ports.0)/v1/realtime", "jarvis.url=http://127.0.0.1:\(ports.1)/ui",
            ],
            environment: ["OPENAI_API_KEY": Self.key, "JARVIS_TOKEN": Self.token],
            files: .stub([:])
        )
        #expect(LiveCheck.price(context)?.contains("cents at the voice service (openai)") == true)
        let report = await Doctor(context, isLive: true, looksAtMachine: false).examine()
        await simulator.stop()
        await agent.stop()
        let turn = try #require(report.findings.first { $0.check == "live-turn" })
        #expect(turn.verdict == .fail)
        #expect(turn.message.contains(reason), "\(turn.message)")
    }

    @Test func offlineDoctorAsksNoServer() async throws {
        let findings = try await examine(isOffline: true)
        #expect(findings["session"] == nil)
        #expect(findings["network"]?.verdict == .skipped)
    }

    @Test func missingServiceAndAgentAreBothReported() async {
        let context = DoctorContext(
            overrides: ["realtime.url=ws://127.0.0.1:1/v1/realtime", "jarvis.url=http://127.0.0.1:1/ui"],
            environment: ["OPENAI_API_KEY": "sk-1"],
            files: .stub([:])
        )
        let report = await Doctor(context, looksAtMachine: false).examine()
        let failed = report.findings.filter { $0.verdict == .fail }.map(\.check)
        #expect(failed.contains("service-tcp"))
        #expect(failed.contains("session"))
        #expect(failed.contains("agent"))
        #expect(report.exitStatus == 2)
    }
}

/// The doctor against simulated services that refuse the key: it names where that service's key belongs.
struct DoctorRefusedKeyTests {
    private func advice(_ overrides: [String], _ variable: String) async -> String? {
        let context = DoctorContext(
            overrides: overrides + ["jarvis.url=http://127.0.0.1:1/ui"],
            environment: [variable: "sk-canary-1234567890"],
            files: .stub([:])
        )
        let report = await Doctor(context, looksAtMachine: false).examine()
        #expect(!report.text.contains("canary"))
        return report.findings.first { $0.check == "session" }?.advice
    }

    @Test func refusedKeyOfGPTLiveNamesItsSetting() async throws {
        let simulator = LiveSimulator(LiveScript([]))
        let port = try await simulator.start()
        let url = "live.url=ws://127.0.0.1:\(port)/v1/live/sessions"
        #expect(
            await advice(["service.use=openai-live", "budget.day_usd=5", url], "OPENAI_API_KEY")?
                .contains("$OPENAI_API_KEY") == true
        )
        await simulator.stop()
    }

    @Test(arguments: [true, false]) func refusedKeyOfDatagridNamesItsSetting(handsOff: Bool) async throws {
        let simulator = DatagridSimulator(DatagridScript([]))
        let port = try await simulator.start()
        let overrides = [
            "service.use=datagrid", "budget.day_usd=5", "datagrid.url=ws://127.0.0.1:\(port)/ws/voice",
            "datagrid.handoff=\(handsOff)",
        ]
        #expect(await advice(overrides, "DATAGRID_API_KEY")?.contains("datagrid.api_key_file") == true)
        await simulator.stop()
    }
}
