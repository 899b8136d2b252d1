@testable import VoiceAudio
@testable import VoiceBase

/// Both channels of a WAV that `FileRoom` recorded with two channels.
struct StereoRecording {
    var left: [Float] = []
    var right: [Float] = []

    /// Stays empty if the file's header is not the one that is written.
    init(_ path: String) throws {
        let bytes = try FileReader.system.read(path, 64 << 20).bytes
        let expected = WaveFile.header(dataBytes: bytes.count - 44, channels: 2)
        guard bytes.starts(with: expected) else { return }
        for place in stride(from: 44, to: bytes.count - 3, by: 4) {
            left.append(Self.sample(bytes, place))
            right.append(Self.sample(bytes, place + 2))
        }
    }

    private static func sample(_ bytes: [UInt8], _ place: Int) -> Float {
        Float(Int16(truncatingIfNeeded: Int(bytes[place]) | Int(bytes[place + 1]) << 8)) / 32_768
    }
}
