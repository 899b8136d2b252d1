import SimulatedHero365
import Testing

@testable import TestSupport
@testable import VoiceBase
@testable import VoiceCore

/// The doctor against a simulated Hero365.
struct DoctorHero365Tests {
    private func session(key: String) async throws -> DoctorFinding? {
        let simulator = Hero365Simulator(Hero365Script([]))
        let port = try await simulator.start()
        let context = DoctorContext(
            overrides: [
                "service.use=hero365", "hero365.url=ws://127.0.0.1:\(port)/voice/stream/ws/42",
                "jarvis.url=http://127.0.0.1:1/ui",
            ],
            environment: ["HERO365_API_KEY": key],
            files: .stub([:])
        )
        let report = await Doctor(context, looksAtMachine: false).examine()
        await simulator.stop()
        #expect(!report.text.contains(key))
        #expect(simulator.violations.isEmpty, "\(simulator.violations)")
        return report.findings.first { $0.check == "session" }
    }

    @Test func aSessionIsOpenedAndClosed() async throws {
        #expect(try await session(key: "sk-simulated")?.verdict == .ok)
    }

    @Test func aRefusedKeyIsNamed() async throws {
        let finding = try await session(key: "sk-canary-1234567890")
        #expect(finding?.verdict == .fail && finding?.advice?.contains("hero365.api_key_file") == true)
    }
}
