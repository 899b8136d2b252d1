internal import Glibc
internal import VoiceBase
package import VoiceConversation

/// Audio for turn detection: the latest 35 seconds at 16 kHz, and the measurement of each 10 ms. Lives on the network
/// thread.
package final class MicrophoneAnalyzer {
    /// Samples of a step.
    package static let step = 160
    package static let rate = 16_000
    private static let steps = 3500

    private let converter = WireConverter(from: AudioFormat.wireRate, to: rate)
    private var sound = [Int16](repeating: 0, count: steps * step)
    /// Samples so far.
    package private(set) var samples = 0
    private var meter: StepMeter

    /// - Parameter hasVoiceDetector: whether the audio thread has a voice detector; otherwise anything loud counts as a voice.
    package init(hasVoiceDetector: Bool) { meter = StepMeter(hasVoiceDetector: hasVoiceDetector) }

    /// Milliseconds so far.
    var milliseconds: Int { samples * 1000 / Self.rate }

    /// Takes 10 ms.
    package func consume(_ chunk: MicrophoneChunk) -> HeardStep {
        converter.convert(chunk.samples) { converted in
            for index in 0..<Self.step {
                let sample = index < converted.count ? converted[index] : 0
                sound[(samples + index) % sound.count] = sample
            }
        }
        samples += Self.step
        return meter.consume(chunk)
    }

    /// The audio of these steps at the level recognisers prefer, -23 dBFS during speech: Whisper decodes faint audio
    /// several times over.
    package func speech(of steps: Range<Int>) -> [Int16] { sound(of: steps, gain: gain(of: steps)) }

    /// The gain that brings these steps to that level.
    func gain(of steps: Range<Int>) -> Float {
        let audio = raw(steps)
        guard !audio.isEmpty else { return 1 }
        var levels: [Float] = []
        var peak: Int32 = 1
        for start in stride(from: 0, to: audio.count, by: Self.step) {
            let piece = audio[start..<min(start + Self.step, audio.count)]
            levels.append(StepMeter.level(piece))
            for sample in piece { peak = max(peak, abs(Int32(sample))) }
        }
        // The louder half is taken as speech.
        levels.sort()
        let loud = levels[(levels.count / 2)...]
        let level = loud.reduce(0, +) / Float(max(1, loud.count))
        return min(powf(10, min(30, max(-10, -23 - level)) / 20), 30_000 / Float(peak))
    }

    package func sound(of steps: Range<Int>, gain: Float) -> [Int16] {
        raw(steps).map { Int16(max(-32_768, min(32_767, (Float($0) * gain).rounded()))) }
    }

    private func raw(_ steps: Range<Int>) -> [Int16] {
        let first = max(steps.lowerBound * Self.step, samples - sound.count, 0)
        let end = min(steps.upperBound * Self.step, samples)
        return first < end ? (first..<end).map { sound[$0 % sound.count] } : []
    }
}
