import SimulatedGemini
import Testing

@testable import TestSupport
@testable import VoiceBase
@testable import VoiceCore

/// The doctor against a simulated Gemini.
struct GeminiDoctorTests {
    private func session(_ faults: GeminiScript.Faults) async throws -> DoctorFinding? {
        let simulator = GeminiSimulator(GeminiScript([], faults: faults), key: "AIzaSyCanary01")
        let port = try await simulator.start()
        let context = DoctorContext(
            overrides: [
                "service.use=gemini", "gemini.url=ws://127.0.0.1:\(port)\(GeminiSimulator.path)",
                "jarvis.url=http://127.0.0.1:1/ui",
            ],
            environment: ["GEMINI_API_KEY": "AIzaSyCanary01"],
            files: .stub([:])
        )
        let report = await Doctor(context, looksAtMachine: false).examine()
        await simulator.stop()
        #expect(!report.text.contains("Canary"))
        return report.findings.first { $0.check == "session" }
    }

    @Test func acceptedSettingsAreReportedAlsoFromBinaryFrames() async throws {
        var faults = GeminiScript.Faults()
        #expect(try await session(faults)?.verdict == .ok)
        faults.sendsBinary = true
        #expect(try await session(faults)?.verdict == .ok)
    }

    @Test(
        arguments: [
            (1007, "API key not valid. Please pass a valid API key, not AIzaSyCanary01.", "gemini.api_key_file"),
            (1008, "User location is not supported for the API use.", "billing"),
            (1007, "Invalid JSON payload received. Unknown name \"historyConfig\"", "update jarvis-voiced"),
            (1008, "models/x is not found for API version v1beta", "gemini.model"),
        ]
    )
    func refusalNamesWhatToChange(code: Int, reason: String, advice: String) async throws {
        var faults = GeminiScript.Faults()
        faults.refusesSetup = (code, reason)
        let finding = try await session(faults)
        #expect(
            finding?.verdict == .fail && finding?.message.contains(advice) == true, "\(String(describing: finding))")
    }
}
