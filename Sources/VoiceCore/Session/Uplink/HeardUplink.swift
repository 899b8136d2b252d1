internal import VoiceBase

/// Encodes microphone messages, and measures them for services that do not report when the user speaks. Lives on the network
/// thread.
final class HeardUplink: UplinkEncoder {
    private let encoder: any UplinkEncoder
    private var loudness = LoudnessVoice()
    private var isLoud = false

    /// - Parameter encoder: writes the messages.
    init(_ encoder: any UplinkEncoder) { self.encoder = encoder }

    func longestMessage(samples: Int) -> Int { encoder.longestMessage(samples: samples) }

    func write(_ samples: UnsafeBufferPointer<Int16>, into output: UnsafeMutableRawBufferPointer) -> Int {
        isLoud = loudness.consume(samples)
        return encoder.write(samples, into: output)
    }

    func reset() {
        encoder.reset()
        loudness = LoudnessVoice()
    }

    /// Whether the latest message contains a voice.
    ///
    /// - Parameter detected: whether a voice was detected in it; nil without a detector.
    func isVoice(_ detected: Bool?) -> Bool { loudness.isSound && (detected ?? isLoud) }
}

/// Detects a voice by level alone, if there is no better detector: well above the room's noise floor. Pure.
struct LoudnessVoice: Equatable, Sendable {
    /// Mean squares of 16-bit samples: -45 dBFS, and -70 dBFS, below which there is no sound at all.
    private static let least = 33_950.0
    private static let sound = 107.0
    /// 10 dB above the noise floor.
    private static let margin = 10.0

    private var floor = 107.0
    private(set) var isSound = false

    mutating func consume(_ samples: UnsafeBufferPointer<Int16>) -> Bool {
        var squares = 0.0
        for sample in samples { squares += Double(sample) * Double(sample) }
        let level = squares / Double(max(1, samples.count))
        isSound = level > Self.sound
        defer {
            // Falls at once, rises by 1 dB a second.
            let rise = 1 + 0.23 * Double(samples.count) / Double(AudioFormat.wireRate)
            floor = level < floor ? max(level, Self.sound) : min(floor * rise, Self.least)
        }
        return level > max(Self.least, floor * Self.margin)
    }
}
