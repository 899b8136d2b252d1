import Glibc
import Testing

@testable import TestSupport
@testable import VoiceAudio
@testable import VoiceBase
@testable import VoiceConversation

/// The whole canceller on noise through a short decaying room, with the correct lead of the reference.
struct EchoCancellationTests {
    private static let period = AudioFormat.periodFrames
    private static let lead = EchoCanceller.referenceLead

    /// The result of a canceller: its readings and its output at 32 kHz.
    private struct Outcome {
        var readings: [EchoReading] = []
        var output: [Float] = []
        var wholePeriods = true

        /// Mean power over the last periods, in dB.
        func level(_ path: KeyPath<EchoReading, Float>, last seconds: Double) -> Double {
            let some = readings.suffix(Int(seconds * 100))
            return 10 * log10(some.reduce(0) { $0 + pow(10, Double($1[keyPath: path]) / 10) } / Double(some.count))
        }

        func lossOfLinearStage(last seconds: Double) -> Double {
            level(\.microphone, last: seconds) - level(\.residual, last: seconds)
        }
    }

    /// Noise below 12 kHz, like audio from the wire.
    private func noise(seconds: Double, level: Float, seed: UInt64) -> [Float] {
        var random = SeededGenerator(seed: seed)
        var samples: [Float] = (0..<Int(seconds * 48_000)).map { _ in .random(in: -level...level, using: &random) }
        for _ in 0..<3 {
            for index in stride(from: samples.count - 1, through: 3, by: -1) {
                samples[index] = 0.3 * (samples[index] + samples[index - 1] + samples[index - 2] + samples[index - 3])
            }
        }
        return samples
    }

    /// A direct path with a delay of `delay` frames, and reflections that decay within 50 ms.
    private func echo(of far: [Float], delay: Int, room: UInt64 = 7) -> [Float] {
        var random = SeededGenerator(seed: room)
        let taps = (0..<40).map { index -> (delay: Int, gain: Float) in
            let part: Float = index == 0 ? 1 : .random(in: -0.7...0.7, using: &random)
            return (delay + index * 61, 0.5 * exp(-Float(index) / 8) * part)
        }
        return far.indices.map { index -> Float in
            let heard = taps.reduce(Float(0)) { $0 + (index >= $1.delay ? far[index - $1.delay] * $1.gain : 0) }
            return heard + .random(in: -1e-4...1e-4, using: &random)
        }
    }

    private func run(
        microphone: [Float],
        reference: [Float],
        options: EchoCancellerOptions = EchoCancellerOptions(),
        before: (Int, inout EchoCanceller) -> Void = { _, _ in }
    ) throws -> Outcome {
        var canceller = try EchoCanceller(options: options)
        var outcome = Outcome()
        var block = [Float](repeating: 0, count: EchoCanceller.outputFrames)
        for start in stride(from: 0, to: microphone.count - Self.period + 1, by: Self.period) {
            before(start / Self.period, &canceller)
            let microphone = Array(microphone[start..<start + Self.period])
            let reference = Array(reference[start..<start + Self.period])
            let whole = canceller.process(
                microphone: microphone, reference: reference, streamDelayMilliseconds: Self.lead / 48, into: &block
            )
            outcome.wholePeriods = outcome.wholePeriods && whole
            outcome.readings.append(canceller.reading)
            outcome.output += block
        }
        return outcome
    }

    @Test func theLinearStageLearnsTheRoom() throws {
        let far = noise(seconds: 3, level: 0.2, seed: 1)
        let outcome = try run(microphone: echo(of: far, delay: Self.lead), reference: far)
        #expect(outcome.lossOfLinearStage(last: 1) >= 15)
        #expect(outcome.level(\.microphone, last: 1) - outcome.level(\.output, last: 1) >= 40)
        #expect((outcome.level(\.echo, last: 1) - outcome.level(\.microphone, last: 1)).magnitude < 1)
    }

