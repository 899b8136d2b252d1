import Glibc
import Synchronization
import Testing

@testable import TestSupport
@testable import VoiceAudio
@testable import VoiceBase

struct FileDeviceTests {
    @Test func waveFilesRoundTrip() throws {
        let samples: [Float] = [0, 0.5, -0.5, 1, -1, 0.25]
        let path = "/tmp/voice-wave-\(getpid()).wav"
        defer { unlink(path) }
        var writer = try WaveWriter(path: path)
        writer.append(samples, count: samples.count)
        writer.flush()
        let read = try WaveFile.read(path)
        #expect(read == [0, 0.5, -0.5, Float(32_767) / 32_768, -1, 0.25])
    }

    @Test func aRoomCanBeRecordedFromBothSides() throws {
        let path = "/tmp/voice-stereo-\(getpid()).wav"
        defer { unlink(path) }
        let heard = Mutex<Float>(0)
        let room = try FileRoom(recording: path, channels: 2, speed: 50) { _, played in
            heard.withLock { $0 = played[0] }
        }
        var device = try FileDevice(room: room, bufferPeriods: 4)
        device.start()
        var written = 0
        _ = device.write([StereoFrame(left: 0.5, right: -0.25), StereoFrame(0.125)], count: 2, written: &written)
        var block = [Float](repeating: 0, count: 2)
        _ = device.read(into: &block, count: 2)
        device.close()
        #expect(heard.withLock { $0 } == 0.125)
        let recording = try StereoRecording(path)
        #expect(recording.left == [0.5, 0.125] && recording.right == [-0.25, 0.125])
    }

    @Test func otherWaveFormatsAreRefusedWithTheFix() {
        var header = WaveFile.header(dataBytes: 4) + [0, 0, 0, 0]
        header[24] = 0x80
        header[25] = 0x3E
        let error = #expect(throws: AudioDeviceError.self) { try WaveFile.parse(header, path: "a.wav") }
        #expect(error?.description.contains("16000 Hz") == true)
        #expect(error?.description.contains("sox") == true)
    }

    @Test func brokenWavesAreRefusedNotRead() {
        var seed: UInt64 = 42
        for _ in 0..<2000 {
            var bytes = WaveFile.header(dataBytes: 64) + [UInt8](repeating: 7, count: 64)
            for _ in 0..<3 {
                seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                bytes[Int(seed >> 33) % bytes.count] = UInt8(truncatingIfNeeded: seed >> 20)
            }
            bytes.removeLast(Int(seed >> 40) % bytes.count)
            _ = try? WaveFile.parse(bytes, path: "fuzz.wav")
        }
    }

    @Test func roomMixesSpeechAndEcho() throws {
        let room = try FileRoom(echo: .init(delayMilliseconds: 10, gainDecibels: -20))
        var device = try FileDevice(room: room, bufferPeriods: 4)
        device.start()
        var block = [Float](repeating: 0, count: 480)
        var written = 0
        _ = device.write(
            [StereoFrame](repeating: StereoFrame(left: 0.75, right: 0.25), count: 480), count: 480, written: &written
        )
        room.say([Float](repeating: 0.25, count: 480))
        _ = device.read(into: &block, count: 480)
        // The microphone has its own noise.
        #expect(block.allSatisfy { abs($0 - 0.25) < 1e-5 })
        _ = device.read(into: &block, count: 480)
        #expect(block.allSatisfy { abs($0 - 0.05) < 1e-5 })
        #expect(room.secondsToSay == 0)
    }

    @Test func reflectionsFollowTheEchoAndDecay() throws {
        var echo = RoomEcho(.init(delayMilliseconds: 10, gainDecibels: -20, reverberationMilliseconds: 200))
        var heard: [Float] = []
        for period in 0..<30 {
            var played = [Float](repeating: 0, count: 480)
            if period == 0 { played[0] = 1 }
            var microphone = [Float](repeating: 0, count: 480)
            echo.mix(played, into: &microphone, count: 480)
            heard += microphone
        }
        #expect(heard[..<480].allSatisfy { $0 == 0 }, "nothing before the direct path")
        #expect(abs(heard[480] - 0.1) < 1e-6)
        let reflections = heard[481..<10_560].filter { $0 != 0 }
        #expect(reflections.count >= 20)
        #expect(heard[10_560...].allSatisfy { $0 == 0 }, "nothing after the room")
        let early = heard[481..<2400].map(abs).max() ?? 0
        let late = heard[7000..<10_560].map(abs).max() ?? 0
        #expect(early < 0.06 && early > 10 * late && late > 0)
    }

