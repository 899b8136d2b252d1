internal import Glibc
package import VoiceConversation

/// Measures 10 ms of the microphone for a talker. Pure.
///
/// Reads the audio thread's verdict, `MicrophoneTap.voices`. That verdict takes reverberation for voice, so the level corrects it.
package struct StepMeter {
    private var floor = RoomFloor()
    private var talker = TalkerLevel()
    private let hasVoiceDetector: Bool

    /// - Parameter hasVoiceDetector: whether the audio thread has a voice detector; otherwise anything loud counts as a voice.
    package init(hasVoiceDetector: Bool) { self.hasVoiceDetector = hasVoiceDetector }

    package mutating func consume(_ chunk: MicrophoneChunk) -> HeardStep {
        let level = Self.level(chunk.samples)
        let isLoud = floor.consume(level, isSilence: chunk.isHeldBack)
        let isHeard = hasVoiceDetector ? chunk.isVoice && level > floor.level + 3 : isLoud
        let isVoice = talker.consume(level, isVoice: isHeard)
        var heard = HeardStep(isVoice: isVoice, level: level, floor: floor.level)
        heard.isHeldBack = chunk.isHeldBack
        heard.boxSounds = chunk.boxSounds
        return heard
    }

    /// Mean power in dBFS, at least -100.
    static func level(_ samples: some Collection<Int16>) -> Float {
        guard !samples.isEmpty else { return -100 }
        let sum = samples.reduce(Float(0)) { $0 + Float($1) * Float($1) }
        return max(-100, 10 * log10f(sum / Float(samples.count) / (32_768 * 32_768) + 1e-12))
    }
}

/// Tracks the talker's level. Sound far below it is reverberation, which the detector takes for voice for half a second.
struct TalkerLevel {
    /// dB below the talker.
    private static let range: Float = 24
    /// dB per 10 ms.
    private static let fall: Float = 0.1
    private var level: Float = -100

    /// - Returns: whether it is the talker's voice.
    mutating func consume(_ next: Float, isVoice: Bool) -> Bool {
        level = max(level - Self.fall, -100)
        guard isVoice else { return false }
        level = max(level, next)
        return next > level - Self.range
    }
}

/// Tracks the room's noise floor: falls by a tenth of the difference every 10 ms, rises by 2 dB a second.
struct RoomFloor {
    private(set) var level: Float = -60
    /// Sound this many dB above the floor is loud.
    private static let margin: Float = 12
    private static let faintest: Float = -75
    private static let loudest: Float = -30
    /// dB per 10 ms.
    private static let rise: Float = 0.02

    /// - Returns: whether the level is loud.
    mutating func consume(_ next: Float, isSilence: Bool) -> Bool {
        guard !isSilence, next > -99 else { return false }
        let isLoud = next > level + Self.margin && next > -50
        if next < level { level += (next - level) * 0.1 } else { level += Self.rise }
        level = min(max(level, Self.faintest), Self.loudest)
        return isLoud
    }
}
