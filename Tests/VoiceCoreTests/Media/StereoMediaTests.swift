import Glibc
import Testing
import VoiceSimulator

@testable import TestSupport
@testable import VoiceAudio
@testable import VoiceMedia
@testable import VoiceReply

/// Stereo from a file to the card, through the real decoder.
@Suite(.serialized, .enabled(if: TestSound.canPlay, "ffmpeg is not installed"))
struct StereoMediaTests {
    /// A second of a WAV with one tone in each channel.
    private static func wave(_ tones: [(hertz: Double, amplitude: Double)]) -> [UInt8] {
        let channels = tones.map { tone($0.hertz, rate: 48_000, count: 48_000, amplitude: $0.amplitude) }
        var bytes: [UInt8] = []
        for index in 0..<48_000 {
            for channel in channels {
                let sample = Int16((channel[index] * 32_767).rounded())
                bytes += [UInt8(truncatingIfNeeded: sample), UInt8(truncatingIfNeeded: sample >> 8)]
            }
        }
        return WaveFile.header(dataBytes: bytes.count, channels: tones.count) + bytes
    }

    private static let sides = [(hertz: 1000.0, amplitude: 0.4), (hertz: 1500.0, amplitude: 0.2)]

    /// The amplitude of both tones in half a second from the middle of the audio.
    private func tones(_ samples: [Float]) -> [Double] {
        guard let first = samples.firstIndex(where: { abs($0) > 0.01 }), samples.count > first + 33_600 else {
            return []
        }
        let middle = samples[(first + 9600)..<(first + 33_600)]
        return [1000.0, 1500].map { ToneMeter(middle, frequency: $0, rate: 48_000).amplitude }
    }

    private func isNear(_ found: [Double], _ expected: [Double]) -> Bool {
        found.count == expected.count && zip(found, expected).allSatisfy { abs($0 - $1) < 0.002 }
    }

    @Test func leftAndRightOfAFileReachLeftAndRightOfTheCard() async throws {
        let path = "/tmp/stereo-media-\(getpid()).wav"
        defer { unlink(path) }
        let room = try FileRoom(recording: path, channels: 2, speed: 4)
        let stage = try await MediaStage(room: room)
        stage.server.serve("/a", .file(type: "audio/wav", Self.wave(Self.sides)))
        _ = try await stage.player.play(address: stage.address("/a"), title: "Sides", kind: .track)
        try await stage.wait("the end") { stage.news == [.queueEnded(last: "Sides")] }
        await stage.stop()
        let recording = try StereoRecording(path)
        let (left, right) = (tones(recording.left), tones(recording.right))
        #expect(isNear(left, [0.4, 0]), "\(left)")
        #expect(isNear(right, [0, 0.2]), "\(right)")
    }

    @Test(arguments: [(1, true), (2, false)])
    func aSingleLoudspeakerPlaysTheMean(channels: Int, isStereo: Bool) async throws {
        let stage = try await MediaStage { $0.isStereo = isStereo }
        stage.ports.playback.channels = channels
        stage.server.serve("/a", .file(type: "audio/wav", Self.wave(Self.sides)))
        _ = try await stage.player.play(address: stage.address("/a"), title: "Mean", kind: .track)
        try await stage.wait("the end") { stage.news == [.queueEnded(last: "Mean")] }
        let sound = stage.stereo
        await stage.stop()
        #expect(sound.allSatisfy { $0.left == $0.right })
        let both = tones(sound.map(\.left))
        #expect(isNear(both, [0.2, 0.1]), "\(both)")
    }

    /// One channel keeps its level; many channels do not clip.
    @Test(arguments: [1, 2, 6], [true, false])
    func anyNumberOfChannelsIsPlayedAtItsLevel(count: Int, isStereo: Bool) async throws {
        let stage = try await MediaStage { $0.isStereo = isStereo }
        let tones = [(hertz: Double, amplitude: Double)](repeating: (1000, 0.9), count: count)
        stage.server.serve("/a", .file(type: "audio/wav", Self.wave(tones)))
        _ = try await stage.player.play(address: stage.address("/a"), title: "Level", kind: .track)
        try await stage.wait("the end") { stage.news == [.queueEnded(last: "Level")] }
        let sound = stage.stereo
        await stage.stop()
        let (left, right) = (self.tones(sound.map(\.left)), self.tones(sound.map(\.right)))
        #expect(isNear(left, [0.9, 0]) && isNear(right, [0.9, 0]), "\(left) \(right)")
    }
}