    @Test func theNoiseHasTheLevelAskedFor() throws {
        var echo = RoomEcho(.init(delayMilliseconds: 0, gainDecibels: -20, noiseDecibels: -60))
        let silence = [Float](repeating: 0, count: 48_000)
        var microphone = silence
        echo.mix(silence, into: &microphone, count: microphone.count)
        let power = microphone.reduce(0) { $0 + $1 * $1 } / Float(microphone.count)
        #expect(abs(10 * log10f(power) + 60) < 0.5)
    }

    @Test func listenerAnswersInTheSamePeriod() throws {
        let heard = Mutex<[Float]>([])
        let room = try FileRoom(speed: 50) { room, played in
            heard.withLock { $0.append(played[0]) }
            if played[0] == 0.5 { room.say([Float](repeating: 0.25, count: 480)) }
        }
        var device = try FileDevice(room: room, bufferPeriods: 4)
        device.start()
        var block = [Float](repeating: 0, count: 480)
        var written = 0
        _ = device.write(
            [StereoFrame](repeating: StereoFrame(left: 0.75, right: 0.25), count: 480), count: 480, written: &written
        )
        _ = device.read(into: &block, count: 480)
        // The microphone has its own noise.
        #expect(block.allSatisfy { abs($0 - 0.25) < 1e-5 })
        _ = device.read(into: &block, count: 480)
        #expect(block.allSatisfy { abs($0) < 1e-5 })
        #expect(heard.withLock { $0 } == [0.5, 0])
    }

    @Test func aFastRoomPlaysTheSameInLessTime() async throws {
        let path = "/tmp/voice-fast-\(getpid()).wav"
        defer { unlink(path) }
        let room = try FileRoom(recording: path, speed: 20)
        let ports = AudioPorts()
        let thread = try await AudioThread.start(
            configuration: AudioConfiguration(source: .file(room), realtimePriority: 0), ports: ports
        )
        let voice = (0..<12_000).map { Int16(($0 % 50) * 100) }
        ports.voice.ring.write(voice, count: voice.count)
        await thread.stop(drain: true)
        #expect(ports.voice.progress.heard == 12_000)
        let played = try WaveFile.read(path)
        let first = played.firstIndex { abs($0) > 0.01 } ?? 0
        let last = played.lastIndex { abs($0) > 0.01 } ?? 0
        #expect((23_800...24_300).contains(last - first))
    }

    @Test func theThreadPlaysIntoTheFileAndDrains() async throws {
        let path = "/tmp/voice-room-\(getpid()).wav"
        defer { unlink(path) }
        let room = try FileRoom(recording: path)
        let ports = AudioPorts()
        let thread = try await AudioThread.start(
            configuration: AudioConfiguration(source: .file(room), realtimePriority: 0), ports: ports
        )
        #expect(ports.gauges.state == .running)
        let voice = (0..<2400).map { Int16(($0 % 50) * 100) }
        ports.voice.ring.write(voice, count: voice.count)
        await thread.stop(drain: true)
        #expect(ports.gauges.state == .stopped)
        #expect(ports.voice.progress.heard == 2400)
        let played = try WaveFile.read(path)
        let first = played.firstIndex { abs($0) > 0.01 } ?? 0
        let last = played.lastIndex { abs($0) > 0.01 } ?? 0
        #expect((4600...5100).contains(last - first))
    }

    @Test func unknownDeviceIsWaitedFor() async throws {
        let ports = AudioPorts()
        let log = LineLog()
        let sound = AudioSupervisor(
            configuration: AudioConfiguration(
                source: .alsa(capture: "hw:77,9", playback: "hw:77,9"), realtimePriority: 0
            ),
            ports: ports,
            logger: log.logger
        )
        try await sound.start()
        #expect(ports.gauges.state == .running)
        for _ in 0..<2000 where log.lines.count < 2 { try await Task.sleep(for: .milliseconds(10)) }
        #expect(log.lines.contains { $0.contains("waiting for device: no capture device \"hw:77,9\"") }, "\(log.lines)")
        #expect(log.lines.contains { $0.contains("waiting for device: no playback device \"hw:77,9\"") })
        ports.voice.ring.write([Int16](repeating: 100, count: 480), count: 480)
        await sound.stop()
        // It was "played" at the pace of a clock.
        #expect(ports.voice.progress.heard == 480)
    }
}