    /// Chords that decay, each with a beat: most bins are audible only at the beats, which last a tenth of a second.
    @Test func theBeatsOfMusicAreLearned() throws {
        let beat = 28_000
        let hits = noise(seconds: 12, level: 1, seed: 2)
        let far = hits.indices.map { index -> Float in
            let time = Double(index % beat) / 48_000
            let chord = [220, 277, 330, 440, 660, 880].reduce(0.0) { $0 + sin(2 * .pi * Double(index) / 48_000 * $1) }
            return Float(0.03 * chord * exp(-1.5 * time)) + 1.5 * hits[index] * Float(exp(-60 * time))
        }
        // A loudspeaker that distorts loud audio, and a room.
        let bent = far.map { tanh($0 + 0.1) - tanh(0.1) }
        let outcome = try run(microphone: echo(of: bent, delay: Self.lead), reference: far)
        // With a noise estimate that follows the beats it would be 6 dB.
        #expect(outcome.lossOfLinearStage(last: 6) > 8)
        #expect(outcome.readings.suffix(600).allSatisfy { !$0.hasTalker })
        #expect(outcome.level(\.output, last: 6) < -50)
    }

    private static func resting(_ rests: Bool) -> EchoCancellerOptions {
        var options = EchoCancellerOptions()
        options.rests = rests
        return options
    }

    @Test func theEchoPathOutlivesARest() throws {
        var far = noise(seconds: 24, level: 0.2, seed: 1)
        for index in 5 * 48_000..<22 * 48_000 + 77 { far[index] = 0 }
        let microphone = echo(of: far, delay: Self.lead)
        let awake = try run(microphone: microphone, reference: far, options: Self.resting(false))
        let rested = try run(microphone: microphone, reference: far, options: Self.resting(true))
        #expect(rested.readings.map(\.residual) == awake.readings.map(\.residual))
        let first = 22 * 32_000..<22 * 32_000 + 8000
        let (loud, quiet) = (rms(microphone[22 * 48_000 + 4800..<22 * 48_000 + 12_000]), rms(rested.output[first]))
        #expect(decibels(loud / quiet) > 30)
        #expect(decibels(quiet / rms(awake.output[first])) < 3)
    }

    @Test func aVoiceIsFoundAtRest() throws {
        let far = [Float](repeating: 0, count: 24 * 48_000)
        let voice = noise(seconds: 24, level: 0.4, seed: 4)
        let near = voice.enumerated().map { index, sample -> Float in
            let isTalking = (18..<22).contains(index / 48_000)
            return sample * (isTalking ? Float(0.5 - 0.5 * cos(2 * .pi * 4 * Double(index) / 48_000)) : 1e-3)
        }
        let readings = try run(microphone: near, reference: far, options: Self.resting(true)).readings
        #expect(readings[1850..<2150].count { $0.hasVoice } > 250)
        #expect(readings[1550..<1780].count { $0.hasVoice } < 10)
        #expect(readings[2250..<2390].count { $0.hasVoice } < 10)
        #expect(readings[1600].reference == -120)
    }

    @Test func aTalkerOverEchoIsKept() throws {
        let far = noise(seconds: 5, level: 0.2, seed: 1)
        // Syllables from the third second on.
        let near = noise(seconds: 5, level: 0.4, seed: 4).enumerated().map { index, sample in
            index < 144_000 ? 0 : sample * Float(0.5 - 0.5 * cos(2 * .pi * 4 * Double(index) / 48_000))
        }
        let echo = echo(of: far, delay: Self.lead)
        let outcome = try run(microphone: zip(echo, near).map { $0 + $1 }, reference: far)
        let kept = decibels(rms(outcome.output.suffix(32_000)) / rms(near.suffix(48_000)))
        #expect((-4...1).contains(kept))
        // Meanwhile the filter must not unlearn the room.
        let estimate = outcome.level(\.echo, last: 1)
        #expect((estimate - decibels(rms(echo.suffix(48_000)))).magnitude < 2)
    }

    /// Syllables: noise that rises and falls, each with a random loudness.
    private func syllables(seconds: Double, level: Float, rate: Double, seed: UInt64) -> [Float] {
        var random = SeededGenerator(seed: seed)
        let loudness = (0..<Int(seconds * rate) + 2).map { _ in Float.random(in: 0.1...1, using: &random) }
        return noise(seconds: seconds, level: level, seed: seed).enumerated().map { index, sample in
            let time = Double(index) / 48_000 * rate
            return sample * loudness[Int(time)] * Float(0.5 - 0.5 * cos(2 * .pi * time))
        }
    }

