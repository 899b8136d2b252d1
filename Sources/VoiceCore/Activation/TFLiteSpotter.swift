package import VoiceBase

/// Recognises words with microWakeWord models, run by TensorFlow Lite in this process: one front end for each pace, for any
/// number of words.
package final class TFLiteSpotter: WakeWordDetector {
    /// The sound at its own pace first.
    private let frontends: [PacedFrontend]
    private let models: [MicroWakeWordModel]
    private var isBroken = false
    private var isPlaying = false
    /// The words whose models are missing or invalid, or could not be tried.
    package private(set) var gaps: [WordGap] = []

    /// - Parameters:
    ///   - words: each needs a model in the folder and may have a cut-off of its own.
    ///   - trial: every model has to pass it before it is loaded here.
    ///   - isMeasured: whether a file is the model whose limits were chosen by measurement.
    /// - Throws: what is missing or invalid, with the fix, if none of the words is left.
    package init(
        _ words: WakeWords,
        in folder: WakeModelFolder,
        trial: ModelTrial,
        files: FileReader = .system,
        isMeasured: ([UInt8]) -> Bool = { WordCutoff.isMeasured($0) }
    ) throws(WakeWordError) {
        var models: [MicroWakeWordModel] = []
        var gaps: [WordGap] = []
        for word in words.words {
            do throws(WakeWordError) {
                try WordCutoff.check(word)
                models.append(
                    try Self.model(of: word, in: folder, trial: trial, files: files, isMeasured: isMeasured)
                )
            } catch {
                gaps.append(WordGap(words: [word.text], areStops: word.isStop, why: error))
            }
        }
        // Only if no word is left; the cause that another attempt may end comes first.
        if models.isEmpty, let gap = gaps.first { throw (gaps.first { $0.why.cause.isPassing } ?? gap).why }
        let paces = models.map(\.paces).max() ?? 0
        frontends = PacedFrontend.rates.prefix(paces).compactMap { PacedFrontend(rate: $0) }
        guard frontends.count == paces else { throw WakeWordError("no memory") }
        self.models = models
        self.gaps = gaps
    }

    private static func model(
        of word: WakeWords.Word,
        in folder: WakeModelFolder,
        trial: ModelTrial,
        files: FileReader,
        isMeasured: ([UInt8]) -> Bool
    ) throws(WakeWordError) -> MicroWakeWordModel {
        let (manifest, bytes) = try folder.model(of: word.text, isStop: word.isStop, files: files)
        let path = folder.path + "/" + manifest.model
        do throws(WakeWordError) {
            try trial.run(library: folder.library, model: path)
            let isMeasured = isMeasured(bytes) && !word.isStop
            var interpreters: [TFLiteInterpreter] = []
            for _ in 0..<(isMeasured ? PacedFrontend.rates.count : 1) {
                interpreters.append(try TFLiteInterpreter(library: folder.library, model: bytes))
            }
            return try MicroWakeWordModel(
                word: word,
                manifest: manifest,
                interpreters: interpreters,
                isMeasured: isMeasured
            )
        } catch {
            throw error.of(path)
        }
    }

    package func process(_ samples: UnsafeBufferPointer<Int16>) throws(WakeWordError) -> [WakeCandidate] {
        guard !isBroken else { throw WakeWordError("a model does not start again") }
        var found: [WakeCandidate] = []
        // In steps, so that no pace is ahead of another, however many samples come at once.
        for start in stride(from: 0, to: samples.count, by: MicroFrontend.step) {
            let end = min(start + MicroFrontend.step, samples.count)
            try consume(UnsafeBufferPointer(rebasing: samples[start..<end]), into: &found)
        }
        return found
    }

    private func consume(
        _ samples: UnsafeBufferPointer<Int16>,
        into found: inout [WakeCandidate]
    ) throws(WakeWordError) {
        // The other paces first: they have a say in the next step at the sound's own.
        for (pace, frontend) in frontends.enumerated().reversed() {
            try frontend.consume(samples) { (features) throws(WakeWordError) in
                for model in models where pace < model.paces {
                    guard let finding = try model.consume(features, pace: pace, isPlaying: isPlaying) else { continue }
                    var candidate = Self.candidate(model.word, finding)
                    candidate.wantsPause = model.wantsPause
                    candidate.threshold = model.threshold(isPlaying: isPlaying)
                    found.append(candidate)
                }
            }
        }
    }

    private static func candidate(_ word: String, _ finding: ProbabilityWindow.Finding) -> WakeCandidate {
        switch finding {
        case .found(let mean): WakeCandidate(word, .certain, score: mean)
        case .missed(let mean): WakeCandidate(word, .doubtful(mean))
        }
    }

    package func note(isPlaying: Bool, lately: Bool) { self.isPlaying = isPlaying }

    package var scores: [WakeScore] { models.map { WakeScore(word: $0.word, score: $0.score) } }

    package func reset() {
        for frontend in frontends { frontend.reset() }
        isBroken = !models.allSatisfy { $0.restart() }
    }
}
