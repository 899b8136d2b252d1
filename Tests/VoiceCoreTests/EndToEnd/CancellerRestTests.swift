import Glibc
import Testing

@testable import StageSupport
@testable import TestSupport
@testable import VoiceAudio
@testable import VoiceBase

extension EndToEnd {
    /// Two cancellers, sample by sample. Here because a suite of EndToEnd has a process of its own: creating a canceller fills
    /// tables that all cancellers of webrtc-audio-processing 0.3 share, and one that runs meanwhile is off by a bit.
    @Suite struct CancellerRestTests {
        /// A chord all along: over the beginning of the rest, 15 s after the last sound, and over its end.
        @Test func restIsInaudible() throws {
            var far = [Float](repeating: 0, count: 19 * 48_000)
            let last = tone(700, rate: 48_000, count: 24_000, amplitude: 0.05)
            far.replaceSubrange(17 * 48_000 + 100..<17 * 48_000 + 100 + last.count, with: last)
            let cycle = (0..<100).map { index -> Float in
                [480, 1440, 2880].reduce(Float(0)) { $0 + 0.05 * Float(sin(2 * .pi * $1 * Double(index) / 48_000)) }
            }
            let near = far.indices.map { cycle[$0 % 100] }
            let awake = try output(microphone: near, reference: far, rests: false)
            let rested = try output(microphone: near, reference: far, rests: true)
            #expect(rested.prefix(14 * 32_000) == awake.prefix(14 * 32_000))
            #expect(rested[16 * 32_000..<17 * 32_000] != awake[16 * 32_000..<17 * 32_000])
            // Above 2 kHz the library's filters shift the phase.
            for second in [14.9, 16] {
                let span = Int(second * 32_000)..<Int((second + 0.25) * 32_000)
                let difference = zip(rested[span], awake[span]).map { $0 - $1 }
                #expect(rms(difference) < 0.15 * rms(awake[span]), "at \(second) s")
            }
            // A click is a step that the chord does not make.
            func steepest(_ samples: ArraySlice<Float>) -> Float {
                zip(samples, samples.dropFirst()).reduce(0) { max($0, abs($1.0 - $1.1)) }
            }
            #expect(steepest(rested[32_000...]) < 1.05 * steepest(awake[32_000..<14 * 32_000]))
        }

        /// At 32 kHz.
        private func output(microphone: [Float], reference: [Float], rests: Bool) throws -> [Float] {
            var options = EchoCancellerOptions()
            options.rests = rests
            var canceller = try EchoCanceller(options: options)
            var output: [Float] = []
            var block = [Float](repeating: 0, count: EchoCanceller.outputFrames)
            let period = AudioFormat.periodFrames
            for start in stride(from: 0, to: microphone.count - period + 1, by: period) {
                let isWhole = canceller.process(
                    microphone: Array(microphone[start..<start + period]),
                    reference: Array(reference[start..<start + period]),
                    streamDelayMilliseconds: EchoCanceller.referenceLead / 48,
                    into: &block
                )
                #expect(isWhole)
                output += block
            }
            return output
        }
    }
}
