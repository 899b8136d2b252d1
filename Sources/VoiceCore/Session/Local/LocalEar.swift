internal import Glibc
internal import VoiceBase
internal import VoiceConversation

/// The sound of the turns: 16 kHz, the latest 35 seconds, and what each 10 ms of it say of a talker. Lives on the network thread.
final class LocalEar {
    /// Samples of a step.
    static let step = 160
    static let rate = 16_000
    private static let steps = 3500

    private let converter = WireConverter(from: AudioFormat.wireRate, to: rate)
    private var sound = [Int16](repeating: 0, count: steps * step)
    /// Samples so far.
    private(set) var samples = 0
    private var floor = RoomFloor()
    private var talker = TalkerLevel()
    private let tellsVoices: Bool

    /// - Parameter tellsVoices: the audio thread tells voices from other sound; otherwise what is loud is a voice.
    init(tellsVoices: Bool) { self.tellsVoices = tellsVoices }

    /// Milliseconds so far.
    var milliseconds: Int { samples * 1000 / Self.rate }

    /// Takes 10 ms.
    func take(_ chunk: MicrophoneChunk) -> HeardStep {
        converter.convert(chunk.samples) { converted in
            for index in 0..<Self.step {
                let sample = index < converted.count ? converted[index] : 0
                sound[(samples + index) % sound.count] = sample
            }
        }
        samples += Self.step
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

    /// The sound of these steps at the level that recognisers like, -23 dBFS where it is speech: Whisper decodes what is faint
    /// several times over.
    func speech(of steps: Range<Int>) -> [Int16] { sound(of: steps, gain: gain(of: steps)) }

    /// The factor that brings these steps to that level.
    func gain(of steps: Range<Int>) -> Float {
        let raw = raw(steps)
        guard !raw.isEmpty else { return 1 }
        var levels: [Float] = []
        var peak: Int32 = 1
        for start in stride(from: 0, to: raw.count, by: Self.step) {
            let piece = raw[start..<min(start + Self.step, raw.count)]
            levels.append(Self.level(piece))
            for sample in piece { peak = max(peak, abs(Int32(sample))) }
        }
        // The louder half is speech.
        levels.sort()
        let loud = levels[(levels.count / 2)...]
        let level = loud.reduce(0, +) / Float(max(1, loud.count))
        return min(powf(10, min(30, max(-10, -23 - level)) / 20), 30_000 / Float(peak))
    }

    func sound(of steps: Range<Int>, gain: Float) -> [Int16] {
        raw(steps).map { Int16(max(-32_768, min(32_767, (Float($0) * gain).rounded()))) }
    }

    private func raw(_ steps: Range<Int>) -> [Int16] {
        let first = max(steps.lowerBound * Self.step, samples - sound.count, 0)
        let end = min(steps.upperBound * Self.step, samples)
        return first < end ? (first..<end).map { sound[$0 % sound.count] } : []
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
