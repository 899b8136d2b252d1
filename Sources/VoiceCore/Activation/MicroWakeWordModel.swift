internal import VoiceBase

/// The microWakeWord model of one word: takes features, reports finds.
///
/// The model is streaming: it takes a few steps of features at a time and keeps its own history.
final class MicroWakeWordModel {
    let word: String
    /// The cut-offs of a wake word; nil for a stop word, which has its maker's.
    let cutoffs: WakeCutoffs?
    /// Whether it is judged by `CallRule`.
    var isCall: Bool { cutoffs != nil }
    private let interpreter: TFLiteInterpreter
    private var input: [Int8]
    private var filled = 0
    private var window: ProbabilityWindow

    /// - Parameters:
    ///   - bytes: size of the model.
    ///   - interpreter: of the model; checked here.
    /// - Throws: why it is not a microWakeWord model; follows the file's name in a message.
    init(
        word: WakeWords.Word,
        manifest: MicroWakeWordManifest,
        bytes: Int,
        interpreter: TFLiteInterpreter
    ) throws(WakeWordError) {
        try Self.check(interpreter.input, interpreter.output)
        self.interpreter = interpreter
        input = [Int8](repeating: 0, count: interpreter.input.bytes)
        let steps = interpreter.input.shape[1]
        self.word = word.text
        cutoffs =
            word.isStop
            ? nil : WakeCutoffs(word: Configuration.Word.plain(word.text), bytes: bytes, makers: manifest.cutoff)
        // A word's probabilities are high for about half a second: no mean over more than a second would exceed a cut-off.
        guard manifest.window * steps <= 100 else {
            throw WakeWordError(
                "wants the mean of \(10 * manifest.window * steps) ms (sliding_window_size), which is longer than a word"
            )
        }
        window = ProbabilityWindow(
            size: manifest.window,
            cutoff: word.ownThreshold ?? cutoffs?[word.sensitivity ?? .normal] ?? manifest.cutoff,
            // A second, in which the model fills its history.
            ignored: 100 / steps
        )
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

    /// Current confidence in its word, 0 to 1.
    var score: Double { window.mean }

    /// The threshold that the score has to exceed.
    var threshold: Double { window.cutoff }

    /// - Parameter features: one set, from `MicroFrontend`.
    func consume(_ features: UnsafeBufferPointer<UInt16>) throws(WakeWordError) -> ProbabilityWindow.Finding? {
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
        return window.consume(probability)
    }

    /// Clears the history; returns false if the model can no longer run.
    func restart() -> Bool {
        window.reset()
        filled = 0
        return interpreter.restart()
    }
}
