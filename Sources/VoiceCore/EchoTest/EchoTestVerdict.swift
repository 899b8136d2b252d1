package import VoiceAudio
package import VoiceBase

/// Measurements of an echo canceller test.
package struct EchoTestResult: Sendable, Equatable {
    package var status = EchoStatus()
    /// dBFS, before playback.
    package var noiseFloor: Float?
    package var captureXruns = 0
    package var playbackXruns = 0
    /// Seconds of the test sound, without the initial silence, that were heard.
    package var secondsHeard = 0.0
    package var hasCanceller = true
    /// How the microphone was used; nil if there was none.
    package var choice: CaptureChoice?
    /// Whether a device was lost during the test.
    package var isLost = false
    /// Whether the microphone delivered nothing but the same value when it was lost: a key of the device mutes it.
    var isMuted = false

    package init() {}
}

/// Meaning of the measurements, and advice.
package struct EchoTestVerdict: Sendable, Equatable {
    package enum Grade: Sendable, Equatable, CaseIterable {
        /// The daemon can be interrupted.
        case good
        /// No echo was heard: nothing to cancel, or nothing was played.
        case noEcho
        /// The daemon can be interrupted, because the microphone removes its own echo.
        case ownCanceller
        /// It works, with the microphone off while it speaks.
        case half
        /// Playback or capture itself is broken.
        case disturbed
    }

    package let grade: Grade
    /// One line.
    package let summary: String
    /// Remedies, most important first, one line each.
    package let advice: [String]

    package var exitCode: ExitCode {
        switch grade {
        case .good, .noEcho, .ownCanceller: .success
        case .half: .unavailable
        case .disturbed: .inputOutput
        }
    }

    /// Highest acceptable peak of the echo at the microphone, in dBFS: above it the analogue side distorts.
    package static let loudestEcho: Float = -6
    /// Share of far-end periods with clipped samples that is harmful.
    static let harmfulClipping: Float = 0.005
    /// Echo below this level at the microphone, in dBFS, was cancelled by the device: the loudspeaker plays the test
    /// signal at -20.
    package static let cancelled: Float = -60
    /// No real microphone is this quiet, in dBFS.
    static let dead: Float = -94

    package init(_ result: EchoTestResult) {
        let status = result.status
        var advice: [String] = []
        let xruns = result.captureXruns + result.playbackXruns
        if xruns > 0 {
            advice.append(
                "The sound was interrupted \(xruns == 1 ? "once" : "\(xruns) times"): raise audio.output_buffer_ms, "
                    + "or check whether the machine is busy."
            )
        }
        let isClipping = status.figures.clippedShare > Self.harmfulClipping
        if isClipping {
            advice.append("The microphone clips: lower its gain (alsamixer, F4), or the loudspeaker's volume.")
        } else if let peak = status.echoPeak, peak > Self.loudestEcho {
            advice.append(
                "The echo is very loud at the microphone: turn the loudspeaker down to "
                    + "\(Self.percent(excess: peak - Self.loudestEcho)) %, or move the microphone away from it."
            )
        }
        guard !result.isMuted else {
            (grade, summary, self.advice) = Self.muted(advice)
            return
        }
        guard !result.isLost else {
            grade = .disturbed
            summary = "A device was lost during the test."
            self.advice = advice
            return
        }
        guard xruns <= 2, result.secondsHeard > 0.8 * (EchoTestSignal.sweep + EchoTestSignal.speech) else {
            grade = .disturbed
            summary = xruns > 2 ? "The sound breaks up." : "The test signal was not played to its end."
            self.advice = advice
            return
        }
        if status.figures.linearERLE == nil, (result.noiseFloor ?? 0) <= Self.dead {
            (grade, summary, self.advice) = Self.muted(advice)
            return
        }
        if result.hasCanceller, status.worker == .hardware {
            (grade, summary, self.advice) = Self.judgeDevice(status, advice: advice)
            return
        }
        if status.blocks > 0, status.figures.linearERLE == nil {
            grade = .noEcho
            summary = "No echo was heard."
            self.advice =
                advice + [
                    "With headphones this is correct. If you heard the sound in the room, the microphone cancels its "
                        + "own echo. Otherwise the loudspeaker is off, muted (alsamixer) or not the one in "
                        + "audio.output, or the microphone hears nothing."
                ]
            return
        }
        guard result.hasCanceller else {
            grade = .half
            summary = "The echo canceller is off: the microphone is off while the box speaks."
            self.advice = advice + ["Set echo.mode = \"auto\", unless the device cancels its own echo."]
            return
        }
        if status.state == .good || status.state == .clear || status.state == .forcedFull {
            grade = .good
            summary = "Good: you can interrupt the box while it speaks."
        } else {
            grade = .half
            summary = "Not good enough: the microphone will be off while the box speaks."
            if advice.isEmpty { advice = Self.causes(status) }
        }
        self.advice = advice
    }

    private static func muted(_ advice: [String]) -> (Grade, String, [String]) {
        let check =
            "Check whether it is muted (alsamixer, F4, or a key on the device) or not the one in audio.input. "
            + "This says nothing about the echo."
        return (.disturbed, "The microphone delivers digital silence.", advice + [check])
    }

    /// Judges the echo left by a device that cancels its own.
    private static func judgeDevice(_ status: EchoStatus, advice: [String]) -> (Grade, String, [String]) {
        let level = status.figures.echoLevel ?? 0
        guard status.blocks > 0 else {
            return (.half, "No verdict: the microphone was silent while the box played.", advice)
        }
        if status.cancelsItself {
            return (.ownCanceller, "Good: the microphone cancels its own echo.", advice)
        }
        if status.state.isFull { return (.good, "Good: the device leaves little of the echo.", advice) }
        return (
            .half,
            "The device's own canceller leaves too much of the echo: \(Int(level.rounded())) dBFS at the microphone.",
            advice
        )
    }

    private static func causes(_ status: EchoStatus) -> [String] {
        guard let erle = status.figures.linearERLE else {
            return ["Too little echo was heard to judge: turn the loudspeaker up and run the test again."]
        }
        if status.state == .learning && erle >= 12 {
            return ["The canceller took long to converge: run the test again in a quiet room."]
        }
        if erle < 6 {
            return [
                "Almost nothing is cancelled: use one card for loudspeaker and microphone, and switch off effects of "
                    + "the device or the sound server that change the sound."
            ]
        }
        return [
            "The loudspeaker distorts or rattles, or the room reverberates: turn the loudspeaker down to 70 %, and "
                + "move the microphone closer to the talkers and away from the loudspeaker."
        ]
    }

    /// Returns the linear gain that takes off `excess` dB and 3 more, in percent rounded down to tens, at least 10.
    static func percent(excess: Float) -> Int {
        var factor: Float = 1
        var left = excess + 3
        while left > 0 {
            factor *= 0.89125
            left -= 1
        }
        return max(10, Int(factor * 10) * 10)
    }
}

