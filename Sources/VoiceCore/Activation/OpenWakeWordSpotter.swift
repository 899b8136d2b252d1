internal import VoiceBase

/// Words of openWakeWord's models, run as the sound comes: a score every 80 ms, by the sound of the last two seconds.
///
/// It begins as if there had been silence before. Belongs to one thread.
final class OpenWakeWordSpotter {
    private typealias Models = OpenWakeWordModels
    /// Samples from one run to the next, and that a run is of: the windows of its last rows reach back into the run before.
    private static let hop = 1280
    private static let samples = 1760
    /// A score that counts, where the user wrote none: that of openWakeWord's own server.
    private static let usual = 0.5
    /// Runs in a second, which are ignored at the start and after a find.
    private static let ignored = 12

    private struct Word {
        let text: String
        let classifier: TFLiteInterpreter
        var window: ProbabilityWindow
        /// The newest.
        var score: Float = 0
    }

    private let models: OpenWakeWordModels
    private var words: [Word] = []
    /// What the features and the embedding make of silence.
    private let silentRows: [Float]
    private let silentEmbeddings: [Float]
    private var heard: [Float] = []
    private var rows: [Float] = []
    private var embedded: [Float] = []

    /// - Throws: what is missing or cannot be, with the file.
    init(
        _ words: [WakeWords.Word],
        in folder: String,
        library: String,
        trial: ModelTrial,
        files: FileReader
    ) throws(WakeWordError) {
        models = try OpenWakeWordModels(
            words,
            in: folder,
            library: library,
            samples: Self.samples,
            trial: trial,
            files: files
        )
        let row = try models.features([Float](repeating: 0, count: Self.samples)).prefix(Models.bands)
        silentRows = (0..<Models.window).flatMap { _ in row }
        let embedding = try models.embedding(of: silentRows)
        silentEmbeddings = (0..<Models.embeddings).flatMap { _ in embedding }
        for word in words {
            guard let classifier = models.classifiers[word.text] else {
                throw WakeWordError("\(folder) has no model of \"\(word.text)\"")
            }
            let cutoff: WordCutoff =
                word.isStop
                ? .stop(own: word.ownThreshold, model: Self.usual)
                : .call(own: word.ownThreshold, model: Self.usual)
            let window = ProbabilityWindow(size: 1, cutoff: cutoff, ignored: Self.ignored)
            self.words.append(Word(text: word.text, classifier: classifier, window: window))
        }
        reset()
    }

    /// How sure it is of each word right now.
    var scores: [WakeScore] { words.map { WakeScore(word: $0.text, score: Double($0.score)) } }

    func reset() {
        heard = [Float](repeating: 0, count: Self.hop)
        rows = silentRows
        embedded = silentEmbeddings
        for index in words.indices {
            words[index].window.reset()
            words[index].score = 0
        }
    }

    /// - Parameter isPlaying: whether the box itself sounds.
    /// - Returns: finds and near misses, with the word.
    func take(
        _ samples: UnsafeBufferPointer<Int16>,
        isPlaying: Bool
    ) throws(WakeWordError) -> [(word: String, finding: ProbabilityWindow.Finding)] {
        heard += samples.lazy.map { Float($0) }
        var found: [(word: String, finding: ProbabilityWindow.Finding)] = []
        while heard.count >= Self.samples {
            let features = try models.features(Array(heard.prefix(Self.samples)))
            heard.removeFirst(Self.hop)
            rows = Array((rows + features).suffix(Models.window * Models.bands))
            embedded = Array((embedded + (try models.embedding(of: rows))).suffix(Models.embeddings * Models.size))
            for index in words.indices {
                let score = try Models.score(words[index].classifier, embedded)
                words[index].score = score
                // In 256ths, as the window counts.
                let probability = UInt8(clamping: Int(score * 256))
                if let finding = words[index].window.take(probability, isPlaying: isPlaying) {
                    found.append((words[index].text, finding))
                }
            }
        }
        return found
    }
}
