import Logging
import Synchronization
import Testing

@testable import VoiceAudio

struct AudioSupervisorTests {
    @Test func aMicrophoneThatStartsClosedIsNotOpenedByItself() async throws {
        let ports = AudioPorts()
        let configuration = AudioConfiguration(source: .alsa(capture: "null", playback: "null"), realtimePriority: 0)
        let log = LineLog()
        let sound = AudioSupervisor(configuration: configuration, ports: ports, logger: log.logger)
        await sound.setCapture(open: false)
        try await sound.start()
        try await Task.sleep(for: .milliseconds(300))
        #expect(ports.capture.openings == 0)
        #expect(ports.capture.state == .waiting(reason: "muted"))
        let isMuted = ports.requests.isMicrophoneMuted
        #expect(isMuted)
        await sound.setCapture(open: true)
        for _ in 0..<1000 where ports.capture.state == .waiting(reason: "muted") {
            try await Task.sleep(for: .milliseconds(10))
        }
        #expect(ports.capture.state != .waiting(reason: "muted"), "now it is looked for, whether it is there or not")
        await sound.stop()
    }
}
