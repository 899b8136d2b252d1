internal import Glibc
internal import VoiceConversation

/// What 10 ms of the microphone say of a talker. Pure.
struct StepMeter {
    private var floor = RoomFloor()
    private var talker = TalkerLevel()
    private let tellsVoices: Bool

    /// - Parameter tellsVoices: the audio thread tells voices from other sound; otherwise what is loud is a voice.
    init(tellsVoices: Bool) { self.tellsVoices = tellsVoices }

    mutating func take(_ chunk: MicrophoneChunk) -> HeardStep {
        let level = Self.level(chunk.samples)
        let isLoud = floor.take(level, isSilence: chunk.isHeldBack)
        let isHeard = tellsVoices ? chunk.isVoice && level > floor.level + 3 : isLoud
        let isVoice = talker.take(level, isVoice: isHeard)
        var heard = HeardStep(isVoice: isVoice, level: level, floor: floor.level)
        heard.isHeldBack = chunk.isHeldBack
        heard.boxSounds = chunk.boxSounds
        return heard
    }

    /// Mean power in dBFS, -100 at least.
    static func level(_ samples: some Collection<Int16>) -> Float {
        guard !samples.isEmpty else { return -100 }
        let sum = samples.reduce(Float(0)) { $0 + Float($1) * Float($1) }
        return max(-100, 10 * log10f(sum / Float(samples.count) / (32_768 * 32_768) + 1e-12))
    }
}

/// How loud the talker is: what is far fainter is the room after him, of which the detector takes half a second for voice.
struct TalkerLevel {
    /// dB below him.
    private static let range: Float = 24
    /// dB in 10 ms.
    private static let fall: Float = 0.1
    private var level: Float = -100

    /// - Returns: whether it is his voice.
    mutating func take(_ next: Float, isVoice: Bool) -> Bool {
        level = max(level - Self.fall, -100)
        guard isVoice else { return false }
        level = max(level, next)
        return next > level - Self.range
    }
}

/// How loud the room is without a voice: follows what is fainter at once, and what is louder by 2 dB a second.
struct RoomFloor {
    private(set) var level: Float = -60
    /// What stands out by so much is loud.
    private static let margin: Float = 12
    private static let faintest: Float = -75
    private static let loudest: Float = -30
    /// dB in 10 ms.
    private static let rise: Float = 0.02

    /// - Returns: whether it stands out.
    mutating func take(_ next: Float, isSilence: Bool) -> Bool {
        guard !isSilence, next > -99 else { return false }
        let isLoud = next > level + Self.margin && next > -50
        if next < level { level += (next - level) * 0.1 } else { level += Self.rise }
        level = min(max(level, Self.faintest), Self.loudest)
        return isLoud
    }
}
