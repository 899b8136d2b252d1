import VoiceSimulator

@testable import VoiceBase

/// The words in a recording of the simulator's tones: one stretch of audio with one frequency per word.
struct MarkerTones: CustomStringConvertible {
    struct Tone: Equatable {
        /// Frames at 48 kHz.
        var frames: Range<Int>
        /// Hertz.
        var frequency: Double
    }

    private(set) var tones: [Tone] = []
    /// Frames in the recording.
    let length: Int

    /// Blocks of 5 ms count as audible from -40 dBFS on.
    init(_ samples: [Float]) {
        length = samples.count
        let block = AudioFormat.deviceRate / 200
        var start: Int?
        for index in 0...samples.count / block {
            let isSound = samples[min(index * block, samples.count)..<min((index + 1) * block, samples.count)]
                .contains { abs($0) > 0.01 }
            if isSound, start == nil { start = index * block }
            if !isSound, let begin = start {
                tones.append(
                    Tone(frames: begin..<index * block, frequency: Self.frequency(samples[begin..<index * block]))
                )
                start = nil
            }
        }
    }

    /// Computed from the distance of the first and the last upward zero crossing, away from the tone's ramps and the
    /// filters' transients.
    private static func frequency(_ samples: ArraySlice<Float>) -> Double {
        var crossings: [Double] = []
        let ramp = AudioFormat.deviceRate / 100
        for index in samples.indices.dropFirst(ramp + 1).dropLast(ramp)
        where samples[index - 1] < 0 && samples[index] >= 0 {
            let step = Double(samples[index] - samples[index - 1])
            crossings.append(Double(index) - Double(samples[index]) / step)
        }
        guard let first = crossings.first, let last = crossings.last, last > first else { return 0 }
        return Double(crossings.count - 1) * Double(AudioFormat.deviceRate) / (last - first)
    }

    /// Whether the recording contains the words of `text`, in order, and nothing else.
    func spell(_ text: String) -> Bool {
        let words = text.split(whereSeparator: \.isWhitespace)
        return words.count == tones.count
            && zip(words, tones).allSatisfy { abs(SpokenVoice.markerFrequency($0) - $1.frequency) < 5 }
    }

    /// Whether anything is audible in these frames.
    func sounds(in frames: Range<Int>) -> Bool {
        tones.contains { $0.frames.overlaps(frames) }
    }

    var description: String {
        tones.map { "\(Int($0.frequency.rounded())) Hz at \($0.frames.lowerBound / 48) ms" }.joined(separator: ", ")
    }
}
