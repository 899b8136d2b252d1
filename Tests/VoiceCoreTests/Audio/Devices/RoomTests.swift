import CLinux
import Glibc
import Testing

@testable import TestSupport
@testable import VoiceAudio
@testable import VoiceBase

private let roomIsUp = getenv("VOICE_ROOM_TESTS") != nil

/// ALSA against a virtual sound card. `scripts/room-check` starts the card, sets the environment and runs these.
@Suite(.serialized, .enabled(if: roomIsUp))
struct RoomTests {
    private static let folder = getenv("VOICE_ROOM_TOOLS").map { String(cString: $0) } ?? "."
    private static let seconds = getenv("VOICE_ROOM_SECONDS").flatMap { Int(String(cString: $0)) } ?? 3

    /// Runs one of the card's tools.
    private static func tool(_ command: String) {
        let status = system("\(folder)/\(command) >/dev/null")
        #expect(status == 0, "\(command)")
    }

    private static func start(
        _ device: String,
        _ ports: AudioPorts,
        log: LineLog = LineLog()
    ) async throws -> AudioSupervisor {
        let supervisor = AudioSupervisor(
            configuration: AudioConfiguration(source: .alsa(capture: device, playback: device)), ports: ports,
            logger: log.logger
        )
        try await supervisor.start()
        return supervisor
    }

    /// Waits until both devices have the state; returns the milliseconds that it took.
    @discardableResult
    private static func reach(_ state: DeviceState, _ ports: AudioPorts, within seconds: Int = 5) async throws -> Int {
        for step in 0..<seconds * 100 {
            if ports.capture.state == state && ports.playback.state == state { return step * 10 }
            try await wait(10)
        }
        Issue.record("never \(state): \(ports.capture.state), \(ports.playback.state)")
        return seconds * 1000
    }

    private static func wait(_ milliseconds: Int) async throws {
        try await Task.sleep(for: .milliseconds(milliseconds))
    }

    /// A sine of -10 dBFS at 500 Hz.
    private static func sine(_ samples: Int, from start: Int = 0) -> [Int16] {
        (start..<start + samples).map { Int16(10_000 * sinf(2 * .pi * 500 * Float($0) / 24_000)) }
    }

    private static func counters(_ ports: AudioPorts) -> String {
        "periods \(ports.gauges.counters.cycles) xruns \(ports.gauges.counters.captureXruns)/"
            + "\(ports.gauges.counters.playbackXruns) slips \(ports.gauges.counters.slips) "
            + "cycle max \(ports.gauges.longestCycleMicroseconds) us, delays "
            + "\(ports.gauges.playbackDelayFrames)/\(ports.gauges.captureDelayFrames)"
    }

    private static func feed(_ ports: AudioPorts, seconds: Double) async throws {
        var fed = 0
        while fed < Int(seconds * 24_000) && ports.gauges.state == .running {
            let block = sine(
                min(2400, Int(seconds * 24_000) - fed, ports.voice.ring.availableToWrite), from: fed
            )
            fed += ports.voice.ring.write(block, count: block.count)
            try await wait(40)
        }
    }

    @Test(arguments: ["room", "plugroom", "default"])
    func playsAndCapturesWithoutXruns(device: String) async throws {
        let path = "/tmp/room-\(device)-\(getpid()).wav"
        defer { unlink(path) }
        let ports = AudioPorts()
        let thread = try await Self.start(device, ports)
        Self.tool("record \(path) --start")
        try await Self.feed(ports, seconds: Double(Self.seconds))
        await thread.stop()
        Self.tool("record --stop")
        print(device, Self.counters(ports))
        #expect(ports.gauges.state == .stopped)
        #expect(ports.gauges.counters.captureXruns == 0)
        #expect(ports.gauges.counters.playbackXruns == 0)
        #expect(ports.capture.losses == 0, "an end is no loss")
        #expect(ports.playback.losses == 0)
        #expect(ports.gauges.levels.peak > LevelMeter.floor)
        #expect(ports.voice.progress.heard == ports.voice.ring.writePosition)

        // The tone in the recording has no gap and no jump: its curvature follows the sine's.
        let played = try WaveFile.read(path)
        let first = played.firstIndex { abs($0) > 0.02 } ?? 0
        let last = played.lastIndex { abs($0) > 0.02 } ?? 0
        #expect(abs(last - first - Self.seconds * 48_000) < 480)
        let factor = 2 * cosf(2 * .pi * 500 / 48_000)
        var worst: Float = 0
        for index in (first + 300)..<max(first + 301, last - 300) {
            worst = max(worst, abs(played[index + 1] - factor * played[index] + played[index - 1]))
        }
        print(device, "worst step", worst)
        #expect(worst < 0.001)
    }

    @Test(arguments: ["room", "plugroom"])
    func aFlushStopsTheSoundWithinAPeriod(device: String) async throws {
        let path = "/tmp/room-flush-\(getpid()).wav"
        defer { unlink(path) }
        let ports = AudioPorts()
        let thread = try await Self.start(device, ports)
        Self.tool("record \(path) --start")
        let block = Self.sine(12_000)
        ports.voice.ring.write(block, count: block.count)
        try await Self.wait(250)
        let asked = clinux_monotonic_ns()
        let position = ports.voice.requestFlush()
        while ports.voice.progress.flushDone < position && clinux_monotonic_ns() - asked < 1_000_000_000 {
            try await Self.wait(1)
        }
        let took = Double(clinux_monotonic_ns() - asked) / 1e6
        let heard = ports.voice.progress.flushHeard
        try await Self.wait(300)
        ports.voice.ring.write(block, count: 2400)
        await thread.stop()
        Self.tool("record --stop")
        let played = try WaveFile.read(path)
        let first = played.firstIndex { abs($0) > 0.02 } ?? 0
        let gap = played[(first + 1)...].indices.first { index in
            index + 2400 < played.count && played[index..<index + 2400].allSatisfy { abs($0) < 0.001 }
        }
        let cut = (gap ?? 0) - first
        print(device, "flush took \(took) ms; heard \(heard * 2) frames, recorded \(cut)", Self.counters(ports))
        // The reported position matches the recording, except for the fade and a tick of the card's clock.
        #expect(abs(cut - Int(heard) * 2) < 480)
        #expect(played[(first + cut + 2400)...].contains { abs($0) > 0.2 })
        #expect(ports.gauges.counters.playbackXruns == 0)
    }

