internal import VoiceBase

/// How readily a microWakeWord model's word counts as a call. Written behind the word: "hey jarvis:high".
package enum WakeSensitivity: String, CaseIterable, Sendable {
    /// Fewer false calls; from across the room, more calls are missed.
    case low
    case normal
    /// Hears from further away and through babble; talk calls more often.
    case high
}

/// The cutoff for the mean of a model's probabilities, 0 to 1, at each sensitivity.
struct WakeCutoffs: Equatable, Sendable {
    var low: Double
    var normal: Double
    var high: Double

    /// The models that `wake install` installs, each measured with calls and with hours of other people's talk:
    /// docs/results/wake-words.md. A model is known by its word and its size in bytes, as another may have the same name.
    private static let measured: [(word: String, bytes: Int, cutoffs: WakeCutoffs)] = [
        ("alexa", 55_856, WakeCutoffs(low: 0.9, normal: 0.7, high: 0.35)),
        ("hey jarvis", 52_272, WakeCutoffs(low: 0.6, normal: 0.2, high: 0.1)),
        ("hey mycroft", 57_248, WakeCutoffs(low: 0.97, normal: 0.95, high: 0.5)),
        ("okay nabu", 80_824, WakeCutoffs(low: 0.9, normal: 0.85, high: 0.5)),
    ]

    init(low: Double, normal: Double, high: Double) {
        (self.low, self.normal, self.high) = (low, normal, high)
    }

    /// The measured cut-offs of a model, or its maker's cut-off for `normal` and values around it.
    ///
    /// - Parameters:
    ///   - word: as in `Configuration.Word.plain`.
    ///   - bytes: size of the model.
    ///   - makers: the cut-off in its manifest, above 0 and below 1.
    init(word: String, bytes: Int, makers: Double) {
        self =
            Self.measured.first { $0.word == word && $0.bytes == bytes }?.cutoffs
            ?? WakeCutoffs(low: (1 + makers) / 2, normal: makers, high: makers * 0.75)
        low = min(low, CallRule.highest)
    }

    subscript(_ sensitivity: WakeSensitivity) -> Double {
        switch sensitivity {
        case .low: low
        case .normal: normal
        case .high: high
        }
    }

    /// The lowest sensitivity at which a mean counts as a call; nil if it never does.
    func sensitivity(hearing mean: Double) -> WakeSensitivity? {
        WakeSensitivity.allCases.first { mean > self[$0] }
    }
}
