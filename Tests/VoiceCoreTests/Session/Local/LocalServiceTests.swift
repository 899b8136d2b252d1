import Testing

@testable import TestSupport
@testable import VoiceAudio
@testable import VoiceBase
@testable import VoiceCore
@testable import VoiceNetwork
@testable import VoiceSession

struct LocalServiceTests {
    /// A box whose recogniser is away opens sessions for days.
    @Test func endedSessionReleasesItsMemory() async throws {
        var configuration = Configuration()
        configuration.service.use = [.local]
        configuration.local.recogniser = "127.0.0.1:9"
        let secrets = try Secrets(configuration: configuration, environment: [:])
        let service = try LocalService(configuration, secrets: secrets, instructions: "", tools: [])
        #expect(try await service.releasesAnEndedSession())
    }
}