    @Test func unpluggedCardIsReopened() async throws {
        let ports = AudioPorts()
        let log = LineLog()
        let sound = try await Self.start("room", ports, log: log)
        try await Self.reach(.running, ports)
        Self.tool("ctl unplug")
        try await Self.wait(1000)
        #expect(ports.gauges.state == .running)
        let cycles = ports.gauges.counters.cycles
        try await Self.wait(2000)
        // Time continues without a card, and nothing is reported twice.
        #expect(abs(Int(ports.gauges.counters.cycles - cycles) - 200) < 20)
        #expect(log.lines.filter { $0.contains("lost") }.count == 2, "\(log.lines)")
        Self.tool("ctl plug")
        let took = try await Self.reach(.running, ports)
        print("heard again after \(took) ms", Self.counters(ports))
        #expect(took < 3000)
        let block = Self.sine(4800)
        ports.voice.ring.write(block, count: block.count)
        try await Self.wait(500)
        #expect(ports.voice.progress.heard == 4800)
        await sound.stop()
    }

    @Test func cardConnectedLaterIsOpened() async throws {
        Self.tool("ctl unplug")
        let ports = AudioPorts()
        let log = LineLog()
        let sound = try await Self.start("room", ports, log: log)
        try await Self.wait(1500)
        #expect(log.lines.filter { $0.contains("waiting for device") }.count == 2, "\(log.lines)")
        if case .waiting = ports.capture.state {} else { Issue.record("\(ports.capture.state)") }
        Self.tool("ctl plug")
        #expect(try await Self.reach(.running, ports) < 3000)
        await sound.stop()
    }

    @Test func busyCardIsReportedAndOpenedLater() async throws {
        Self.tool("ctl busy 1")
        let ports = AudioPorts()
        let log = LineLog()
        let sound = try await Self.start("room", ports, log: log)
        try await Self.wait(300)
        #expect(log.lines.contains { $0.contains("capture device \"room\" is in use by") }, "\(log.lines)")
        Self.tool("ctl busy 0")
        #expect(try await Self.reach(.running, ports) < 3000)
        await sound.stop()
    }

    @Test func zerosOfAMicrophoneAreReportedOnce() async throws {
        let ports = AudioPorts()
        let log = LineLog()
        let sound = try await Self.start("room", ports, log: log)
        Self.tool("ctl set mic_mute 1")
        try await Self.wait(12_500)
        #expect(ports.capture.state == .silent)
        #expect(ports.capture.openings == 2)
        #expect(log.lines.filter { $0.contains("muted at the device?") }.count == 1, "\(log.lines)")
        Self.tool("ctl set mic_mute 0")
        try await Self.reach(.running, ports)
        #expect(log.lines.contains { $0.contains("heard again") }, "\(log.lines)")
        await sound.stop()
    }

    @Test(arguments: ["xrun playback", "xrun capture", "suspend", "lag 0.2"])
    func soundContinuesAfterAFault(fault: String) async throws {
        let ports = AudioPorts()
        let thread = try await Self.start("room", ports)
        try await Self.wait(300)
        Self.tool("ctl \(fault)")
        try await Self.wait(700)
        let before = ports.gauges.counters.cycles
        let block = Self.sine(4800)
        ports.voice.ring.write(block, count: block.count)
        try await Self.wait(600)
        print(fault, Self.counters(ports))
        #expect(ports.gauges.state == .running)
        #expect(ports.gauges.counters.cycles > before + 30)
        #expect(ports.voice.progress.heard == 4800)
        let xruns = ports.gauges.counters.captureXruns + ports.gauges.counters.playbackXruns
        #expect(xruns >= 1)
        await thread.stop()
    }

    @Test func aShortStallPassesALongOneIsALoss() async throws {
        let ports = AudioPorts()
        let thread = try await Self.start("room", ports)
        try await Self.wait(200)
        Self.tool("ctl stall 0.5")
        try await Self.wait(1200)
        #expect(ports.gauges.state == .running)
        #expect(ports.capture.losses == 0)
        Self.tool("ctl stall 4")
        try await Self.wait(2600)
        if case .lost = ports.capture.state {} else { Issue.record("\(ports.capture.state)") }
        try await Self.reach(.running, ports)
        await thread.stop()
    }

    @Test func driftBetweenCardsIsCorrected() async throws {
        Self.tool("ctl set mic_ppm 3000")
        let ports = AudioPorts()
        let thread = try await Self.start("room", ports)
        try await Self.feed(ports, seconds: 12)
        await thread.stop()
        Self.tool("ctl set mic_ppm 0")
        print("drift", Self.counters(ports))
        #expect(ports.gauges.counters.slips >= 1)
        #expect(ports.gauges.counters.playbackXruns == 0)
    }

    @Test func stopsWithinASecond() async throws {
        let ports = AudioPorts()
        let thread = try await Self.start("room", ports)
        let began = clinux_monotonic_ns()
        await thread.stop()
        #expect(clinux_monotonic_ns() - began < 1_000_000_000)
        #expect(ports.gauges.state == .stopped)
    }
}
