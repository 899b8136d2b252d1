import CLinux
import Glibc
import Synchronization
import Testing

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
        _ pipes: AudioPipes,
        log: LineLog = LineLog()
    ) async throws -> SoundKeeper {
        let keeper = SoundKeeper(
            configuration: AudioConfiguration(source: .alsa(capture: device, playback: device)),
            pipes: pipes,
            logger: log.logger
        )
        try await keeper.start()
        return keeper
    }

    /// Waits until both devices are as wanted; returns the milliseconds it took.
    @discardableResult
    private static func reach(_ state: DeviceState, _ pipes: AudioPipes, within seconds: Int = 5) async throws -> Int {
        for step in 0..<seconds * 100 {
            if pipes.capture.state == state && pipes.playback.state == state { return step * 10 }
            try await wait(10)
        }
        Issue.record("never \(state): \(pipes.capture.state), \(pipes.playback.state)")
        return seconds * 1000
    }

    private static func wait(_ milliseconds: Int) async throws {
        try await Task.sleep(for: .milliseconds(milliseconds))
    }

    /// A sine of -10 dBFS at 500 Hz.
    private static func sine(_ samples: Int, from start: Int = 0) -> [Int16] {
        (start..<start + samples).map { Int16(10_000 * sinf(2 * .pi * 500 * Float($0) / 24_000)) }
    }

    private static func counters(_ pipes: AudioPipes) -> String {
        "periods \(pipes.periods.load(ordering: .relaxed)) xruns \(pipes.captureXruns.load(ordering: .relaxed))/"
            + "\(pipes.playbackXruns.load(ordering: .relaxed)) slips \(pipes.slips.load(ordering: .relaxed)) "
            + "cycle max \(pipes.cycleMaxMicroseconds.load(ordering: .relaxed)) us, delays "
            + "\(pipes.playbackDelayFrames.load(ordering: .relaxed))/\(pipes.captureDelayFrames.load(ordering: .relaxed))"
    }

    private static func feed(_ pipes: AudioPipes, seconds: Double) async throws {
        var fed = 0
        while fed < Int(seconds * 24_000) && pipes.state == .running {
            let block = sine(
                min(2400, Int(seconds * 24_000) - fed, pipes.voice.availableToWrite),
                from: fed
            )
            fed += pipes.voice.write(block, count: block.count)
            try await wait(40)
        }
    }

    @Test(arguments: ["room", "plugroom", "default"])
    func playsAndCapturesWithoutXruns(device: String) async throws {
        let path = "/tmp/room-\(device)-\(getpid()).wav"
        defer { unlink(path) }
        let pipes = AudioPipes()
        let thread = try await Self.start(device, pipes)
        Self.tool("record \(path) --start")
        try await Self.feed(pipes, seconds: Double(Self.seconds))
        await thread.stop()
        Self.tool("record --stop")
        print(device, Self.counters(pipes))
        #expect(pipes.state == .stopped)
        #expect(pipes.captureXruns.load(ordering: .relaxed) == 0)
        #expect(pipes.playbackXruns.load(ordering: .relaxed) == 0)
        #expect(pipes.capture.losses.load(ordering: .relaxed) == 0, "an end is no loss")
        #expect(pipes.playback.losses.load(ordering: .relaxed) == 0)
        #expect(pipes.microphonePeak.load(ordering: .relaxed) > LevelMeter.floor)
        #expect(pipes.voiceHeard.load(ordering: .relaxed) == pipes.voice.writePosition)

        // The tone in the recording has no hole and no jump: its curvature follows the sine's.
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
        let pipes = AudioPipes()
        let thread = try await Self.start(device, pipes)
        Self.tool("record \(path) --start")
        let block = Self.sine(12_000)
        pipes.voice.write(block, count: block.count)
        try await Self.wait(250)
        let asked = clinux_monotonic_ns()
        let position = pipes.requestFlush()
        while pipes.flushDone.load(ordering: .acquiring) < position && clinux_monotonic_ns() - asked < 1_000_000_000 {
            try await Self.wait(1)
        }
        let took = Double(clinux_monotonic_ns() - asked) / 1e6
        let heard = pipes.flushHeard.load(ordering: .relaxed)
        try await Self.wait(300)
        pipes.voice.write(block, count: 2400)
        await thread.stop()
        Self.tool("record --stop")
        let played = try WaveFile.read(path)
        let first = played.firstIndex { abs($0) > 0.02 } ?? 0
        let gap = played[(first + 1)...].indices.first { index in
            index + 2400 < played.count && played[index..<index + 2400].allSatisfy { abs($0) < 0.001 }
        }
        let cut = (gap ?? 0) - first
        print(device, "flush took \(took) ms; heard \(heard * 2) frames, recorded \(cut)", Self.counters(pipes))
        // What is reported is what the recording has, but for the fade and a tick of the card's clock.
        #expect(abs(cut - Int(heard) * 2) < 480)
        #expect(played[(first + cut + 2400)...].contains { abs($0) > 0.2 })
        #expect(pipes.playbackXruns.load(ordering: .relaxed) == 0)
    }

    @Test func anUnpluggedCardIsLostAndComesBack() async throws {
        let pipes = AudioPipes()
        let log = LineLog()
        let sound = try await Self.start("room", pipes, log: log)
        try await Self.reach(.running, pipes)
        Self.tool("ctl unplug")
        try await Self.wait(1000)
        #expect(pipes.state == .running)
        let cycles = pipes.periods.load(ordering: .relaxed)
        try await Self.wait(2000)
        // Time goes on without a card, and nothing is told twice.
        #expect(abs(Int(pipes.periods.load(ordering: .relaxed) - cycles) - 200) < 20)
        #expect(log.lines.filter { $0.contains("lost") }.count == 2, "\(log.lines)")
        Self.tool("ctl plug")
        let took = try await Self.reach(.running, pipes)
        print("heard again after \(took) ms", Self.counters(pipes))
        #expect(took < 3000)
        let block = Self.sine(4800)
        pipes.voice.write(block, count: block.count)
        try await Self.wait(500)
        #expect(pipes.voiceHeard.load(ordering: .relaxed) == 4800)
        await sound.stop()
    }

    @Test func startsWithoutACardAndTakesItWhenItComes() async throws {
        Self.tool("ctl unplug")
        let pipes = AudioPipes()
        let log = LineLog()
        let sound = try await Self.start("room", pipes, log: log)
        try await Self.wait(1500)
        #expect(log.lines.filter { $0.contains("waiting for device") }.count == 2, "\(log.lines)")
        if case .waiting = pipes.capture.state {} else { Issue.record("\(pipes.capture.state)") }
        Self.tool("ctl plug")
        #expect(try await Self.reach(.running, pipes) < 3000)
        await sound.stop()
    }

    @Test func aBusyCardSaysSoAndIsTakenLater() async throws {
        Self.tool("ctl busy 1")
        let pipes = AudioPipes()
        let log = LineLog()
        let sound = try await Self.start("room", pipes, log: log)
        try await Self.wait(300)
        #expect(log.lines.contains { $0.contains("capture device \"room\" is in use by") }, "\(log.lines)")
        Self.tool("ctl busy 0")
        #expect(try await Self.reach(.running, pipes) < 3000)
        await sound.stop()
    }

    @Test func aMicrophoneThatDeliversZerosIsOpenedAnewAndToldOnce() async throws {
        let pipes = AudioPipes()
        let log = LineLog()
        let sound = try await Self.start("room", pipes, log: log)
        Self.tool("ctl set mic_mute 1")
        try await Self.wait(12_500)
        #expect(pipes.capture.state == .silent)
        #expect(pipes.capture.openings.load(ordering: .relaxed) == 2)
        #expect(log.lines.filter { $0.contains("muted at the device?") }.count == 1, "\(log.lines)")
        Self.tool("ctl set mic_mute 0")
        try await Self.reach(.running, pipes)
        #expect(log.lines.contains { $0.contains("heard again") }, "\(log.lines)")
        await sound.stop()
    }

    @Test(arguments: ["xrun playback", "xrun capture", "suspend", "lag 0.2"])
    func goesOnAfter(fault: String) async throws {
        let pipes = AudioPipes()
        let thread = try await Self.start("room", pipes)
        try await Self.wait(300)
        Self.tool("ctl \(fault)")
        try await Self.wait(700)
        let before = pipes.periods.load(ordering: .relaxed)
        let block = Self.sine(4800)
        pipes.voice.write(block, count: block.count)
        try await Self.wait(600)
        print(fault, Self.counters(pipes))
        #expect(pipes.state == .running)
        #expect(pipes.periods.load(ordering: .relaxed) > before + 30)
        #expect(pipes.voiceHeard.load(ordering: .relaxed) == 4800)
        let xruns = pipes.captureXruns.load(ordering: .relaxed) + pipes.playbackXruns.load(ordering: .relaxed)
        #expect(xruns >= 1)
        await thread.stop()
    }

    @Test func aShortStallPassesALongOneIsALoss() async throws {
        let pipes = AudioPipes()
        let thread = try await Self.start("room", pipes)
        try await Self.wait(200)
        Self.tool("ctl stall 0.5")
        try await Self.wait(1200)
        #expect(pipes.state == .running)
        #expect(pipes.capture.losses.load(ordering: .relaxed) == 0)
        Self.tool("ctl stall 4")
        try await Self.wait(2600)
        if case .lost = pipes.capture.state {} else { Issue.record("\(pipes.capture.state)") }
        try await Self.reach(.running, pipes)
        await thread.stop()
    }

    @Test func driftBetweenMicrophoneAndLoudspeakerIsMadeUpFor() async throws {
        Self.tool("ctl set mic_ppm 3000")
        let pipes = AudioPipes()
        let thread = try await Self.start("room", pipes)
        try await Self.feed(pipes, seconds: 12)
        await thread.stop()
        Self.tool("ctl set mic_ppm 0")
        print("drift", Self.counters(pipes))
        #expect(pipes.slips.load(ordering: .relaxed) >= 1)
        #expect(pipes.playbackXruns.load(ordering: .relaxed) == 0)
    }

    @Test func stopsWithinASecond() async throws {
        let pipes = AudioPipes()
        let thread = try await Self.start("room", pipes)
        let began = clinux_monotonic_ns()
        await thread.stop()
        #expect(clinux_monotonic_ns() - began < 1_000_000_000)
        #expect(pipes.state == .stopped)
    }
}
