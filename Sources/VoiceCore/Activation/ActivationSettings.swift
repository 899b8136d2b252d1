internal import VoiceBase
package import VoiceConfiguration

/// The activation settings, derived from the configuration for the components that use them.
package struct ActivationSettings: Sendable {
    package var machine: ActivationMachine.Options
    /// The engine that recognises words; nil for none.
    package var engine: Engine?
    /// Creates the detector, on the thread that will own it; nil for none.
    package var makeDetector: (@Sendable (ModelTrial) throws(WakeWordError) -> any WakeWordDetector)?
    package var rule: WakeRule?
    /// The check before a word opens a conversation; nil for none.
    package var secondLook: SecondLook?
    /// Creates the second look's models, on the detector's thread; nil for none.
    package var makeSecondModels: (@Sendable (ModelTrial) throws(WakeWordError) -> SecondModels)?
    /// Folder of the TensorFlow Lite library; nil if that library is not used.
    package var libraryFolder: String?
    package var quietHours: QuietHours?
    /// Highest master volume in quiet hours, in percent.
    package var quietVolume: Int
    /// Program run on state changes, name of a light, path of an input device; each is empty for none.
    package var stateCommand: String
    package var led: String
    package var buttons: String
    /// Whether, in `always` mode, sound is sent only while somebody speaks.
    package var voiceGate: Bool

    package enum Engine: Equatable, Sendable {
        case pocketsphinx(model: String)
        case wyoming(address: String)
        case sherpa(SherpaSpotter.Place)
        case tflite(WakeModelFolder)

        /// The value of `activation.engine`.
        package var name: String {
            let engine: Configuration.Activation.Engine =
                switch self {
                case .pocketsphinx: .pocketsphinx
                case .wyoming: .wyoming
                case .sherpa: .sherpa
                case .tflite: .tflite
                }
            return engine.rawValue
        }

        /// Returns the detector for these words: one engine for the wake words and others for stop words. If one lacks
        /// something, the others still hear.
        ///
        /// A stop word is recognised by the user's model; if there is none, by the engine, if it has one; otherwise by
        /// PocketSphinx, which takes any word of its dictionary.
        ///
        /// - Parameters:
        ///   - sphinxModel: folder of PocketSphinx's model.
        ///   - stop: the user's model of a stop word.
        ///   - trial: for TensorFlow Lite models.
        /// - Throws: what PocketSphinx lacks, if it alone recognises all words. Otherwise the detector itself reports
        ///   what an engine lacks.
        package func detector(
            of words: WakeWords,
            sphinxModel: String,
            stop: StopModel? = nil,
            trial: ModelTrial = .child()
        ) throws(WakeWordError) -> any WakeWordDetector {
            let own = WakeWords(words: words.stops.words.filter { stop?.isOf($0) == true })
            var others = WakeWords(words: words.stops.words.filter { stop?.isOf($0) != true })
            var engines: [TwoEars.Maker] = []
            if let stop { engines.append(Self.tflite(own, in: stop.folder, trial)) }
            let calls: TwoEars.Maker
            switch self {
            case .pocketsphinx(let model):
                let known = WakeWords(words: words.calls.words + others.words)
                if stop == nil { return try SphinxSpotter(known, model: model) }
                calls = .init { () throws(WakeWordError) in try SphinxSpotter(known, model: model) }
                others.words = []
            case .wyoming(let address):
                calls = .init { () throws(WakeWordError) in try WyomingDetector(address: address, words: words) }
            case .sherpa(let place):
                let known = (try? SherpaModel(folder: place.model).keywordNames()) ?? []
                let found = WakeWords(words: words.calls.words + others.words.filter { known.contains($0.text) })
                calls = .init { () throws(WakeWordError) in try SherpaSpotter(found, at: place) }
                others.words.removeAll { known.contains($0.text) }
            case .tflite(let folder):
                calls = Self.tflite(words.calls, in: folder, trial)
                let known = folder.allWords
                let found = WakeWords(words: others.words.filter { known.contains(WakeModelFolder.plain($0.text)) })
                others.words.removeAll { found.words.contains($0) }
                if !found.words.isEmpty { engines.append(Self.tflite(found, in: folder, trial)) }
            }
            return TwoEars(calls: calls, stops: engines + Self.sphinx(others, sphinxModel))
        }

        /// Returns the detector for stop words if no engine is configured.
        static func stopDetector(
            of words: WakeWords,
            sphinxModel: String,
            stop: StopModel,
            trial: ModelTrial
        ) -> any WakeWordDetector {
            let own = WakeWords(words: words.stops.words.filter(stop.isOf))
            let others = WakeWords(words: words.stops.words.filter { !stop.isOf($0) })
            return TwoEars(calls: nil, stops: [tflite(own, in: stop.folder, trial)] + sphinx(others, sphinxModel))
        }

        private static func tflite(
            _ words: WakeWords,
            in folder: WakeModelFolder,
            _ trial: ModelTrial
        ) -> TwoEars.Maker {
            TwoEars.Maker { () throws(WakeWordError) in try TFLiteSpotter(words, in: folder, trial: trial) }
        }

        private static func sphinx(_ words: WakeWords, _ model: String) -> [TwoEars.Maker] {
            guard !words.words.isEmpty else { return [] }
            return [TwoEars.Maker { () throws(WakeWordError) in try SphinxSpotter(words, model: model) }]
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
            word = WakeModelFolder.plain(name.dropLast(5))
            let place = parts.dropLast().joined(separator: "/")
            folder = WakeModelFolder(path: place.isEmpty ? (parts.count > 1 ? "/" : ".") : place, library: library)
        }

        func isOf(_ word: WakeWords.Word) -> Bool { WakeModelFolder.plain(word.text) == self.word }
    }

    /// Whether wake words are listened for.
    package var hearsCalls: Bool { engine != nil && makeDetector != nil }

    /// - Throws: what is missing or invalid, with the fix.
    package init(_ configuration: Configuration) throws(ConfigurationError) {
        let activation = configuration.activation
        machine = ActivationMachine.Options(configuration)
        voiceGate = activation.voiceGate && configuration.echo.enabled
        stateCommand = activation.stateCommand
        led = activation.led
        buttons = activation.buttons
        quietVolume = activation.quietVolume
        if !activation.quietHours.isEmpty {
            guard let hours = QuietHours(activation.quietHours) else {
                throw Self.problem(
                    "activation.quiet_hours",
                    "must be like \"22:00-07:00\", got \"\(activation.quietHours)\""
                )
            }
            quietHours = hours
        }
        let models = WakeModelFolder(configured: activation.wakeModels, environment: ProcessEnvironment.values)
        switch activation.engine {
        case .off: engine = nil
        case .auto: engine = models.isFilled ? .tflite(models) : nil
        case .pocketsphinx: engine = .pocketsphinx(model: activation.sphinxModel)
        case .wyoming:
            guard HostAndPort(activation.wyomingAddress) != nil else {
                throw Self.problem("activation.wyoming_address", HostAndPort.wanted)
            }
            engine = .wyoming(address: activation.wyomingAddress)
        case .sherpa:
            guard !activation.sherpaModel.isEmpty else {
                throw Self.problem("activation.sherpa_model", "is empty: name the folder with the keyword model")
            }
            engine = .sherpa(.init(library: activation.sherpaLibrary, model: activation.sherpaModel))
        case .tflite: engine = .tflite(models)
        }
        if engine == nil, activation.mode == .wake {
            throw Self.problem("activation.engine", Self.withoutEngine)
        }
        var stop: StopModel?
        if !activation.stopModel.isEmpty {
            stop = StopModel(path: activation.stopModel, library: models.library)
            guard stop != nil else {
                throw Self.problem(
                    "activation.stop_model",
                    "wants a manifest NAME.json, got \"\(activation.stopModel)\""
                )
            }
        }
        try listen(activation, models: models, stop: stop)
    }

    private mutating func listen(
        _ activation: Configuration.Activation,
        models: WakeModelFolder,
        stop: StopModel?
    ) throws(ConfigurationError) {
        guard activation.engine != .off, engine != nil || stop != nil else { return }
        let rule = try Self.rule(activation, stop: stop)
        self.rule = rule
        let sphinxModel = activation.sphinxModel
        if let engine {
            makeDetector = { (trial) throws(WakeWordError) in
                try engine.detector(of: rule.words, sphinxModel: sphinxModel, stop: stop, trial: trial)
            }
        } else if let stop {
            makeDetector = { (trial) throws(WakeWordError) in
                Engine.stopDetector(of: rule.words, sphinxModel: sphinxModel, stop: stop, trial: trial)
            }
        }
        switch engine {
        case .wyoming?: break
        case .pocketsphinx?, .sherpa?, .tflite?, nil: secondLook = activation.secondLook ? SecondLook() : nil
        }
        let folder = models.openWakeWord
        if secondLook != nil, engine == .tflite(models), SecondModels.areIn(folder) {
            makeSecondModels = { (trial) throws(WakeWordError) in
                try SecondModels(rule.words, in: folder, library: models.library, trial: trial)
            }
        }
        if stop != nil || engine == .tflite(models) { libraryFolder = models.path }
    }

    private static func rule(
        _ activation: Configuration.Activation,
        stop: StopModel?
    ) throws(ConfigurationError) -> WakeRule {
        do throws(WakeWordError) {
            var words = try WakeWords(
                wake: activation.wakeWords,
                stop: activation.stopWords,
                threshold: activation.threshold
            )
            if let stop, !words.stops.words.contains(where: stop.isOf) {
                words.words.append(.init(text: stop.word, threshold: activation.threshold, isStop: true))
            }
            return WakeRule(
                words: words,
                playingMargin: activation.playingMargin,
                refractory: .milliseconds(activation.refractoryMS)
            )
        } catch {
            throw problem("activation.wake_words, activation.stop_words", "\(error)")
        }
    }

    /// Why mode `wake` is impossible, with the fix; follows "activation.engine" in a sentence.
    package static let withoutEngine =
        "is off or finds no models, and activation.mode is \"wake\": run \"jarvis-voiced wake install\", set it to "
        + "\"pocketsphinx\", \"wyoming\" or \"sherpa-onnx\", or the mode to \"push\""

    private static func problem(_ place: String, _ message: String) -> ConfigurationError {
        ConfigurationError(problems: [ConfigurationProblem(place: place, message: message)])
    }
}
