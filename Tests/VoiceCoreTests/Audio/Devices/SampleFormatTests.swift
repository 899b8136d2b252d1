import CAlsa
import Testing

@testable import VoiceAudio

struct SampleFormatTests {
    @Test(arguments: SampleFormat.allCases)
    func givesBackEvery16BitValueExactly(format: SampleFormat) {
        let raw = UnsafeMutableRawPointer.allocate(byteCount: 4, alignment: 4)
        defer { raw.deallocate() }
        var wrong = 0
        for value in -32_768...32_767 {
            let sample = Float(value) / 32_768
            format.encode(sample, to: raw)
            if format.decode(raw) != sample { wrong += 1 }
        }
        #expect(wrong == 0)
    }

    @Test(arguments: SampleFormat.allCases)
    func limitsToFullScale(format: SampleFormat) {
        let raw = UnsafeMutableRawPointer.allocate(byteCount: 4, alignment: 4)
        defer { raw.deallocate() }
        format.encode(3, to: raw)
        let high = format.decode(raw)
        format.encode(-3, to: raw)
        let low = format.decode(raw)
        #expect(high > 0.9999 && high <= 1)
        #expect(low == -1)
    }

    @Test func ignoresTheFourthByteOf24Bits() {
        let bytes: [UInt8] = [0, 0, 0x40, 0xFF]
        let value = bytes.withUnsafeBytes { $0.baseAddress.map { SampleFormat.s24.decode($0) } }
        #expect(value == 0.5)
    }

    /// `devices` shows them beside what ALSA's tools print.
    @Test func formatsHaveTheNamesOfALSA() {
        for (format, code) in ALSAStream.formats {
            #expect(snd_pcm_format_name(code).map { String(cString: $0) } == format.description)
        }
    }

    @Test func brokenFloatsAreSilence() {
        let value = withUnsafeBytes(of: Float.nan) { $0.baseAddress.map { SampleFormat.float.decode($0) } }
        #expect(value == 0)
    }

    @Test func takesOneChannelOrTheMean() {
        let stereo: [Int16] = [16_384, -16_384, 8192, 0]
        var mono = [Float](repeating: 9, count: 2)
        func decode(_ selection: ChannelSelection) -> [Float] {
            stereo.withUnsafeBytes { bytes in
                guard let base = bytes.baseAddress else { return }
                SampleFormat.s16.decode(base, frames: 2, channels: 2, selection: selection, into: &mono)
            }
            return mono
        }
        #expect(decode(.average) == [0, 0.125])
        #expect(decode(.channel(0)) == [0.5, 0.25])
        #expect(decode(.channel(1)) == [-0.5, 0])
        #expect(decode(.channel(7)) == [-0.5, 0])
    }

    @Test(arguments: [
        (1, [4096, -16_384]), (2, [16_384, -8192, -16_384, -16_384]),
        (4, [16_384, -8192, 4096, 4096, -16_384, -16_384, -16_384, -16_384]),
    ])
    func otherChannelsPlayTheMeanOfLeftAndRight(channels: Int, expected: [Int16]) {
        var raw = [Int16](repeating: 0, count: 2 * channels)
        raw.withUnsafeMutableBytes { bytes in
            guard let base = bytes.baseAddress else { return }
            let frames = [StereoFrame(left: 0.5, right: -0.25), StereoFrame(-0.5)]
            SampleFormat.s16.encode(frames, frames: 2, channels: channels, into: base)
        }
        #expect(raw == expected)
    }
}