extension EchoStatus {
    /// Whether the device has removed its own echo.
    fileprivate var cancelsItself: Bool { (figures.echoLevel ?? 0) < EchoTestVerdict.cancelled || state == .clear }
}

/// The result of an echo canceller test as text, one line per measurement.
package enum EchoTestReport {
    package static func lines(_ result: EchoTestResult, verdict: EchoTestVerdict) -> [String] {
        let status = result.status
        var rows: [(String, String)] = [
            ("noise at the microphone", level(result.noiseFloor)),
            (
                "echo at the microphone",
                "\(verdict.grade == .noEcho ? "not found" : level(status.figures.echoLevel)), peak \(level(status.echoPeak))"
            ),
            ("clipped", "\(tenths(Double(status.figures.clippedShare) * 100)) % of the periods with echo"),
            // Until the echo is found, the delay is a guess from the card's own figures.
            ("delay", status.isAligned ? status.delay.map { "\(tenths($0)) ms" } ?? "not found" : "not found"),
            ("drift of the clocks", status.drift.map { "\(tenths($0)) ppm" } ?? "needs longer"),
        ]
        if let problem = result.choice?.problem { rows.insert(("warning", problem), at: 0) }
        if let choice = result.choice { rows.insert(("microphone", choice.text), at: 0) }
        if result.hasCanceller, status.worker != .hardware {
            rows.append(
                (
                    "echo taken off",
                    "\(decibels(status.figures.linearERLE)) by the linear canceller, \(decibels(status.figures.wholeERLE)) in all"
                )
            )
            rows.append(("left over", level(status.figures.residualLevel)))
        }
        rows.append(("interruptions of the sound", "\(result.captureXruns) capture, \(result.playbackXruns) playback"))
        let width = rows.map(\.0.count).max() ?? 0
        return rows.map { $0.0 + String(repeating: " ", count: width + 2 - $0.0.count) + $0.1 } + ["", verdict.summary]
            + verdict.advice
    }

    private static func level(_ value: Float?) -> String { value.map { "\(Int($0.rounded())) dBFS" } ?? "none" }
    private static func decibels(_ value: Float?) -> String { value.map { "\(Int($0.rounded())) dB" } ?? "none" }

    private static func tenths(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        return "\(tenths < 0 ? "-" : "")\(abs(tenths) / 10).\(abs(tenths) % 10)"
    }
}

extension AudioConfiguration {
    /// Adds the user's lines of known devices.
    /// - Returns: problems with the lines, for people.
    package mutating func learn(environment: [String: String], files: FileReader = .system) -> [String] {
        let (table, problems) = KnownDevices.load(environment: environment, files: files)
        knownDevices = table
        return problems
    }
}
