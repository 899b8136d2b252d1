import Glibc
import Logging
import Testing

@testable import TestSupport
@testable import VoiceAudio

struct AudioSupervisorTests {
    @Test func closedMicrophoneStaysClosedAtTheStart() async throws {
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

    /// A card that never answers is not a quiet card. ALSA's `file` waits for a reader of its file.
    @Test func hangingDeviceFailsTheStartThatNeedsIt() async throws {
        let path = "/tmp/never-read-\(getpid())"
        #expect(mkfifo(path, 0o600) == 0)
        defer { unlink(path) }
        let device = "file:FILE=\(path),FORMAT=raw"
        let sound = AudioSupervisor(
            configuration: AudioConfiguration(source: .alsa(capture: "null", playback: device), realtimePriority: 0),
            ports: AudioPorts(), longPatience: .milliseconds(300), logger: LineLog().logger
        )
        let error = await #expect(throws: AudioDeviceError.self) { try await sound.start(insisting: [.playback]) }
        #expect(error?.description.contains("\"\(device)\" does not answer: unplug it and plug it in again") == true)
        // Lets the thread that opens it go.
        let reader = open(path, O_RDONLY | O_NONBLOCK)
        try await Task.sleep(for: .milliseconds(100))
        close(reader)
    }
}
