/// The microWakeWord model of one word: takes features, reports finds.
///
/// The model is streaming: it takes a few steps of features at a time and keeps its own history. It may be run on the sound
/// at several paces, see `PacedFrontend`; all of them together decide.
final class MicroWakeWordModel {
    let word: String
    /// Whether the word counts only after a pause.
    let wantsPause: Bool
    private var runs: [Run]
    private var window: ProbabilityWindow

    /// The model on the sound at one pace.
    private struct Run {
        let interpreter: TFLiteInterpreter
        var input: [Int8]
        var filled = 0

        /// Returns the probability once there are features enough for one, in 256ths.
        mutating func consume(_ features: UnsafeBufferPointer<UInt16>, of word: String) throws(WakeWordError) -> UInt8?
        {
            for feature in features {
                input[filled] = MicroFrontend.quantized(feature)
                filled += 1
            }
            guard filled == input.count else { return nil }
            filled = 0
            var probability: UInt8 = 0
            let isRun = input.withUnsafeBytes { input in
                withUnsafeMutableBytes(of: &probability) { interpreter.run(input, into: $0) }
            }
            guard isRun else { throw WakeWordError("the model of \"\(word)\" fails") }
            return probability
        }
    }

    /// - Parameters:
    ///   - interpreters: of the model, one for each pace; checked here.
    ///   - isMeasured: whether it is the model whose limits were chosen by measurement; false for a stop word.
    /// - Throws: why it is not a microWakeWord model; follows the file's name in a message.
    init(
        word: WakeWords.Word,
        manifest: MicroWakeWordManifest,
        interpreters: [TFLiteInterpreter],
        isMeasured: Bool
    ) throws(WakeWordError) {
        runs = []
        var steps = 1
        for interpreter in interpreters {
            try Self.check(interpreter.input, interpreter.output)
            runs.append(Run(interpreter: interpreter, input: [Int8](repeating: 0, count: interpreter.input.bytes)))
            steps = interpreter.input.shape[1]
        }
        self.word = word.text
        // A word's probabilities are high for about half a second: no mean over more than a second would exceed a cut-off.
        guard manifest.window * steps <= 100 else {
            throw WakeWordError(
                "wants the mean of \(10 * manifest.window * steps) ms (sliding_window_size), which is longer than a word"
            )
        }
        let (own, model) = (word.ownThreshold, manifest.cutoff)
        let (cutoff, size) =
            word.isStop
            ? (.stop(own: own, model: model), manifest.window)
            : WordCutoff.micro(isMeasured: isMeasured, own: own, model: model, size: manifest.window)
        wantsPause = isMeasured
        // Ignores a second of the sound's own pace, in which the model fills its histories.
        window = ProbabilityWindow(size: size, paces: runs.count, cutoff: cutoff, ignored: 100 / steps)
    }

    /// Checks that the model takes the features computed here and returns one probability.
    static func check(_ input: TFLiteInterpreter.Tensor, _ output: TFLiteInterpreter.Tensor) throws(WakeWordError) {
        let shape = input.shape
        guard input.value == .int8, shape.count == 3, shape[0] == 1, 1...32 ~= shape[1],
            shape[2] == MicroFrontend.channels, input.bytes == shape[1] * shape[2], output.value == .uint8,
            output.bytes == 1
        else { throw WakeWordError("no microWakeWord model: its input or output has another shape") }
        guard input.zero == -128, abs(input.scale - 26 / 255) < 0.001, abs(output.scale - 1 / 256) < 0.0001,
            output.zero == 0
        else { throw WakeWordError("a microWakeWord model that was trained on features of another scale") }
    }

    /// Number of paces at which it wants features: the first of `PacedFrontend.rates`.
    var paces: Int { runs.count }

    /// Current confidence in its word, 0 to 1.
    var score: Double { window.mean }

    /// What that has to exceed.
    func threshold(isPlaying: Bool) -> Double { isPlaying ? window.cutoff.playing : window.cutoff.quiet }

    /// - Parameters:
    ///   - features: one set, from `MicroFrontend`.
    ///   - pace: of the sound they are of, 0 ..< `paces`; 0 is its own, and only there may a find be returned.
    ///   - isPlaying: whether the box plays sound.
    func consume(
        _ features: UnsafeBufferPointer<UInt16>,
        pace: Int,
        isPlaying: Bool
    ) throws(WakeWordError) -> ProbabilityWindow.Finding? {
        guard let probability = try runs[pace].consume(features, of: word) else { return nil }
        guard pace == 0 else {
            window.note(probability, pace: pace)
            return nil
        }
        return window.consume(probability, isPlaying: isPlaying)
    }

    /// Clears the history; returns false if the model can no longer run.
    func restart() -> Bool {
        window.reset()
        var canRun = true
        for index in runs.indices {
            runs[index].filled = 0
            canRun = runs[index].interpreter.restart() && canRun
        }
        return canRun
    }
}
