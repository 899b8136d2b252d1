internal import Synchronization
internal import VoiceBase

/// An engine's current confidence for a word, 0 to 1.
package struct WakeScore: Equatable, Sendable {
    package var word: String
    package var score: Double
}

/// The newest scores, passed from the listening thread to the one that displays them.
package final class NewestScores: Sendable {
    private let kept = Mutex<[WakeScore]>([])

    package init() {}

    package var scores: [WakeScore] {
        get { kept.withLock { $0 } }
        set { kept.withLock { $0 = newValue } }
    }
}

/// The output of `jarvis-voiced wake test`.
package enum WakeTestLine {
    /// Returns the line for what was heard; nil for nothing.
    ///
    /// - Parameter place: time since the start.
    package static func text(_ report: WakeReport, at place: Duration) -> String? {
        var words: [String]
        switch report.verdict {
        case .call(let word): words = ["heard", word]
        case .stop(let word): words = ["heard (stop)", word]
        case .nearMiss(let word, _): words = ["near miss", word]
        case .refused(let word, let reason): words = ["refused", word, reason.text]
        case .speaksOn, .nothing: return nil
        }
        if let score = report.score { words.append("score \(score.asScore)") }
        if case .nearMiss = report.verdict, let sensitivity = report.sensitivity {
            words.append("heard with sensitivity \"\(sensitivity.rawValue)\"")
        }
        if let evidence = report.evidence {
            words.append(
                "\(Int(evidence.level.rounded())) dBFS, \(Int(evidence.overNoise.rounded())) dB over the noise"
            )
        }
        let tenths = place.wholeMilliseconds / 100
        return "\(tenths / 10).\(tenths % 10) s  " + words.joined(separator: ", ")
    }

    /// Returns the scores shown after the level.
    package static func text(_ scores: [WakeScore]) -> String {
        scores.map { "\($0.word) \($0.score.asScore)" }.joined(separator: "  ")
    }
}
