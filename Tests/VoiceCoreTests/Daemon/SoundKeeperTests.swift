import Logging
import Synchronization
import Testing

@testable import VoiceAudio

struct SoundKeeperTests {
    @Test func aMicrophoneThatStartsClosedIsNotOpenedByItself() async throws {
        let pipes = AudioPipes()
        let configuration = AudioConfiguration(source: .alsa(capture: "null", playback: "null"), realtimePriority: 0)
        let log = LineLog()
        let sound = SoundKeeper(configuration: configuration, pipes: pipes, logger: log.logger)
        await sound.setCapture(open: false)
        try await sound.start()
        try await Task.sleep(for: .milliseconds(300))
        #expect(pipes.capture.openings.load(ordering: .relaxed) == 0)
        #expect(pipes.capture.state == .waiting(reason: "muted"))
        let isMuted = pipes.microphoneMuted.load(ordering: .relaxed)
        #expect(isMuted)
        await sound.setCapture(open: true)
        for _ in 0..<1000 where pipes.capture.state == .waiting(reason: "muted") {
            try await Task.sleep(for: .milliseconds(10))
        }
        #expect(pipes.capture.state != .waiting(reason: "muted"), "now it is looked for, whether it is there or not")
        await sound.stop()
    }
}
