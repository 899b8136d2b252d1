import Glibc
import Testing

@testable import TestSupport
@testable import VoiceAudio
@testable import VoiceBase
@testable import VoiceConversation

struct CapturePathTests {
    private static let period = AudioFormat.periodFrames

    /// Runs whole periods of microphone and aligned reference through a path.
    private func run(
        _ options: EchoCancellerOptions,
        microphone: [Float],
        reference: [Float]? = nil,
        delay: Int = 40,
        restingUntil rest: Int = 0
    ) throws -> [Int16] {
        var path = try CapturePath(options: options)
        let reference = reference ?? [Float](repeating: 0, count: microphone.count)
        var output = [Int16](repeating: 0, count: microphone.count / 2)
        microphone.withUnsafeBufferPointer { microphone in
            reference.withUnsafeBufferPointer { reference in
                output.withUnsafeMutableBufferPointer { output in
                    guard let from = microphone.baseAddress, let far = reference.baseAddress,
                        let to = output.baseAddress
                    else { return }
                    for start in stride(from: 0, to: microphone.count, by: Self.period) {
                        path.isResting = start < rest
                        path.process(
                            microphone: from + start, reference: far + start, streamDelayMilliseconds: delay,
                            into: to + start / 2
                        )
                    }
                }
            }
        }
        #expect(path.failures == 0)
        return output
    }

    private func floats(_ samples: some Collection<Int16>) -> [Float] { samples.map { Float($0) / 32_768 } }

    /// Noise that comes and goes in syllables and words, with a voice's spectral tilt.
    private func speechLikeNoise(seconds: Int, level: Float, seed: UInt64) -> [Float] {
        var random = SeededGenerator(seed: seed)
        var smooth: Float = 0
        return (0..<seconds * 48_000).map { index in
            let time = Double(index) / 48_000
            let syllable = 0.5 - 0.5 * cos(2 * .pi * 4 * time)
            let speaking = time.truncatingRemainder(dividingBy: 2) < 1.6
            smooth += 0.25 * (Float.random(in: -1...1, using: &random) - smooth)
            return speaking ? smooth * level * Float(syllable) : 0
        }
    }

    /// The signal through a small room: a direct path and reflections that decay within 25 ms.
    private func echo(of far: [Float], delay: Int) -> [Float] {
        var random = SeededGenerator(seed: 3)
        let paths = (0..<40).map { index in
            let reach = Float(index) / 40
            return (
                delay + index * 30, 0.5 * exp(-4 * reach) * (index == 0 ? 1 : .random(in: -0.7...0.7, using: &random))
            )
        }
        return far.indices.map { index in
            paths.reduce(0) { $0 + (index >= $1.0 ? far[index - $1.0] * $1.1 : 0) }
                + .random(in: -1e-4...1e-4, using: &random)
        }
    }

    @Test func anEchoIsRemoved() throws {
        let far = speechLikeNoise(seconds: 8, level: 0.6, seed: 1)
        let delay = 60 * 48
        let microphone = echo(of: far, delay: delay)
        // The reference line's output: of 60 ms of delay, 40 remain.
        let held = delay - ReferenceLine.keep
        let reference = [Float](repeating: 0, count: held) + far.dropLast(held)
        let output = try run(EchoCancellerOptions(), microphone: microphone, reference: reference)
        let before = rms(microphone.suffix(4 * 48_000))
        let after = rms(floats(output.suffix(4 * 24_000)))
        #expect(decibels(before / after) >= 25)
    }

    @Test func talkerWithoutEchoPassesUnchanged() throws {
        var options = EchoCancellerOptions()
        options.noiseSuppression = .off
        options.highPass = false
        let near = speechLikeNoise(seconds: 4, level: 0.3, seed: 2)
        let output = try run(options, microphone: near)
        let gain = decibels(rms(floats(output.suffix(2 * 24_000))) / rms(near.suffix(2 * 48_000)))
        #expect((-1.5...0.5).contains(gain))
    }

    /// The sound before a call keeps its noise. From the call on, noise is suppressed as if it always had been, and no sample is
    /// lost or heard twice.
    @Test func noiseIsSuppressedFromTheFirstPeriodAfterARest() throws {
        var random = SeededGenerator(seed: 4)
        let voice = speechLikeNoise(seconds: 8, level: 0.3, seed: 2)
        let microphone = voice.enumerated().map {
            ($0.offset < 4 * 48_000 ? 0 : $0.element) + .random(in: -0.004...0.004, using: &random)
        }
        var options = EchoCancellerOptions()
        let call = 5 * 48_000
        let woken = try run(options, microphone: microphone, restingUntil: call)
        let always = try run(options, microphone: microphone)
        options.noiseSuppression = .off
        let raw = try run(options, microphone: microphone)
        let period = AudioFormat.wirePeriodSamples
        #expect(woken[..<(call / 2)] == [Int16](repeating: 0, count: period) + raw[..<(call / 2 - period)])
        let difference = zip(woken, always).map { Float($0) - Float($1) }[(call / 2 + period)...]
        #expect(decibels(rms(always[(call / 2)...].map { Float($0) }) / rms(difference)) > 20)
    }

    @Test(arguments: [true, false]) func silenceStaysSilence(cancels: Bool) throws {
        var options = EchoCancellerOptions()
        options.echoCancellation = cancels
        options.noiseSuppression = cancels ? .moderate : .off
        let output = try run(options, microphone: [Float](repeating: 0, count: 48_000))
        #expect(output.allSatisfy { $0.magnitude <= 1 })
    }

    /// At 48 kHz, version 0.3 of the library would lose 9.5 dB of this tone.
    @Test(arguments: [1000.0, 7500, 8500, 10_000]) func voiceBandPasses(frequency: Double) throws {
        var options = EchoCancellerOptions()
        options.noiseSuppression = .off
        let output = try run(options, microphone: tone(frequency, rate: 48_000, count: 96_000, amplitude: 0.25))
        let last = floats(output.suffix(24_000))
        let meter = ToneMeter(last[...], frequency: frequency, rate: 24_000)
        #expect(decibels(meter.amplitude / 0.25).magnitude < 0.5)
    }

    @Test func withEverythingOffOnlyTheRateChanges() throws {
        var options = EchoCancellerOptions()
        options.echoCancellation = false
        options.noiseSuppression = .off
        #expect(!options.needsProcessing)
        let output = try run(options, microphone: tone(1000, rate: 48_000, count: 48_000))
        let last = floats(output.suffix(2400))
        #expect((ToneMeter(last[...], frequency: 1000, rate: 24_000).amplitude - 0.5).magnitude < 0.0001)
        // A delay of 68 frames at 48 kHz: the sine's first rise is where it should be.
        let first = output.firstIndex { $0 > 1000 } ?? 0
        #expect((34...37).contains(first))
    }

    @Test func capturePathStartsWithEveryNoiseSetting() throws {
        for noise in EchoCancellerOptions.NoiseSuppression.allCases {
            for rest in [true, false] {
                var options = EchoCancellerOptions()
                options.noiseSuppression = noise
                options.highPass = !rest
                options.voiceDetection = !rest
                _ = try run(options, microphone: tone(300, rate: 48_000, count: 4800))
            }
        }
    }

    @Test func cancellerNamesItsLibrary() {
        #expect(EchoCanceller.libraryVersion.hasPrefix("webrtc-audio-processing "))
    }
}
