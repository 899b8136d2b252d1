package import VoiceBase

/// Recognises words with microWakeWord models, run by TensorFlow Lite in this process: one front end for any number of words.
package final class TFLiteSpotter: WakeWordDetector {
    private let frontend: MicroFrontend
    /// Samples that do not fill a step yet.
    private var rest: [Int16] = []
    private let models: [MicroWakeWordModel]
    private var isBroken = false
    /// The words whose models are missing or invalid, or could not be tried.
    package private(set) var gaps: [WordGap] = []

    /// - Parameters:
    ///   - words: each needs a model in the folder and may have a cut-off of its own.
    ///   - trial: every model has to pass it before it is loaded here.
    /// - Throws: what is missing or invalid, with the fix, if none of the words is left.
    package init(
        _ words: WakeWords,
        in folder: WakeModelFolder,
        trial: ModelTrial,
        files: FileReader = .system
    ) throws(WakeWordError) {
        var models: [MicroWakeWordModel] = []
        var gaps: [WordGap] = []
        for word in words.words {
            do throws(WakeWordError) {
                try CallRule.check(word)
                models.append(try Self.model(of: word, in: folder, trial: trial, files: files))
            } catch {
                gaps.append(WordGap(words: [word.text], areStops: word.isStop, why: error))
            }
        }
        // Only if no word is left; the cause that another attempt may end comes first.
        if models.isEmpty, let gap = gaps.first { throw (gaps.first { $0.why.cause.isTransient } ?? gap).why }
        guard let frontend = MicroFrontend() else { throw WakeWordError("no memory") }
        self.frontend = frontend
        self.models = models
        self.gaps = gaps
    }

    private static func model(
        of word: WakeWords.Word,
        in folder: WakeModelFolder,
        trial: ModelTrial,
        files: FileReader
    ) throws(WakeWordError) -> MicroWakeWordModel {
        let (manifest, bytes) = try folder.model(of: word.text, isStop: word.isStop, files: files)
        let path = folder.path + "/" + manifest.model
        do throws(WakeWordError) {
            try trial.run(library: folder.library, model: path)
            let interpreter = try TFLiteInterpreter(library: folder.library, model: bytes)
            return try MicroWakeWordModel(word: word, manifest: manifest, bytes: bytes.count, interpreter: interpreter)
        } catch {
            throw error.of(path)
        }
    }

    package func process(_ samples: UnsafeBufferPointer<Int16>) throws(WakeWordError) -> [WakeCandidate] {
        guard !isBroken else { throw WakeWordError("a model does not start again") }
        rest += samples
        var found: [WakeCandidate] = []
        var start = 0
        while rest.count - start >= MicroFrontend.step {
            let features = rest.withUnsafeBufferPointer { rest in
                frontend.features(UnsafeBufferPointer(rebasing: rest[start..<start + MicroFrontend.step]))
            }
            start += MicroFrontend.step
            guard let features else { continue }
            for model in models {
                guard let finding = try model.consume(features) else { continue }
                var candidate = Self.candidate(model.word, finding)
                candidate.wantsPause = model.isCall
                candidate.threshold = model.threshold
                candidate.sensitivity = candidate.score.flatMap { model.cutoffs?.sensitivity(hearing: $0) }
                found.append(candidate)
            }
        }
        rest.removeFirst(start)
        return found
    }

    private static func candidate(_ word: String, _ finding: ProbabilityWindow.Finding) -> WakeCandidate {
        switch finding {
        case .found(let mean): WakeCandidate(word, .certain, score: mean)
        case .missed(let mean): WakeCandidate(word, .doubtful(mean))
        }
    }

    package var scores: [WakeScore] { models.map { WakeScore(word: $0.word, score: $0.score) } }

    package func reset() {
        frontend.reset()
        rest.removeAll(keepingCapacity: true)
        isBroken = !models.allSatisfy { $0.restart() }
    }
}
