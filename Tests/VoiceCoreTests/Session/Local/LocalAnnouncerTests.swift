import Testing

@testable import TestSupport
@testable import VoiceAudio
@testable import VoiceBase
@testable import VoiceConversation
@testable import VoiceCore
@testable import VoiceNetwork
@testable import VoiceSession

/// The box's own messages, which wait until nothing else is being said.
struct LocalAnnouncerTests {
    @Test func announcementsSilencedUnsaidAreLogged() async throws {
        let log = LineLog()
        try await NetworkThread.with { network in
            let pump = NetworkConfined(VoicePump(AudioPorts(), options: .init(chunk: 20)) { _, _ in }, on: network)
            let announcer = LocalAnnouncer(
                try LocalSettings(Configuration()), on: network, pump: pump, logger: log.logger
            )
            // Something is being said, so the texts wait.
            pump.perform { pump in
                let sound = [Int16](repeating: 1, count: 24_000)
                sound.withUnsafeBufferPointer {
                    pump.playout.receive($0, of: SpokenPart(responseID: "r", itemID: "i", contentIndex: 0))
                }
            }
            announcer.stopSpeaking()
            announcer.say("The post is here.")
            announcer.say("Dinner is ready.")
            announcer.stopSpeaking()
            announcer.stopSpeaking()
            await withCheckedContinuation { done in pump.perform { _ in done.resume() } }
            announcer.stop()
        }
        #expect(log.lines.count == 1, "\(log.lines)")
        let line = log.lines.first ?? ""
        #expect(line.contains("texts were dropped unsaid: the box was silenced") && line.contains("count=2"), "\(line)")
    }
}
