internal import VoiceBase

extension ActivationSettings {
    package enum Engine: Equatable, Sendable {
        case pocketsphinx
        /// - Parameter allowsPublic: whether the server may be outside this network.
        case wyoming(address: String, allowsPublic: Bool = false)
        case tflite(WakeModelFolder)

        /// The value of `activation.engine`.
        package var name: String {
            let engine: Configuration.Activation.Engine =
                switch self {
                case .pocketsphinx: .pocketsphinx
                case .wyoming: .wyoming
                case .tflite: .tflite
                }
            return engine.rawValue
        }
    }

    /// The user's own model of a stop word.
    package struct StopModel: Equatable, Sendable {
        /// The file's name as a word.
        var word: String
        var folder: WakeModelFolder

        /// - Parameters:
        ///   - path: of the manifest, NAME.json; nil is returned for any other file.
        ///   - library: path of TensorFlow Lite's library.
        package init?(path: String, library: String) {
            let parts = path.split(separator: "/", omittingEmptySubsequences: false)
            guard let name = parts.last, name.hasSuffix(".json"), name.utf8.count > 5 else { return nil }
            word = Configuration.Word.plain(name.dropLast(5))
            let place = parts.dropLast().joined(separator: "/")
            folder = WakeModelFolder(path: place.isEmpty ? (parts.count > 1 ? "/" : ".") : place, library: library)
        }

        func isOf(_ word: WakeWords.Word) -> Bool { Configuration.Word.plain(word.text) == self.word }
    }

    /// What recognises each word, and the detectors that follow from it.
    ///
    /// The engine recognises the wake words. A stop word is recognised by a microWakeWord model of it, the user's or one in the
    /// engine's folder; without one by PocketSphinx, which takes any word of its dictionary.
    package struct Recognition: Sendable {
        /// What recognises a word.
        enum Recogniser: Equatable, Sendable {
            /// A microWakeWord model in this folder.
            case model(WakeModelFolder)
            case sphinx
            /// The Wyoming server.
            case server
        }

        private let engine: Engine?
        private let stop: StopModel?
        private let sphinxModel: String
        /// The words with a model in the engine's folder.
        private let installed: [String]

        /// - Parameters:
        ///   - engine: of the wake words; nil if only stop words are recognised.
        ///   - stop: the user's model of a stop word.
        ///   - sphinxModel: folder of PocketSphinx's model.
        package init(engine: Engine?, stop: StopModel? = nil, sphinxModel: String) {
            (self.engine, self.stop, self.sphinxModel) = (engine, stop, sphinxModel)
            installed = if case .tflite(let folder)? = engine { folder.words } else { [] }
        }

        func recogniser(of word: WakeWords.Word) -> Recogniser {
            if let stop, word.isStop, stop.isOf(word) { return .model(stop.folder) }
            switch engine {
            case .tflite(let folder)? where !word.isStop || installed.contains(Configuration.Word.plain(word.text)):
                return .model(folder)
            case .wyoming? where !word.isStop: return .server
            default: return .sphinx
            }
        }

        /// - Throws: for a threshold or a sensitivity that the word's recogniser does not take.
        func check(_ word: WakeWords.Word) throws(WakeWordError) {
            switch recogniser(of: word) {
            case .model: try CallRule.check(word)
            case .sphinx: try SphinxSpotter.check(word)
            case .server:
                guard let sensitivity = word.sensitivity?.rawValue else { return }
                throw WakeWordError(
                    "\"\(word.text):\(sensitivity)\" is for microWakeWord models: set the threshold at the Wyoming server"
                )
            }
        }

        /// Returns the detector of all words.
        ///
        /// - Parameter trial: for TensorFlow Lite models.
        /// - Throws: what PocketSphinx lacks, if it alone recognises all words. Otherwise the detector itself reports what an
        ///   engine lacks.
        package func detector(
            of words: WakeWords,
            trial: ModelTrial = .child()
        ) throws(WakeWordError) -> any WakeWordDetector {
            let stops = words.stops.words
            switch engine {
            case nil: return stopDetector(of: words, trial: trial)
            case .pocketsphinx where stop == nil: return try SphinxSpotter(words, model: sphinxModel)
            case .pocketsphinx:
                let known = WakeWords(words: words.words.filter { recogniser(of: $0) == .sphinx })
                return WakeEngines(
                    calls: sphinx(known),
                    stops: engines(of: stops.filter { recogniser(of: $0) != .sphinx }, trial)
                )
            case .wyoming(let address, let allowsPublic):
                let calls = WakeEngines.Maker { () throws(WakeWordError) in
                    try WyomingDetector(address: address, words: words, allowsPublic: allowsPublic)
                }
                return WakeEngines(calls: calls, stops: engines(of: stops, trial))
            case .tflite(let folder):
                let calls = WakeEngines.Maker { () throws(WakeWordError) in
                    try TFLiteSpotter(words.calls, in: folder, trial: trial)
                }
                return WakeEngines(calls: calls, stops: engines(of: stops, trial))
            }
        }

        /// Returns the detector of the stop words alone.
        func stopDetector(of words: WakeWords, trial: ModelTrial) -> any WakeWordDetector {
            WakeEngines(calls: nil, stops: engines(of: words.stops.words, trial))
        }

        /// One engine for each recogniser of stop words.
        private func engines(of stops: [WakeWords.Word], _ trial: ModelTrial) -> [WakeEngines.Maker] {
            var makers: [WakeEngines.Maker] = []
            var left = stops
            while let first = left.first {
                let same = recogniser(of: first)
                let words = WakeWords(words: left.filter { recogniser(of: $0) == same })
                left.removeAll { recogniser(of: $0) == same }
                guard case .model(let folder) = same else {
                    makers.append(sphinx(words))
                    continue
                }
                makers.append(
                    .init(stops: words.words.map(\.text)) { () throws(WakeWordError) in
                        try TFLiteSpotter(words, in: folder, trial: trial)
                    }
                )
            }
            return makers
        }

        private func sphinx(_ words: WakeWords) -> WakeEngines.Maker {
            .init(stops: words.stops.words.map(\.text)) { [sphinxModel] () throws(WakeWordError) in
                try SphinxSpotter(words, model: sphinxModel)
            }
        }
    }
}