    /// Vowels: the harmonics of a voice with a gliding pitch, in syllables.
    private func vowels(seconds: Double, level: Float, seed: UInt64) -> [Float] {
        var random = SeededGenerator(seed: seed)
        let turns = (0..<Int(seconds * 4) + 2).map { _ in
            (
                pitch: Double.random(in: 100...180, using: &random),
                formant: Double.random(in: 400...2500, using: &random)
            )
        }
        var phase = 0.0
        return (0..<Int(seconds * 48_000)).map { index in
            let time = Double(index) / 12_000
            let (turn, next, share) = (turns[Int(time)], turns[Int(time) + 1], time - floor(time))
            let pitch = turn.pitch + share * (next.pitch - turn.pitch)
            phase += 2 * .pi * pitch / 48_000
            let sum = (1...30).reduce(0.0) { sum, harmonic in
                let distance = (Double(harmonic) * pitch - turn.formant) / 500
                return sum + sin(Double(harmonic) * phase) / (1 + distance * distance)
            }
            return level * Float(sum * (0.5 - 0.5 * cos(2 * .pi * share))) + .random(in: -1e-4...1e-4, using: &random)
        }
    }

    /// What a converged filter leaves when the box is moved is as loud as a talker.
    @Test func changedEchoPathIsNotATalker() throws {
        let far = vowels(seconds: 12, level: 0.1, seed: 1)
        let moved = echo(of: far, delay: Self.lead + 90, room: 8)
        let microphone = echo(of: far, delay: Self.lead).enumerated().map {
            $0.offset < 384_000 ? $0.element : -moved[$0.offset]
        }
        let outcome = try run(microphone: microphone, reference: far)
        let after = outcome.readings[850...]
        #expect(after.count { $0.output > -50 } < 20)
        // Judged by the residual alone it would be 27 periods.
        #expect(after.count { $0.hasTalker } < 12)
        // Until it is recognised, its spectrum shows that it may be echo.
        let talks = outcome.readings[800...].indices.filter { outcome.readings[$0].hasTalker && $0 > 814 }
        #expect(talks.allSatisfy { outcome.readings[$0].isShapedLikeEcho }, "\(talks)")
    }

    /// The periods of an answer that are loud at the output: the box speaks for 4 s, the user for 2 s, and the box again after
    /// `pause` seconds, through a loudspeaker that distorts. `room`: of the second answer; another one if the box was moved.
    private func loudPeriods(pause: Double, room: UInt64, seed: UInt64) throws -> Int {
        let answer = Int((6.5 + pause) * 48_000)
        let far = vowels(seconds: 10, level: 0.1, seed: seed).enumerated().map {
            (192_000..<answer).contains($0.offset) ? 0 : $0.element
        }
        let bent = far.map { tanh(4 * $0 + 0.5) / 4 - tanh(0.5) / 4 }
        let later = echo(of: bent, delay: Self.lead, room: room)
        let heard = echo(of: bent, delay: Self.lead).enumerated().map {
            $0.offset < answer ? $0.element : later[$0.offset]
        }
        let near = vowels(seconds: 10, level: 0.1, seed: seed + 1).enumerated().map {
            (216_000..<312_000).contains($0.offset) ? $0.element : 0
        }
        let outcome = try run(microphone: zip(heard, near).map { $0 + $1 }, reference: far)
        #expect(outcome.readings[460..<650].count { $0.output > -50 } > 100, "the user is heard")
        return outcome.readings[(answer / Self.period + 3)...].count { $0.output > -50 }
    }

    /// The user has finished before the answer begins.
    @Test func talkInTurnsLeavesNoLoudEcho() throws {
        // If the user counted as double talk, 6 and 22 periods would be loud.
        for seed: UInt64 in [1, 3] {
            let loud = try loudPeriods(pause: 0.2, room: 7, seed: seed)
            #expect(loud < 4, "seed \(seed): \(loud)")
        }
    }

    /// The old filter makes the first words louder. Mistaken for a talker, they would be loud for 45 periods.
    @Test func aBoxMovedBetweenTurnsLeavesNoLoudEcho() throws {
        let loud = try loudPeriods(pause: 1, room: 8, seed: 3)
        #expect(loud < 4, "\(loud)")
    }

