internal import VoiceBase

/// openWakeWord's models: features and an embedding that all words share, and a classifier for each word. They are files of
/// the user's, in a folder of their own; none is installed.
///
///     sound --> mel, 32 values each 10 ms --> embedding, 96 values each 80 ms --> classifier, over 16 of them: 0 to 1
struct OpenWakeWordModels {
    static let folderName = "openwakeword"
    private static let longestModel = 4 << 20
    /// Rows of features that an embedding is of, and from one embedding to the next.
    static let window = 76
    static let step = 8
    /// Embeddings that a classifier takes.
    static let embeddings = 16
    static let bands = 32
    static let size = 96

    let mel: TFLiteInterpreter
    let embedding: TFLiteInterpreter
    let classifiers: [String: TFLiteInterpreter]

    /// - Parameters:
    ///   - words: those without a classifier are left out.
    ///   - folder: with melspectrogram.tflite, embedding_model.tflite and NAME.tflite or NAME_v0.1.tflite.
    ///   - samples: that the features are made of at a time.
    ///   - trial: every model has to pass it before it is loaded here.
    /// - Throws: what is missing or cannot be, with the file.
    init(
        _ words: [WakeWords.Word],
        in folder: String,
        library: String,
        samples: Int,
        trial: ModelTrial,
        files: FileReader
    ) throws(WakeWordError) {
        func load(_ name: String, _ kind: ModelTrial.Kind) throws(WakeWordError) -> TFLiteInterpreter {
            let path = folder + "/" + name
            do throws(WakeWordError) {
                let bytes: [UInt8]
                do throws(FileReader.Fault) { bytes = try files.read(path, Self.longestModel).bytes } catch {
                    throw WakeWordError("\(error)")
                }
                try trial.run(library: library, model: path, kind: kind)
                let interpreter = try TFLiteInterpreter(
                    library: library,
                    model: bytes,
                    shape: Self.input(of: kind, samples: samples)
                )
                try Self.check(interpreter, kind, samples: samples)
                return interpreter
            } catch {
                throw error.of(path, cause: .openWakeWord)
            }
        }
        mel = try load("melspectrogram.tflite", .mel)
        embedding = try load("embedding_model.tflite", .embedding)
        let names = Folder.names(in: folder)
        var classifiers: [String: TFLiteInterpreter] = [:]
        for word in words {
            if let name = names.first(where: { Self.word(of: $0) == WakeModelFolder.plain(word.text) }) {
                classifiers[word.text] = try load(name, .classifier)
            }
        }
        self.classifiers = classifiers
    }

    /// Whether there are such models.
    static func areIn(_ folder: String) -> Bool { Folder.names(in: folder).contains("melspectrogram.tflite") }

    /// The words that there is a classifier of in a folder.
    static func words(in folder: String) -> [String] {
        let names = Folder.names(in: folder)
        guard names.contains("melspectrogram.tflite") else { return [] }
        let shared = ["melspectrogram.tflite", "embedding_model.tflite"]
        return names.filter { !shared.contains($0) }.compactMap(word).sorted()
    }

    /// "hey_jarvis_v0.1.tflite" is of "hey jarvis".
    static func word(of file: String) -> String? {
        guard file.hasSuffix(".tflite") else { return nil }
        let parts = file.dropLast(7).split(separator: "_")
        let isNumbered = parts.last.map { $0.first == "v" && $0.dropFirst().first?.isNumber == true } ?? false
        return WakeModelFolder.plain(parts.dropLast(isNumbered ? 1 : 0).joined(separator: "_"))
    }

    /// Rows of features that so many samples give: windows of 512, 160 apart.
    static func rows(of samples: Int) -> Int { (samples - 512) / 160 + 1 }

    /// The shape that an input is given; empty for the model's own.
    static func input(of kind: ModelTrial.Kind, samples: Int) -> [Int] {
        switch kind {
        case .mel: [1, samples]
        case .embedding: [1, window, bands, 1]
        case .classifier, .micro: []
        }
    }

    /// Values that go in and come out.
    private static func counts(of kind: ModelTrial.Kind, samples: Int) -> (input: Int, output: Int) {
        switch kind {
        case .mel: (samples, rows(of: samples) * bands)
        case .embedding: (window * bands, size)
        case .classifier, .micro: (embeddings * size, 1)
        }
    }

    static func check(
        _ interpreter: TFLiteInterpreter,
        _ kind: ModelTrial.Kind,
        samples: Int
    ) throws(WakeWordError) {
        let counts = counts(of: kind, samples: samples)
        guard interpreter.input.value == .float32, interpreter.output.value == .float32,
            interpreter.input.bytes == 4 * counts.input,
            // The output of the features has a shape once they have run.
            kind == .mel || interpreter.output.bytes == 4 * counts.output
        else { throw WakeWordError("no model of openWakeWord: its input or output has another shape") }
    }

    /// Runs a model over silence.
    static func tryOnce(
        _ interpreter: TFLiteInterpreter,
        _ kind: ModelTrial.Kind,
        samples: Int
    ) throws(WakeWordError) {
        let counts = counts(of: kind, samples: samples)
        _ = try run(interpreter, [Float](repeating: 0, count: counts.input), giving: counts.output)
    }

    /// The rows of features of so many samples as the models were made for, scaled as the embedding takes them.
    func features(_ samples: [Float]) throws(WakeWordError) -> [Float] {
        var features = try Self.run(mel, samples, giving: Self.rows(of: samples.count) * Self.bands)
        for index in features.indices { features[index] = features[index] / 10 + 2 }
        return features
    }

    /// - Parameter rows: `window` rows of features.
    func embedding(of rows: [Float]) throws(WakeWordError) -> [Float] {
        try Self.run(embedding, rows, giving: Self.size)
    }

    /// - Parameter embedded: so many embeddings as a classifier takes, in a row.
    static func score(_ classifier: TFLiteInterpreter, _ embedded: [Float]) throws(WakeWordError) -> Float {
        let score = try run(classifier, embedded, giving: 1)[0]
        return score.isFinite ? min(1, max(0, score)) : 0
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
