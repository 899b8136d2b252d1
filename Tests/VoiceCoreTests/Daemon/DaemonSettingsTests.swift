import Logging
import Testing

@testable import VoiceCore

struct DaemonSettingsTests {
    private let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    private func settings(
        _ change: (inout Configuration) -> Void = { _ in },
        environment: [String: String] = ["OPENAI_API_KEY": "sk-x"]
    ) throws -> DaemonSettings {
        var configuration = Configuration()
        change(&configuration)
        let secrets = try Secrets(configuration: configuration, environment: environment)
        return try DaemonSettings(configuration, secrets: secrets, tools: VoiceDaemon.advertised(logger: logger))
    }

    @Test func theDefaultsAreWhatTheServiceWants() throws {
        let settings = try settings()
        #expect(settings.request.url == "wss://api.openai.com/v1/realtime?model=gpt-realtime-2.1")
        #expect(settings.request.headers.map(\.name) == ["Authorization"])
        #expect(settings.conversation.settings.voice == "marin")
        #expect(settings.conversation.settings.turnDetection == .semantic(eagerness: "auto"))
        #expect(settings.conversation.settings.noiseReduction == "far_field")
        #expect(settings.conversation.settings.tools.first?["name"] == "ask_jarvis")
    }

    @Test func withoutAKeyTheWayOutIsNamed() {
        #expect(throws: ConfigurationError.self) { try settings(environment: [:]) }
        do {
            _ = try settings(environment: [:])
        } catch {
            #expect("\(error)".contains("OPENAI_API_KEY"))
            #expect("\(error)".contains("jarvis-voiced demo"))
        }
    }

    @Test func aKeyDoesNotTravelUnencrypted() {
        #expect(throws: ConfigurationError.self) { try settings { $0.realtime.url = "ws://example.org/v1/realtime" } }
    }

    @Test func noSessionIsKeptReadyWhereTimeIsCharged() throws {
        #expect(try settings { $0.activation.warmStandby = true }.activation.machine.isWarm)
        let charged = try settings {
            $0.activation.warmStandby = true
            $0.budget.priceSessionMinUSD = 0.05
        }
        #expect(!charged.activation.machine.isWarm)
        #expect(charged.notices.contains { $0.contains("activation.warm_standby") })
    }

    @Test func levelsComeFromTheConfiguration() throws {
        let settings = try settings {
            $0.audio.masterVolume = 40
            $0.audio.captureGainDB = 6
            $0.audio.agc = true
            $0.audio.mixer = "Speaker"
        }
        #expect(settings.volumes.configured == Volumes(master: 40))
        #expect(settings.volumes.stateDirectory == nil)
        #expect(settings.audio.captureGainDecibels == 6 && settings.audio.automaticGain)
        #expect(throws: ConfigurationError.self) { try self.settings { $0.audio.mixer = "hw:PCH/" } }
    }

    @Test func aModelsNameIsEscaped() throws {
        let settings = try settings { $0.realtime.model = "a b&c" }
        #expect(settings.request.url.hasSuffix("?model=a%20b%26c"))
    }

    @Test func anInstructionsFileThatIsNotThereIsNamed() {
        var configuration = Configuration()
        configuration.realtime.instructionsFile = "/nonexistent/persona.md"
        #expect(throws: ConfigurationError.self) { try DaemonSettings.instructions(of: configuration) }
    }
}
