import FoundationEssentials
import SimulatedDatagrid
import Testing
import VoiceSimulator

@testable import TestSupport
@testable import VoiceBase
@testable import VoiceConversation
@testable import VoiceCore
@testable import VoiceDatagrid
@testable import VoiceNetwork
@testable import VoiceSession

/// Datagrid's key is part of an address: it appears in nothing that anyone may see.
struct DatagridSecretTests {
    private static let key = "dg_live_canary+4f/1"

    private static func service(port: Int, handsOff: Bool) throws -> DatagridService {
        var configuration = Configuration()
        configuration.service.use = [.datagrid]
        configuration.datagrid.url = "ws://127.0.0.1:\(port)/ws/voice"
        configuration.datagrid.handoff = handsOff
        let secrets = try Secrets(configuration: configuration, environment: ["DATAGRID_API_KEY": key])
        return try DatagridService(configuration, secrets: secrets, instructions: "", tools: [])
    }

    /// The descriptions and mirrors of the request that carries the key do not contain it.
    @Test(arguments: [true, false]) func openedSessionShowsNoSecret(handsOff: Bool) async throws {
        let simulator = DatagridSimulator(DatagridScript([]), key: Self.key, voice: .tones)
        let service = try Self.service(port: try await simulator.start(), handsOff: handsOff)
        let opening = try await NetworkThread.with { await service.opening(on: $0) }
        await simulator.stop()
        guard case .socket(let request, _, _)? = opening else {
            Issue.record("\(String(describing: opening))")
            return
        }
        #expect(request.url.contains(handsOff ? "token=once-only" : "token=dg_live_canary%2B4f%2F1"))
        var dumped = ""
        dump(request, to: &dumped)
        for text in ["\(request)", String(reflecting: request), dumped] {
            #expect(!text.contains("canary") && !text.contains("once-only"), "\(text)")
            #expect(text.contains("127.0.0.1"))
        }
        var service2 = ""
        dump(service, to: &service2)
        #expect(!service2.contains("canary"))
    }

    /// The doctor tries the session as the daemon opens it.
    @Test(arguments: [true, false]) func doctorReportsWhetherTheKeyIsAccepted(handsOff: Bool) async throws {
        let simulator = DatagridSimulator(DatagridScript([]), key: Self.key, voice: .tones)
        let port = try await simulator.start()
        for (key, verdict) in [(Self.key, DoctorFinding.Verdict.ok), ("dg_other_canary", .fail)] {
            let context = DoctorContext(
                overrides: [
                    "service.use=datagrid", "datagrid.url=ws://127.0.0.1:\(port)/ws/voice",
                    "datagrid.handoff=\(handsOff)", "jarvis.url=http://127.0.0.1:9/ui",
                ],
                environment: ["DATAGRID_API_KEY": key, "HOME": "/nonexistent"]
            )
            let report = await Doctor(context, looksAtMachine: false).examine()
            let session = try #require(report.findings.first { $0.check == "session" })
            #expect(session.verdict == verdict, "\(session)")
            #expect(report.findings.contains { $0.check == "api-key" && $0.message.contains("DATAGRID_API_KEY") })
            #expect(report.findings.contains { $0.check == "service-tcp" && $0.verdict == .ok })
            #expect(!"\(report)".contains("canary"), "\(report)")
            if verdict == .fail { #expect(session.advice?.contains("the key is not accepted") == true, "\(session)") }
        }
        await simulator.stop()
        #expect(simulator.violations.isEmpty, "\(simulator.violations)")
    }

    @Test func environmentVariableNamesTheKey() {
        #expect(ServiceKey.datagrid.credential == "datagrid-api-key")
        #expect(ServiceKey.datagrid.variable == "DATAGRID_API_KEY")
        #expect(ProcessEnvironment.isSecret("DATAGRID_API_KEY"))
    }

    /// A key that was changed while the daemon runs.
    @Test func changedKeyIsUsed() throws {
        var service = try Self.service(port: 9, handsOff: false)
        var configuration = Configuration()
        configuration.service.use = [.datagrid]
        let secrets = try Secrets(configuration: configuration, environment: ["DATAGRID_API_KEY": "dg_new"])
        service.takeKey(of: try DatagridService(configuration, secrets: secrets, instructions: "", tools: []))
        let entry = try service.door.direct(conversation: nil)
        #expect(entry.request.url == "ws://127.0.0.1:9/ws/voice?token=dg_new")
    }
}
