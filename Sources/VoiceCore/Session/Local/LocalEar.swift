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
    private var meter: StepMeter

    /// - Parameter tellsVoices: the audio thread tells voices from other sound; otherwise what is loud is a voice.
    init(tellsVoices: Bool) { meter = StepMeter(tellsVoices: tellsVoices) }

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
        return meter.take(chunk)
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
            levels.append(StepMeter.level(piece))
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