    /// In the pauses of the box the room's noise is left beside an echo that fades: that is not another path.
    @Test func noiseInPausesIsNotAChangedPath() throws {
        let far = syllables(seconds: 14, level: 0.4, rate: 4, seed: 3).enumerated().map {
            $0.offset / 12_000 % 4 >= 2 ? 0 : $0.element
        }
        let microphone = zip(echo(of: far, delay: Self.lead), noise(seconds: 14, level: 0.02, seed: 9)).map { $0 + $1 }
        let outcome = try run(microphone: microphone, reference: far)
        // Once the room is learned.
        let changes = outcome.readings.indices.filter { $0 > 400 && outcome.readings[$0].hasPathChanged }
        #expect(changes.isEmpty, "\(changes)")
        #expect(outcome.readings[400...].count { $0.hasTalker } < 12)
    }

    /// The talker speaks in the rhythm of the box's voice and begins together with it after a pause. The residual rises and falls
    /// with the echo, but has another spectrum.
    @Test func loudVoiceInTheRhythmOfTheBoxIsATalker() throws {
        let far = vowels(seconds: 5, level: 0.1, seed: 1).enumerated().map {
            $0.offset / 12_000 % 8 == 3 ? 0 : $0.element
        }
        // From the first syllable after a pause on.
        let near = syllables(seconds: 5, level: 0.6, rate: 4, seed: 6).enumerated().map {
            $0.offset < 144_000 ? 0 : $0.element
        }
        let outcome = try run(
            microphone: zip(echo(of: far, delay: Self.lead), near).map { $0 + $1 },
            reference: far
        )
        let talks = outcome.readings[300...].map(\.hasTalker)
        #expect((talks.firstIndex(of: true) ?? .max) < 15, "heard within 150 ms")
        #expect(talks.count { $0 } > 140)
    }

    /// A talker at the very start, before anything is learned, is recognised as one.
    @Test func talkerFromTheStartIsKept() throws {
        let far = syllables(seconds: 6, level: 0.4, rate: 4, seed: 1)
        let near = syllables(seconds: 6, level: 0.6, rate: 3.1, seed: 4)
        let outcome = try run(
            microphone: zip(echo(of: far, delay: Self.lead), near).map { $0 + $1 },
            reference: far
        )
        let kept = decibels(rms(outcome.output.suffix(96_000)) / rms(near.suffix(144_000)))
        #expect((-4...1.5).contains(kept), "\(kept) dB")
    }

    /// The canceller's path after 5 s of syllables; learned once for all tests.
    private static let learnedPath = Result {
        let tests = EchoCancellationTests()
        let far = tests.syllables(seconds: 5, level: 0.4, rate: 4, seed: 11)
        var path = [Float](repeating: 0, count: RememberedRoom.pathFrames)
        _ = try tests.run(microphone: tests.echo(of: far, delay: lead), reference: far) { period, canceller in
            if period == 499 { canceller.copyPath(into: &path) }
        }
        return path
    }

    /// A second start: what takes seconds at the first one is there after half a second of sound, wherever within 5 ms
    /// the reference lies this time, and whether or not the volume was changed.
    @Test(arguments: [(0, 1), (170, 1), (-170, 1), (0, 2.5), (0, 0.4)] as [(Int, Float)])
    func rememberedRoomIsRecognised(later: Int, louder: Float) throws {
        let path = try Self.learnedPath.get()
        let far = syllables(seconds: 2, level: 0.3, rate: 4, seed: 12)
        let microphone = echo(of: far, delay: Self.lead + later).map { louder * $0 }
        let first = try run(microphone: microphone, reference: far)
        let second = try run(microphone: microphone, reference: far) { period, canceller in
            if period == 0 { canceller.recall(path) }
        }
        #expect(first.readings.allSatisfy { !$0.hasRecalled })
        let recognised = try #require(second.readings.firstIndex { $0.hasRecalled })
        // Measured by the remembered level.
        let sounding = -50 + 20 * log10f(louder)
        #expect(second.readings[..<recognised].count { $0.microphone > sounding } <= 50, "half a second of sound")
        #expect(second.lossOfLinearStage(last: 1) > 20)
        #expect(second.lossOfLinearStage(last: 1) > first.lossOfLinearStage(last: 1) + 4)
    }

