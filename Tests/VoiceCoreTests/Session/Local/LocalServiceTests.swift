import Testing

@testable import TestSupport
@testable import VoiceAudio
@testable import VoiceBase
@testable import VoiceCore
@testable import VoiceNetwork
@testable import VoiceSession

struct LocalServiceTests {
    /// Tells when the last one that holds it is gone.
    private final class Held: Sendable {
        private let isGone: Promise<Bool>

        init(_ isGone: Promise<Bool>) { self.isGone = isGone }

        deinit { isGone.give(true) }
    }

    /// A box whose recogniser is away opens sessions for days.
    @Test func endedSessionReleasesItsMemory() async throws {
        var configuration = Configuration()
        configuration.service.use = [.local]
        configuration.local.recogniser = "127.0.0.1:9"
        let secrets = try Secrets(configuration: configuration, environment: [:])
        let service = try LocalService(configuration, secrets: secrets, instructions: "", tools: [])
        let isGone = Promise<Bool>()
        try await NetworkThread.with { network in
            let pump = NetworkConfined(VoicePump(AudioPorts(), options: .init(chunk: 10)) { _, _ in }, on: network)
            do {
                let held = Held(isGone)
                let connection = service.connect(on: network, pump: pump) { _, _ in _ = held }
                connection?.perform { $0.retire() }
            }
            let answer = await TimeLimit.run(.seconds(10)) { await isGone.wait() }
            isGone.give(false)
            #expect(answer == true)
        }
    }
}
