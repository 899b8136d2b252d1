internal import VoiceBase

/// Detects a voice by level alone: well above the room's noise floor. Pure.
///
/// Used only if the audio thread has no voice detector, and therefore no verdict to read.
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
            // Falls immediately, rises by 1 dB a second.
            let rise = 1 + 0.23 * Double(samples.count) / Double(AudioFormat.wireRate)
            floor = level < floor ? max(level, Self.sound) : min(floor * rise, Self.least)
        }
        return level > max(Self.least, floor * Self.margin)
    }
}