    /// Under a talker from the first word on.
    @Test func rememberedRoomIsRecognisedUnderATalker() throws {
        let path = try Self.learnedPath.get()
        let far = syllables(seconds: 2, level: 0.4, rate: 4, seed: 12)
        let near = syllables(seconds: 2, level: 0.15, rate: 3.1, seed: 4)
        let microphone = zip(echo(of: far, delay: Self.lead), near).map { $0 + $1 }
        let outcome = try run(microphone: microphone, reference: far) { period, canceller in
            if period == 0 { canceller.recall(path) }
        }
        #expect(outcome.readings.contains { $0.hasRecalled })
    }

    /// The box is in another place: the output equals, to the last sample, that without a memory.
    @Test func rememberedWrongRoomChangesNothing() async throws {
        try await alone("rememberedWrongRoomChangesNothing", compareWithAWrongRoom)
    }

    /// Equal to the sample only in a separate process: the library's tables are shared and are rewritten whenever
    /// another test creates a canceller. An exit test would do, except for the children of other tests: it looks for
    /// its own child among all that have ended, and waits forever for one that is never reaped.
    private func alone(_ test: String, _ compare: () throws -> Bool) async throws {
        guard getenv("VOICE_TEST_ALONE") == nil else { return #expect(try compare()) }
        let filter = ["--testing-library", "swift-testing", "--filter", "EchoCancellationTests/\(test)"]
        let child = try ChildProcess(["env", "VOICE_TEST_ALONE=1", CommandLine.arguments[0]] + filter)
        while !child.hasEnded { try await Task.sleep(for: .milliseconds(50)) }
        #expect(child.wait() == .exited(0))
    }

    private func compareWithAWrongRoom() throws -> Bool {
        let path = try Self.learnedPath.get()
        let far = syllables(seconds: 3, level: 0.3, rate: 4, seed: 12)
        let microphone = echo(of: far, delay: Self.lead + 300, room: 8)
        let first = try run(microphone: microphone, reference: far)
        let second = try run(microphone: microphone, reference: far) { period, canceller in
            if period == 0 { canceller.recall(path) }
        }
        return first.output == second.output && second.readings.allSatisfy { !$0.hasRecalled }
    }

    /// After 248 days at a hundred periods a second a plain count would overflow.
    @Test func theSuppressorIsTheSameAfterMonths() async throws {
        try await alone("theSuppressorIsTheSameAfterMonths", compareAfterMonths)
    }

    private func compareAfterMonths() throws -> Bool {
        let far = noise(seconds: 5, level: 0.2, seed: 1)
        let near = syllables(seconds: 5, level: 0.4, rate: 4, seed: 4)
        let microphone = zip(echo(of: far, delay: Self.lead), near).map { $0 + $1 }
        let young = try run(microphone: microphone, reference: far)
        // At the end of a window of the noise minimum, the last one before the count's end.
        let old = try run(microphone: microphone, reference: far) { period, canceller in
            if period == 200 { canceller.pretendAge(periods: .max / 100 * 100) }
        }
        // The suppressor's path is in use, and its output is the same.
        return young.readings.contains(where: \.hasTalker) && young.output == old.output
    }

    @Test func withoutAReferenceTheMicrophoneStaysAsItIs() throws {
        let near = noise(seconds: 1, level: 0.2, seed: 3)
        let outcome = try run(microphone: near, reference: [Float](repeating: 0, count: near.count))
        #expect(outcome.readings.allSatisfy { $0.residual == $0.microphone && $0.echo == -120 })
    }

    /// Both sides of the fade must have the same delay.
    @Test(arguments: [EchoCancellerOptions.NoiseSuppression.off, .moderate])
    func bothPathsHaveTheSameDelay(noise level: EchoCancellerOptions.NoiseSuppression) throws {
        let far = noise(seconds: 4, level: 0.05, seed: 1)
        let near = noise(seconds: 4, level: 0.3, seed: 4).enumerated().map { $0.offset < 96_000 ? 0 : $0.element }
        let microphone = zip(echo(of: far, delay: Self.lead), near).map { $0 + $1 }
        var options = EchoCancellerOptions()
        options.noiseSuppression = level
        let both = try run(microphone: microphone, reference: far, options: options)
        options.doubleTalkPath = false
        let library = try run(microphone: microphone, reference: far, options: options)
        let ours = Array(both.output.suffix(16_000))
        let theirs = Array(library.output.suffix(16_000))
        let products = (-100...100).map { lag in
            (200..<8000).reduce(0.0) { $0 + Double(ours[$1] * theirs[$1 + lag]) }
        }
        let best = products.indices.max { products[$0] < products[$1] }
        let late = (best ?? 0) - 100
        #expect(late.magnitude <= 1)
    }

    @Test func reportedShiftOfTheReferenceKeepsTheFilter() throws {
        let far = noise(seconds: 4, level: 0.2, seed: 1)
        let shift = 720
        let microphone = echo(of: far, delay: Self.lead)
        // After 3 s the lead of the reference grows by 15 ms.
        let reference = far.indices.map { $0 < 144_000 ? far[$0] : far[min($0 + shift, far.count - 1)] }
        let reported = try run(microphone: microphone, reference: reference) { period, canceller in
            if period == 300 { canceller.realign(shift: shift) }
        }
        let unreported = try run(microphone: microphone, reference: reference)
        #expect(reported.lossOfLinearStage(last: 0.5) >= 15)
        #expect(reported.lossOfLinearStage(last: 0.5) > unreported.lossOfLinearStage(last: 0.5) + 3)
    }

    @Test func filterThatRaisesTheEchoIsDropped() throws {
        let far = noise(seconds: 6, level: 0.2, seed: 1)
        // The echo changes its sign, which no filter learned so far fits.
        let microphone = echo(of: far, delay: Self.lead).enumerated().map {
            $0.offset < 144_000 ? $0.element : -$0.element
        }
        let outcome = try run(microphone: microphone, reference: far)
        let after = outcome.readings[300..<330]
        #expect(after.allSatisfy { $0.residual <= $0.microphone + 1.1 })
        #expect(outcome.lossOfLinearStage(last: 1) >= 14)
    }

    @Test func cancellerLearnsAgainAfterAReset() throws {
        let far = noise(seconds: 4, level: 0.2, seed: 1)
        let outcome = try run(microphone: echo(of: far, delay: Self.lead), reference: far) { period, canceller in
            if period == 200 { canceller.reset() }
        }
        #expect(outcome.readings[200].echo == -120)
        #expect(outcome.lossOfLinearStage(last: 1) >= 14)
    }

    @Test func silenceStaysSilence() throws {
        let nothing = [Float](repeating: 0, count: 48_000)
        let outcome = try run(microphone: nothing, reference: nothing)
        #expect(outcome.output.allSatisfy { $0.magnitude < 1e-4 })
        #expect(outcome.readings.last?.microphone == -120)
    }

    @Test(arguments: [Float.nan, .infinity, 1e30, -1e30, .leastNonzeroMagnitude, 1])
    func absurdInputDoesNotSpoilTheFilter(value: Float) throws {
        let far = noise(seconds: 4, level: 0.2, seed: 1)
        var microphone = echo(of: far, delay: Self.lead)
        var reference = far
        for index in stride(from: 48_000, to: 57_600, by: 3) {
            microphone[index] = value
            reference[index + 1] = value
        }
        let outcome = try run(microphone: microphone, reference: reference)
        #expect(outcome.output.allSatisfy { $0.isFinite })
        #expect(outcome.readings.allSatisfy { $0.residual.isFinite && $0.echo.isFinite })
        #expect(outcome.wholePeriods)
        #expect(outcome.lossOfLinearStage(last: 1) >= 15)
    }

    @Test func clippingMicrophoneIsReported() throws {
        let loud = tone(300, rate: 48_000, count: 4800, amplitude: 1.5).map { max(-1, min(1, $0)) }
        let quiet = tone(300, rate: 48_000, count: 4800, amplitude: 0.9)
        let nothing = [Float](repeating: 0, count: 4800)
        #expect(try run(microphone: loud, reference: nothing).readings.allSatisfy { $0.isClipped })
        #expect(try run(microphone: quiet, reference: nothing).readings.allSatisfy { !$0.isClipped })
    }

    @Test func libraryAloneStillCancels() throws {
        let far = noise(seconds: 2, level: 0.2, seed: 1)
        var options = EchoCancellerOptions()
        options.linearStage = false
        let outcome = try run(microphone: echo(of: far, delay: Self.lead), reference: far, options: options)
        #expect(outcome.readings.allSatisfy { $0.echo == -120 && $0.residual == $0.microphone })
        #expect(outcome.level(\.microphone, last: 1) - outcome.level(\.output, last: 1) >= 20)
    }
}
