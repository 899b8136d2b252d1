import Testing

@testable import VoiceAudio
@testable import VoiceBase
@testable import VoiceCore

struct EchoTestVerdictTests {
    private static func result(_ change: (inout EchoTestResult) -> Void = { _ in }) -> EchoTestResult {
        var result = EchoTestResult()
        result.secondsHeard = EchoTestSignal.sweep + EchoTestSignal.speech
        result.noiseFloor = -62
        result.status.state = .good
        result.status.blocks = 12
        result.status.figures.linearERLE = 26
        result.status.figures.wholeERLE = 44
        result.status.figures.echoLevel = -32
        result.status.echoPeak = -18
        result.status.figures.residualLevel = -58
        result.status.delay = 42.5
        result.status.isAligned = true
        change(&result)
        return result
    }

    private struct Case {
        var result: EchoTestResult
        var grade: EchoTestVerdict.Grade
        var exit: ExitCode
        /// What the first advice is about; nil for none.
        var advice: String?
    }

    private static let cases: [Case] = [
        Case(result: result(), grade: .good, exit: .success, advice: nil),
        Case(result: result { $0.status.echoPeak = -2 }, grade: .good, exit: .success, advice: "to 40 %"),
        Case(result: result { $0.status.figures.clippedShare = 0.02 }, grade: .good, exit: .success, advice: "clips"),
        Case(result: result { $0.playbackXruns = 1 }, grade: .good, exit: .success, advice: "output_buffer_ms"),
        Case(
            result: result {
                $0.status.state = .poor
                $0.status.figures.linearERLE = 12
            },
            grade: .half,
            exit: .unavailable,
            advice: "70 %"
        ),
        Case(
            result: result {
                $0.status.state = .clipping
                $0.status.figures.linearERLE = 9
                $0.status.figures.clippedShare = 0.1
            },
            grade: .half,
            exit: .unavailable,
            advice: "clips"
        ),
        Case(
            result: result {
                $0.status.state = .poor
                $0.status.figures.linearERLE = 1
            },
            grade: .half,
            exit: .unavailable,
            advice: "one card"
        ),
        Case(
            result: result { $0.status.state = .learning },
            grade: .half,
            exit: .unavailable,
            advice: "again"
        ),
        Case(
            result: result {
                $0.status.state = .clear
                $0.status.figures.linearERLE = nil
            },
            grade: .noEcho,
            exit: .success,
            advice: "headphones"
        ),
        Case(
            result: result {
                $0.hasCanceller = false
                $0.status.state = .cancellerOff
            },
            grade: .half,
            exit: .unavailable,
            advice: "echo.mode"
        ),
        Case(
            result: result { $0.captureXruns = 5 },
            grade: .disturbed,
            exit: .inputOutput,
            advice: "5 times"
        ),
        Case(
            result: result {
                $0.status.figures.linearERLE = nil
                $0.noiseFloor = -96
            },
            grade: .disturbed,
            exit: .inputOutput,
            advice: "muted"
        ),
        // The device is reopened after five seconds of zeros, in case it was only stuck: not a loss for the user.
        Case(
            result: result {
                $0.isLost = true
                $0.isMuted = true
                $0.secondsHeard = 3
            },
            grade: .disturbed,
            exit: .inputOutput,
            advice: "muted"
        ),
        Case(result: result { $0.secondsHeard = 3 }, grade: .disturbed, exit: .inputOutput, advice: nil),
    ]

    /// Figures of an echo that was not found are not shown.
    @Test func missingEchoHasNoDelay() {
        func lines(_ change: (inout EchoTestResult) -> Void) -> [String] {
            let result = Self.result(change)
            return EchoTestReport.lines(result, verdict: EchoTestVerdict(result))
        }
        let none = lines {
            $0.status.state = .clear
            $0.status.figures.linearERLE = nil
            $0.status.figures.echoLevel = -70
            $0.status.delay = 22
            $0.status.isAligned = false
        }
        #expect(none.contains { $0.hasPrefix("delay ") && $0.hasSuffix(" not found") })
        #expect(none.contains { $0.hasPrefix("echo at the microphone") && $0.contains(" not found, peak ") })
        let found = lines { _ in }
        #expect(found.contains { $0.hasPrefix("delay ") && $0.hasSuffix(" 42.5 ms") })
        #expect(found.contains { $0.hasPrefix("echo at the microphone") && $0.contains(" -32 dBFS, peak ") })
    }

    @Test func everyOutcomeHasItsVerdict() {
        for (index, expected) in Self.cases.enumerated() {
            let verdict = EchoTestVerdict(expected.result)
            #expect(verdict.grade == expected.grade, "case \(index)")
            #expect(verdict.exitCode == expected.exit, "case \(index)")
            if let advice = expected.advice {
                #expect(verdict.advice.first?.contains(advice) == true, "case \(index): \(verdict.advice)")
            } else {
                #expect(verdict.advice.isEmpty, "case \(index): \(verdict.advice)")
            }
        }
    }

    @Test func theReportNamesEveryMeasurement() {
        let result = Self.result()
        let text = EchoTestReport.lines(result, verdict: EchoTestVerdict(result)).joined(separator: "\n")
        for part in ["-62 dBFS", "peak -18 dBFS", "42.5 ms", "needs longer", "26 dB by the linear", "44 dB", "Good"] {
            #expect(text.contains(part), "\(part) in\n\(text)")
        }
    }

    @Test func ignoredChannelListIsReported() {
        var result = EchoTestResult()
        result.choice = CaptureChoice(plan: CapturePlan(), reason: "", problem: "audio.input_channels names 4 channels")
        let lines = EchoTestReport.lines(result, verdict: EchoTestVerdict(result))
        #expect(lines.contains { $0.hasPrefix("warning ") && $0.hasSuffix("names 4 channels") })
    }

    @Test func theSignalIsSpokenLoudButNotTooLoud() {
        let samples = EchoTestSignal.samples()
        #expect(samples.count == Int(EchoTestSignal.seconds * 24_000))
        #expect(samples.prefix(Int(EchoTestSignal.silence * 24_000)).allSatisfy { $0 == 0 })
        #expect(samples == EchoTestSignal.samples())
        let speech = samples.suffix(Int(EchoTestSignal.speech * 24_000)).map { Double($0) / 32768 }
        let power = speech.reduce(0) { $0 + $1 * $1 } / Double(speech.count)
        #expect((0.003...0.03).contains(power), "\(power)")
        #expect((speech.map { abs($0) }.max() ?? 1) <= 0.5)
    }
}
