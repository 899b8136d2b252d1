internal import Glibc
internal import VoiceBase

/// 16 bit PCM WAV files: reads complete mono files, writes growing ones.
package enum WaveFile {
    /// Returns the samples of a mono 16 bit file at 48 kHz, full scale 1.
    package static func read(_ path: String) throws(AudioDeviceError) -> [Float] {
        let bytes: [UInt8]
        do throws(FileReader.Fault) {
            bytes = try FileReader.system.read(path, 512 << 20).bytes
        } catch {
            throw .file(path: path, reason: "\(error)")
        }
        return try parse(bytes, path: path)
    }

    /// Parses RIFF WAVE: chunks of a four-letter name, a 32 bit length and a body padded to even length.
    static func parse(_ bytes: [UInt8], path: String) throws(AudioDeviceError) -> [Float] {
        func integer(_ offset: Int, _ count: Int) -> Int {
            (0..<count).reduce(0) { $0 | Int(bytes[offset + $1]) << (8 * $1) }
        }
        func tag(_ offset: Int) -> String { String(decoding: bytes[offset..<offset + 4], as: UTF8.self) }
        guard bytes.count >= 12, tag(0) == "RIFF", tag(8) == "WAVE" else {
            throw .file(path: path, reason: "is not a WAV file")
        }
        var offset = 12
        var fits = false
        while offset + 8 <= bytes.count {
            let body = offset + 8
            let length = min(integer(offset + 4, 4), bytes.count - body)
            if tag(offset) == "fmt " && length >= 16 {
                let format = (integer(body, 2), integer(body + 2, 2), integer(body + 4, 4), integer(body + 14, 2))
                guard format.0 == 1 || format.0 == 0xFFFE, format.1 == 1, format.2 == AudioFormat.deviceRate,
                    format.3 == 16
                else {
                    throw .file(
                        path: path,
                        reason: "has \(format.1) channels at \(format.2) Hz with \(format.3) bits; needs 1 at "
                            + "\(AudioFormat.deviceRate) Hz with 16 (sox IN -c 1 -r 48000 -b 16 OUT.wav)"
                    )
                }
                fits = true
            }
            if tag(offset) == "data" && fits {
                return (0..<length / 2).map { index in
                    Float(Int16(truncatingIfNeeded: integer(body + 2 * index, 2))) / 32_768
                }
            }
            offset = body + length + (length & 1)
        }
        throw .file(path: path, reason: "contains no audio")
    }

    /// Returns the 44 bytes that precede `dataBytes` bytes of samples.
    package static func header(dataBytes: Int, rate: Int = AudioFormat.deviceRate, channels: Int = 1) -> [UInt8] {
        func little(_ value: Int, _ count: Int) -> [UInt8] {
            (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        }
        return Array("RIFF".utf8) + little(36 + dataBytes, 4) + Array("WAVEfmt ".utf8) + little(16, 4) + little(1, 2)
            + little(channels, 2) + little(rate, 4) + little(rate * channels * 2, 4) + little(channels * 2, 2)
            + little(16, 2) + Array("data".utf8) + little(dataBytes, 4)
    }
}

/// A growing WAV file: collects half a second, then writes it together with the new length.
struct WaveWriter: ~Copyable {
    private static let block = AudioFormat.deviceRate / 2
    private let file: Int32
    private let channels: Int
    private var pending: [Int16] = []
    private var dataBytes = 0

    init(path: String, channels: Int = 1) throws(AudioDeviceError) {
        self.channels = channels
        file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard file >= 0 else { throw .file(path: path, reason: String(cString: strerror(errno))) }
        pending.reserveCapacity(Self.block + AudioFormat.periodFrames * channels)
        writeHeader(dataBytes: 0)
    }

    deinit { close(file) }

    /// Appends interleaved samples.
    mutating func append(_ samples: UnsafePointer<Float>, count: Int) {
        for index in 0..<count {
            pending.append(Int16(max(-32_768, min(32_767, (samples[index] * 32_768).rounded()))))
        }
        if pending.count >= Self.block { flush() }
    }

    /// Writes pending samples; the file is valid afterwards. Samples that a full disk refuses are lost.
    mutating func flush() {
        writeHeader(dataBytes: dataBytes + pending.count * 2)
        let offset = 44 + dataBytes
        let written = pending.withUnsafeBytes { $0.isEmpty ? 0 : pwrite(file, $0.baseAddress, $0.count, offset) }
        dataBytes += max(0, written)
        pending.removeAll(keepingCapacity: true)
    }

    private func writeHeader(dataBytes: Int) {
        let header = WaveFile.header(dataBytes: dataBytes, channels: channels)
        _ = header.withUnsafeBytes { pwrite(file, $0.baseAddress, $0.count, 0) }
    }
}
