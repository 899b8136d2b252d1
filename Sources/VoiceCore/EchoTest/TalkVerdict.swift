package import VoiceAudio
package import VoiceBase

/// The meaning of a test with a person's own voice, in words, and advice.
package struct TalkVerdict: Sendable, Equatable {
    package enum Grade: Sendable, Equatable, CaseIterable {
        /// The person is heard completely over the playback.
        case good
        /// The person is heard, with gaps.
        case fair
        case poor
        /// Nobody talked, as far as measured.
        case nobody
    }

    /// Seconds of loud talk below which there is no verdict.
    static let least = 1.0
    /// How much louder than the person the echo may be at the microphone, in dB.
    static let loudEcho = 10.0
    /// Least level of a person at the microphone, in dBFS.
    static let soft = -45.0

    package let grade: Grade
    /// One line.
    package let summary: String
    /// Remedies, most important first, one line each.
    package let advice: [String]

    package var exitCode: ExitCode {
        switch grade {
        case .good, .fair: .success
        case .poor, .nobody: .unavailable
        }
    }

    /// - Parameter duplex: state at the end of the test.
    package init(_ talk: TalkResult, duplex: DuplexState) {
        guard talk.seconds >= Self.least else {
            grade = .nobody
            summary = "Nobody was heard talking."
            advice = [
                "Count aloud while the noise plays, from where you will talk. If you did, check whether audio.input is "
                    + "the right microphone, and raise its gain (alsamixer, F4)."
            ]
            return
        }
        let heard = Int((talk.heardShare * 100).rounded(.down))
        let cut = Int((talk.cutShare * 100).rounded())
        if talk.heardShare >= 0.95 && talk.cutShare <= 0.1 && talk.longestLost <= 0.5 {
            grade = .good
            summary = "You are heard while the box speaks: \(heard) % of what you said, \(cut) % of it softened."
            advice = []
            return
        }
        grade = talk.heardShare >= 0.8 && talk.cutShare <= 0.5 ? .fair : .poor
        summary =
            grade == .fair
            ? "You are heard while the box speaks, with gaps: \(heard) % of what you said, \(cut) % of it softened."
            : "You are hardly heard while the box speaks: \(heard) % of what you said, \(cut) % of it softened."
        advice = Self.advice(talk, duplex: duplex)
    }

    private static func advice(_ talk: TalkResult, duplex: DuplexState) -> [String] {
        var advice: [String] = []
        if duplex == .forcedHalf || duplex == .cancellerOff {
            advice.append(
                "The box does not listen while it speaks: set echo.enabled = true and echo.duplex = \"auto\"."
            )
        }
        if let level = talk.level, let echo = talk.echoLevel, echo - level > loudEcho {
            advice.append(
                "The box is \(Int((echo - level).rounded())) dB louder than you at the microphone: turn the "
                    + "loudspeaker down to \(EchoTestVerdict.percent(excess: echo - level - loudEcho)) %, or come "
                    + "closer."
            )
        }
        if let level = talk.level, level < soft {
            advice.append("You are faint at the microphone: come closer, or raise its gain (alsamixer, F4).")
        }
        if advice.isEmpty {
            advice.append(
                "Move the microphone away from the loudspeaker and towards you; until then, wait for the end of an "
                    + "answer or say one word first."
            )
        }
        return advice
    }

    /// The measurements as lines of text, then the verdict.
    package func lines(_ talk: TalkResult) -> [String] {
        func level(_ value: Double?) -> String { value.map { "\(Int($0.rounded())) dBFS" } ?? "none" }
        func tenths(_ value: Double) -> String {
            let tenths = Int((value * 10).rounded())
            return "\(tenths / 10).\(tenths % 10)"
        }
        return [
            "your voice          \(level(talk.level)) over an echo of \(level(talk.echoLevel)), \(tenths(talk.seconds)) s "
                + "of it loud",
            "longest piece lost  \(tenths(talk.longestLost)) s", "", summary,
        ] + advice
    }
}
