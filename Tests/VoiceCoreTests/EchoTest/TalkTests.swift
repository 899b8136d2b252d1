import Glibc
import Logging
import Synchronization
import Testing

@testable import VoiceAudio
@testable import VoiceBase
@testable import VoiceConfiguration
@testable import VoiceCore

@Suite(.serialized)
struct TalkTests {
    /// Periods of talk at -30 dBFS over echo at -25, which the canceller reduces to -55.
    private func meter(
        seconds: Double = 4,
        output: (Int) -> Float = { _ in -32 },
        isSent: (Int) -> Bool = { _ in true }
    ) -> TalkMeter {
        var meter = TalkMeter()
        for index in 0..<400 {
            meter.takeAlone(period(echo: -25, residual: -55 + Float(index % 3), output: -80, isSent: false))
        }
        for index in 0..<800 {
            // One and a half seconds of nothing, then syllables with pauses.
            let isTalk = index >= 150 && index < 150 + Int(seconds * 200) && index % 2 == 0
            meter.take(
                isTalk
                    ? period(echo: -25, residual: -30, output: output(index), isSent: isSent(index))
                    : period(echo: -25, residual: -54, output: -80, isSent: isSent(index))
            )
        }
        return meter
    }

    private func period(echo: Float, residual: Float, output: Float, isSent: Bool) -> EchoPeriod {
        var period = EchoPeriod()
        (period.echo, period.residual, period.output, period.isSent) = (echo, residual, output, isSent)
        return period
    }

    @Test func talkIsToldFromWhatIsLeftOfTheEcho() {
        let result = meter(seconds: 3).result(noise: -65)
        #expect((2.9...3.1).contains(result.seconds))
        #expect(result.heardShare == 1)
        #expect(result.cutShare == 0)
        #expect(result.longestLost == 0)
        #expect(result.level == -30)
        #expect(result.echoLevel == -25)
    }

    @Test func whatTheGateHoldsIsLostUnlessItGoesLater() {
        let shut = meter(isSent: { $0 >= 350 }).result(noise: -65)
        #expect((0.65...0.75).contains(shut.heardShare))
        #expect((0.95...1.05).contains(shut.longestLost))
        var meter = TalkMeter()
        for index in 0..<300 {
            var period = period(echo: -25, residual: -30, output: -32, isSent: index >= 100)
            period.released = index == 100 ? 40 : 0
            meter.take(period)
        }
        #expect(meter.result(noise: -65).longestLost == 0.6)
    }

    @Test func whatIsSoftenedIsCounted() {
        let result = meter(output: { $0 < 350 ? -60 : -32 }).result(noise: -65)
        #expect((0.25...0.35).contains(result.cutShare))
        #expect(result.heardShare == 1)
    }

    @Test func whereNobodyTalksThereIsNothingToCount() {
        #expect(meter(seconds: 0).result(noise: -65) == TalkResult())
        #expect(TalkMeter().result(noise: nil) == TalkResult())
        // A room louder than talk would be.
        #expect(meter().result(noise: -35) == TalkResult())
    }

    @Test func everyResultHasItsWords() {
        func verdict(
            _ heard: Double,
            cut: Double = 0,
            seconds: Double = 4,
            lost: Double = 0,
            level: Double = -30,
            duplex: DuplexState = .good
        ) -> TalkVerdict {
            var result = TalkResult()
            (result.seconds, result.heardShare, result.cutShare, result.longestLost) = (seconds, heard, cut, lost)
            (result.level, result.echoLevel) = (level, -25)
            return TalkVerdict(result, duplex: duplex)
        }
        #expect(verdict(0.99).grade == .good)
        #expect(verdict(0.99).advice.isEmpty)
        #expect(verdict(0.99).summary.contains("99 %"))
        #expect(verdict(0.99, lost: 0.9).grade == .fair)
        #expect(verdict(0.85, cut: 0.2).grade == .fair)
        #expect(verdict(0.85, cut: 0.2).exitCode == .success)
        #expect(verdict(0.4).grade == .poor)
        #expect(verdict(0.4).exitCode == .unavailable)
        #expect(verdict(0.4, level: -43).advice.first?.contains("18 dB louder than you") == true)
        #expect(verdict(0.4, level: -50).advice.contains { $0.contains("come closer, or raise its gain") })
        #expect(verdict(0, duplex: .cancellerOff).advice.first?.contains("echo.enabled") == true)
        #expect(verdict(0, seconds: 0.5).grade == .nobody)
        for grade in [verdict(0.99), verdict(0.9), verdict(0.1), verdict(0, seconds: 0)] {
            #expect(!grade.lines(TalkResult()).contains { $0.isEmpty } || !grade.summary.isEmpty)
        }
    }

