package import VoiceBase

/// openWakeWord models for a second look at a word found by another engine. Stateless: each look evaluates the newest
/// audio as a whole. Belongs to one thread.
package final class SecondModels {
    package static let folderName = OpenWakeWordModels.folderName
    /// Positions to classify, 80 ms apart: the scores stay high for half a second.
    private static let places = 3
    private static let rows =
        OpenWakeWordModels.window + OpenWakeWordModels.step * (OpenWakeWordModels.embeddings + places - 2)
    /// Samples for this many feature rows, 2.1 s.
    static let samples = 512 + 160 * (rows - 1)

    private let models: OpenWakeWordModels

    /// Returns whether the folder holds such models.
    package static func areIn(_ folder: String) -> Bool { OpenWakeWordModels.areIn(folder) }

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
        models = try OpenWakeWordModels(
            words.calls.words,
            in: folder,
            library: library,
            samples: Self.samples,
            trial: trial,
            files: files
        )
    }

    /// The words that have a classifier.
    package var words: Set<String> { Set(models.classifiers.keys) }

    /// Returns the highest score over a recording of the word; nil without one.
    ///
    /// - Throws: if a model fails.
    package func best(_ word: String, over sample: [Int16]) throws(WakeWordError) -> Double? {
        guard !sample.isEmpty else { return nil }
        var sound = RecentSound()
        [Int16](repeating: 0, count: Self.samples).withUnsafeBufferPointer { sound.take($0) }
        var best: Double?
        let piece = 1280
        for start in stride(from: 0, to: sample.count, by: piece) {
            sample[start..<min(start + piece, sample.count)].withUnsafeBufferPointer { sound.take($0) }
            guard let score = try score(word, of: sound) else { return nil }
            best = max(best ?? 0, score)
        }
        return best
    }

    /// Returns the classifier's score for the newest audio, 0 to 1; nil if there is no classifier or too little audio.
    ///
    /// - Throws: if a model fails.
    package func score(_ word: String, of sound: RecentSound) throws(WakeWordError) -> Double? {
        typealias Models = OpenWakeWordModels
        guard let classifier = models.classifiers[word] else { return nil }
        let newest = sound.newest(Self.samples)
        guard newest.count == Self.samples else { return nil }
        let features = try models.features(newest.map { Float($0) })
        var embedded: [Float] = []
        for place in 0..<Models.embeddings + Self.places - 1 {
            let start = place * Models.step * Models.bands
            embedded += try models.embedding(of: Array(features[start..<start + Models.window * Models.bands]))
        }
        var highest: Float = 0
        for place in 0..<Self.places {
            let start = place * Models.size
            let window = Array(embedded[start..<start + Models.embeddings * Models.size])
            highest = max(highest, try Models.score(classifier, window))
        }
        return Double(highest)
    }
}
