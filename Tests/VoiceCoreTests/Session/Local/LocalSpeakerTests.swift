import Testing
import VoiceSimulator

@testable import VoiceBase
@testable import VoiceCore
@testable import VoiceNetwork
@testable import VoiceSession

struct LocalSpeakerTests {
    /// A message is no progress: an empty one every 20 ms kept the box speaking for good.
    @Test func emptyMessagesDoNotKeepASentenceOpen() async throws {
        let servers = WyomingSimulator(.init(speaker: .trickle))
        let port = try await servers.start()
        let address = try WyomingAddress("127.0.0.1:\(port)", key: "local.speaker")
        let trouble = Collected<WyomingEnd.Kind>()
        try await NetworkThread.with { network in
            let over = Promise<Void>()
            let speaker = NetworkConfined(
                LocalSpeaker(
                    on: network,
                    at: address,
                    allowsPublic: false,
                    voice: "",
                    nextLimit: .milliseconds(100),
                    espeak: { _, _ in false },
                    report: { outcome in
                        switch outcome {
                        case .trouble(let end): trouble.add([end.kind])
                        case .ended, .failed: over.give(())
                        case .began, .sound, .finished: break
                        }
                    }
                ),
                on: network
            )
            speaker.perform { $0.speak(["Hello."]) }
            await over.wait()
            speaker.perform { $0.stop() }
        }
        await servers.stop()
        #expect(trouble.all == [.late])
    }
}