    // MARK: In a room

    /// A person who counts: vowels of half a second with falling pitch, and pauses.
    private static func counting(seconds: Double, level: Float) -> [Float] {
        var phase: Float = 0
        return (0..<Int(seconds * 48_000)).map { index in
            let time = Float(index) / 48_000
            let word = time.truncatingRemainder(dividingBy: 0.75)
            guard word < 0.5 else { return 0 }
            let pitch = 150 - 60 * word
            phase += 2 * .pi * pitch / 48_000
            let formant = [Float(600), 1700, 900, 2200][Int(time / 0.75) % 4]
            var sum: Float = 0
            for harmonic in 1...25 {
                let distance = (Float(harmonic) * pitch - formant) / 400
                sum += sinf(Float(harmonic) * phase) * (0.1 + 1 / (1 + distance * distance))
            }
            return 0.25 * level * sum * min(1, 20 * word, 20 * (0.5 - word))
        }
    }

    private func test(cancels: Bool = true, says: [Float]) async throws -> EchoTestResult {
        let room = try FileRoom(
            echo: .init(delayMilliseconds: 40, gainDecibels: -10, reverberationMilliseconds: 150, noiseDecibels: -64),
            speed: 2
        )
        var configuration = AudioConfiguration(source: .file(room))
        configuration.echoCanceller.echoCancellation = cancels
        let asked = Atomic<Int>(0)
        // On a machine that is busy with other tests, the test may be slower than real time.
        let test = EchoTest(configuration: configuration, logger: LineLog().logger, slack: .seconds(120))
        let result = try await test.run {
            asked.wrappingAdd(1, ordering: .relaxed)
            if !says.isEmpty { room.say([Float](repeating: 0, count: 48_000) + says) }
        }
        #expect(asked.load(ordering: .relaxed) == 1)
        return try #require(result)
    }

    @Test func whoCountsOverTheNoiseIsHeard() async throws {
        let result = try await test(says: Self.counting(seconds: 7.5, level: 0.2))
        let talk = try #require(result.talk)
        #expect((2.5...5.5).contains(talk.seconds), "\(talk)")
        #expect(talk.heardShare > 0.9, "\(talk)")
        #expect(talk.longestLost < 0.6, "\(talk)")
        let grade = TalkVerdict(talk, duplex: result.status.state).grade
        #expect(grade == .good || grade == .fair, "\(talk)")
    }

    @Test func whoSaysNothingIsNotHeard() async throws {
        let result = try await test(says: [])
        let talk = try #require(result.talk)
        #expect(TalkVerdict(talk, duplex: result.status.state).grade == .nobody, "\(talk)")
    }

    /// Without a canceller the microphone is off while the box makes noise, and the verdict says so.
    @Test func withoutACancellerNobodyIsHeard() async throws {
        let result = try await test(cancels: false, says: Self.counting(seconds: 7.5, level: 0.4))
        let talk = try #require(result.talk)
        let verdict = TalkVerdict(talk, duplex: result.status.state)
        #expect(verdict.grade == .poor, "\(talk)")
        #expect(verdict.advice.first?.contains("echo.enabled") == true)
    }
}
