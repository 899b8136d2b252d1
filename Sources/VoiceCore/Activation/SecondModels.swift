package import VoiceBase

/// openWakeWord models for a second look: features and an embedding shared by all words, and a classifier for each
/// word. The files are the user's, in a folder of their own; none are installed.
///
///     2.1 s of sound --> mel, 32 values each 10 ms --> embedding, 96 values each 80 ms --> classifier: 0 to 1
///
/// Stateless: each look evaluates the newest audio as a whole. Belongs to one thread.
package final class SecondModels {
    package static let folderName = "openwakeword"
    private static let longestModel = 4 << 20
    /// Feature rows per embedding, rows from one embedding to the next, embeddings per classification; values per row
    /// and per embedding.
    private static let window = 76
    private static let step = 8
    private static let embeddings = 16
    private static let bands = 32
    private static let size = 96
    /// Positions to classify, 80 ms apart: the scores stay high for half a second.
    private static let places = 3
    private static let rows = window + step * (embeddings + places - 2)
    /// Samples for this many feature rows: windows of 512, 160 apart.
    static let samples = 512 + 160 * (rows - 1)

    private let mel: TFLiteInterpreter
    private let embedding: TFLiteInterpreter
    private let classifiers: [String: TFLiteInterpreter]

    /// Returns whether the folder holds such models.
    package static func areIn(_ folder: String) -> Bool { Folder.names(in: folder).contains("melspectrogram.tflite") }

    /// - Parameters:
    ///   - words: those without a classifier get no second opinion.
    ///   - folder: holds melspectrogram.tflite, embedding_model.tflite and NAME.tflite or NAME_v0.1.tflite.
    ///   - trial: every model has to pass it before it is loaded here.
    /// - Throws: what is missing or invalid, with the file.
    package init(
        _ words: WakeWords,
        in folder: String,
        library: String,
        trial: ModelTrial,
        files: FileReader = .system
    ) throws(WakeWordError) {
        func load(_ name: String, _ kind: ModelTrial.Kind) throws(WakeWordError) -> TFLiteInterpreter {
            let path = folder + "/" + name
            do throws(WakeWordError) {
                let bytes: [UInt8]
                do throws(FileReader.Fault) { bytes = try files.read(path, SecondModels.longestModel).bytes } catch {
                    throw WakeWordError("\(error)")
                }
                try trial.run(library: library, model: path, kind: kind)
                let interpreter = try TFLiteInterpreter(
                    library: library,
                    model: bytes,
                    shape: SecondModels.input(of: kind)
                )
                try SecondModels.check(interpreter, kind)
                return interpreter
            } catch {
                throw WakeWordError("\(path): \(error)")
            }
        }
        mel = try load("melspectrogram.tflite", .mel)
        embedding = try load("embedding_model.tflite", .embedding)
        let names = Folder.names(in: folder)
        var classifiers: [String: TFLiteInterpreter] = [:]
        for word in words.words where !word.isStop {
            if let name = names.first(where: { SecondModels.word(of: $0) == WakeModelFolder.plain(word.text) }) {
                classifiers[word.text] = try load(name, .classifier)
            }
        }
        self.classifiers = classifiers
    }

    /// The words that have a classifier.
    package var words: Set<String> { Set(classifiers.keys) }

    /// Returns the word of a classifier's file: "hey jarvis" for "hey_jarvis_v0.1.tflite".
    static func word(of file: String) -> String? {
        guard file.hasSuffix(".tflite") else { return nil }
        let parts = file.dropLast(7).split(separator: "_")
        let isNumbered = parts.last.map { $0.first == "v" && $0.dropFirst().first?.isNumber == true } ?? false
        return WakeModelFolder.plain(parts.dropLast(isNumbered ? 1 : 0).joined(separator: "_"))
    }

    /// Returns the shape to set for the input; empty for the model's own.
    static func input(of kind: ModelTrial.Kind) -> [Int] {
        switch kind {
        case .mel: [1, samples]
        case .embedding: [1, window, bands, 1]
        case .classifier, .micro: []
        }
    }

    /// Number of input and output values.
    private static func counts(of kind: ModelTrial.Kind) -> (input: Int, output: Int) {
        switch kind {
        case .mel: (samples, rows * bands)
        case .embedding: (window * bands, size)
        case .classifier, .micro: (embeddings * size, 1)
        }
    }

    static func check(_ interpreter: TFLiteInterpreter, _ kind: ModelTrial.Kind) throws(WakeWordError) {
        let counts = counts(of: kind)
        guard interpreter.input.value == .float32, interpreter.output.value == .float32,
            interpreter.input.bytes == 4 * counts.input,
            // The output of the features has its shape only after a run.
            kind == .mel || interpreter.output.bytes == 4 * counts.output
        else { throw WakeWordError("no model of openWakeWord: its input or output has another shape") }
    }

    /// Runs a model on silence.
    static func tryOnce(_ interpreter: TFLiteInterpreter, _ kind: ModelTrial.Kind) throws(WakeWordError) {
        let counts = counts(of: kind)
        _ = try run(interpreter, [Float](repeating: 0, count: counts.input), giving: counts.output)
    }

    /// Returns the classifier's score for the newest audio, 0 to 1; nil if there is no classifier or too little audio.
    ///
    /// - Throws: if a model fails.
    package func score(_ word: String, of sound: RecentSound) throws(WakeWordError) -> Double? {
        guard let classifier = classifiers[word] else { return nil }
        let newest = sound.newest(Self.samples)
        guard newest.count == Self.samples else { return nil }
        var features = try Self.run(mel, newest.map { Float($0) }, giving: Self.rows * Self.bands)
        for index in features.indices { features[index] = features[index] / 10 + 2 }
        var embedded: [Float] = []
        for place in 0..<Self.embeddings + Self.places - 1 {
            let start = place * Self.step * Self.bands
            let window = Array(features[start..<start + Self.window * Self.bands])
            embedded += try Self.run(embedding, window, giving: Self.size)
        }
        var highest: Float = 0
        for place in 0..<Self.places {
            let start = place * Self.size
            let window = Array(embedded[start..<start + Self.embeddings * Self.size])
            highest = max(highest, try Self.run(classifier, window, giving: 1)[0])
        }
        return highest.isFinite ? min(1, Double(highest)) : 0
    }

    private static func run(
        _ interpreter: TFLiteInterpreter,
        _ input: [Float],
        giving count: Int
    ) throws(WakeWordError) -> [Float] {
        var output = [Float](repeating: 0, count: count)
        let isRun = input.withUnsafeBytes { input in
            output.withUnsafeMutableBytes { interpreter.run(input, into: $0) }
        }
        guard isRun else { throw WakeWordError("a model of openWakeWord fails") }
        return output
    }
}
