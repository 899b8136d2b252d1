internal import Glibc
package import VoiceBase
internal import VoiceNetwork

/// The activation settings, derived from the configuration for the components that use them.
package struct ActivationSettings: Sendable {
    package var machine: ActivationMachine.Options
    /// The engine that recognises words; nil for none.
    package var engine: Engine?
    /// Creates the detector, on the thread that will own it; nil for none.
    package var makeDetector: (@Sendable (ModelTrial) throws(WakeWordError) -> any WakeWordDetector)?
    package var rule: WakeRule?
    /// Creates the detector of the stop words alone, likewise; nil for none.
    package var makeStopDetector: (@Sendable (ModelTrial) -> any WakeWordDetector)?
    /// Folder of the TensorFlow Lite library; nil if that library is not used.
    package var libraryFolder: String?
    package var quietHours: QuietHours?
    /// Highest master volume in quiet hours, in percent.
    package var quietVolume: Int
    /// Program run on state changes, path of an input device; each is empty for none.
    package var stateCommand: String
    package var buttons: String
    /// Whether, in `always` mode, sound is sent only while a voice is heard.
    package var voiceGate: Bool

    package enum Engine: Equatable, Sendable {
        case pocketsphinx(model: String)
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

        /// Returns the detector for these words: one engine for the wake words, others for the stop words.
        ///
        /// A stop word is recognised by a microWakeWord model of it, the user's or one in the folder; without one by
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
            switch self {
            case .pocketsphinx(let model):
                let known = WakeWords(words: words.words.filter { stop?.isOf($0) != true })
                guard let stop else { return try SphinxSpotter(known, model: model) }
                return WakeEngines(
                    calls: .init(stops: known.stops.words.map(\.text)) { () throws(WakeWordError) in
                        try SphinxSpotter(known, model: model)
                    },
                    stops: Self.models(words.stops.words.filter(stop.isOf), in: stop.folder, trial)
                )
            case .wyoming(let address, let allowsPublic):
                return WakeEngines(
                    calls: .init { () throws(WakeWordError) in
                        try WyomingDetector(address: address, words: words, allowsPublic: allowsPublic)
                    },
                    stops: Self.stopEngines(of: words, sphinxModel: sphinxModel, stop: stop, trial: trial)
                )
            case .tflite(let folder):
                return WakeEngines(
                    calls: .init { () throws(WakeWordError) in try TFLiteSpotter(words.calls, in: folder, trial: trial)
                    },
                    stops: Self.stopEngines(
                        of: words,
                        sphinxModel: sphinxModel,
                        stop: stop,
                        folder: folder,
                        trial: trial
                    )
                )
            }
        }

        /// Returns the detector for stop words if no engine recognises wake words.
        static func stopDetector(
            of words: WakeWords,
            sphinxModel: String,
            stop: StopModel?,
            trial: ModelTrial
        ) -> any WakeWordDetector {
            WakeEngines(
                calls: nil,
                stops: stopEngines(of: words, sphinxModel: sphinxModel, stop: stop, trial: trial)
            )
        }

        private static func stopEngines(
            of words: WakeWords,
            sphinxModel: String,
            stop: StopModel?,
            folder: WakeModelFolder? = nil,
            trial: ModelTrial
        ) -> [WakeEngines.Maker] {
            let inFolder = folder?.words ?? []
            var (own, installed, others): ([WakeWords.Word], [WakeWords.Word], [WakeWords.Word]) = ([], [], [])
            for word in words.stops.words {
                if stop?.isOf(word) == true {
                    own.append(word)
                } else if inFolder.contains(WakeModelFolder.plain(word.text)) {
                    installed.append(word)
                } else {
                    others.append(word)
                }
            }
            var makers = stop.map { models(own, in: $0.folder, trial) } ?? []
            if let folder { makers += models(installed, in: folder, trial) }
            if !others.isEmpty {
                let sphinx = WakeWords(words: others)
                makers.append(
                    .init(stops: others.map(\.text)) { () throws(WakeWordError) in
                        try SphinxSpotter(sphinx, model: sphinxModel)
                    }
                )
            }
            return makers
        }

        private static func models(
            _ stops: [WakeWords.Word],
            in folder: WakeModelFolder,
            _ trial: ModelTrial
        ) -> [WakeEngines.Maker] {
            guard !stops.isEmpty else { return [] }
            let words = WakeWords(words: stops)
            return [
                .init(stops: stops.map(\.text)) { () throws(WakeWordError) in
                    try TFLiteSpotter(words, in: folder, trial: trial)
                }
            ]
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

    /// Stop words that nothing can recognise, as no engine for them is installed.
    package private(set) var unheardStops: [String] = []
    /// The folder of the models, if this user may not look into it and has none; nil otherwise.
    package private(set) var hiddenModels: String?
    /// Whether these are the settings of this user's own daemon.
    package let isForThisUser: Bool
    /// Consequences of settings that exclude each other, for the user.
    package private(set) var notices: [String] = []

    /// Whether wake words are listened for.
    package var hearsCalls: Bool { engine != nil && makeDetector != nil }

    /// - Parameters:
    ///   - isForThisUser: false to check the settings of another user, the service's: what this user may not look at
    ///     is then not missed.
    ///   - isHidden: whether this user may not look into a folder.
    /// - Throws: what is missing or invalid, with the fix.
    package init(
        _ configuration: Configuration,
        isForThisUser: Bool = true,
        isHidden: (String) -> Bool = WakeModelFolder.isHidden
    ) throws(ConfigurationError) {
        let activation = configuration.activation
        self.isForThisUser = isForThisUser
        machine = ActivationMachine.Options(configuration)
        voiceGate = activation.voiceGate && configuration.echo.cancels
        stateCommand = activation.stateCommand
        buttons = activation.buttons
        quietVolume = activation.quietVolume
        if !activation.quietHours.isEmpty {
            guard let hours = QuietHours(activation.quietHours) else {
                throw Self.problem(
                    "activation.quiet_hours",
                    "must be like \"22:00-07:00\", every day, got \"\(activation.quietHours)\""
                )
            }
            quietHours = hours
        }
        let models = WakeModelFolder(configured: activation.wakeModels, environment: ProcessEnvironment.values)
        if [.auto, .tflite].contains(activation.engine), !models.isFilled {
            let folder = activation.wakeModels.isEmpty ? WakeModelFolder.service : activation.wakeModels
            hiddenModels = isHidden(folder) ? folder : nil
        }
        engine = try Self.engine(configuration, models)
        if let hiddenModels, isForThisUser, activation.mode == .wake {
            let problem = Self.notThisUsers(hiddenModels, isNamed: !activation.wakeModels.isEmpty)
            if engine == nil { throw Self.problem("activation.engine", problem) }
            // The daemon runs without them.
            notices.append("activation.engine: \(problem)")
        } else if engine == nil, activation.mode == .wake {
            guard let hiddenModels else { throw Self.problem("", Self.withoutWords(way: "activation.mode = \"push\"")) }
            notices.append(
                "activation.engine: this user may not look into \(hiddenModels), so its models are not checked: run this "
                    + "with sudo"
            )
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

    private static func engine(
        _ configuration: Configuration,
        _ models: WakeModelFolder
    ) throws(ConfigurationError) -> Engine? {
        let activation = configuration.activation
        switch activation.engine {
        case .off: return nil
        case .auto: return models.isFilled ? .tflite(models) : nil
        case .pocketsphinx: return .pocketsphinx(model: activation.sphinxModel)
        case .wyoming:
            let allowsPublic = configuration.local.allowPublic
            guard let server = HostAndPort(activation.wyomingAddress) else {
                throw problem("activation.wyoming_address", HostAndPort.wanted)
            }
            guard allowsPublic || !TransportVerdict.isExposed(host: server.host) else {
                throw problem("activation.wyoming_address", "\(server.host) \(WyomingDetector.exposed)")
            }
            return .wyoming(address: activation.wyomingAddress, allowsPublic: allowsPublic)
        case .tflite: return .tflite(models)
        }
    }

    private mutating func listen(
        _ activation: Configuration.Activation,
        models: WakeModelFolder,
        stop: StopModel?
    ) throws(ConfigurationError) {
        guard activation.engine != .off else {
            if stop != nil {
                notices.append("activation.stop_model is not used: activation.engine is \"off\"; set it to \"auto\"")
            }
            return
        }
        let all = try Self.rule(activation, engine, stop: stop)
        // Stop words need no engine for wake words: PocketSphinx takes them where it is installed.
        let rule = engine == nil ? all.stopsOnly : all
        try Self.check(rule.words, by: engine, stop: stop)
        let hasSphinx = access("\(activation.sphinxModel)/cmudict-en-us.dict", R_OK) == 0
        guard engine != nil || !rule.words.words.isEmpty && (stop != nil || hasSphinx) else {
            unheardStops = rule.words.words.map(\.text)
            return
        }
        self.rule = rule
        let sphinxModel = activation.sphinxModel
        let stopDetector: @Sendable (ModelTrial) -> any WakeWordDetector = { trial in
            Engine.stopDetector(of: rule.words, sphinxModel: sphinxModel, stop: stop, trial: trial)
        }
        makeDetector = { [engine] (trial) throws(WakeWordError) in
            guard let engine else { return stopDetector(trial) }
            return try engine.detector(of: rule.words, sphinxModel: sphinxModel, stop: stop, trial: trial)
        }
        if !rule.words.stops.words.isEmpty { makeStopDetector = stopDetector }
        if stop != nil || engine == .tflite(models) { libraryFolder = models.path }
    }

    /// - Throws: for a threshold that the engine of the word does not take.
    private static func check(
        _ words: WakeWords,
        by engine: Engine?,
        stop: StopModel?
    ) throws(ConfigurationError) {
        do throws(WakeWordError) {
            let hasModel = modelled(by: engine, stop: stop)
            for word in words.words {
                if hasModel(word) {
                    try CallRule.check(word)
                    continue
                }
                switch engine {
                case .tflite?: try word.isStop ? SphinxSpotter.check(word) : CallRule.check(word)
                case .pocketsphinx?, nil: try SphinxSpotter.check(word)
                case .wyoming?:
                    if word.isStop {
                        try SphinxSpotter.check(word)
                    } else if let sensitivity = word.sensitivity?.rawValue {
                        throw WakeWordError(
                            "\"\(word.text):\(sensitivity)\" is for microWakeWord models: set the threshold at the Wyoming server"
                        )
                    }
                }
            }
        } catch {
            throw problem("activation.wake_words, activation.stop_words", "\(error)")
        }
    }

    /// Tells which words are recognised by a model: those of an engine of TensorFlow Lite, whose folder is read here once, and
    /// that of `stop`.
    private static func modelled(by engine: Engine?, stop: StopModel?) -> (WakeWords.Word) -> Bool {
        var words: [String] = []
        if case .tflite(let folder)? = engine { words = folder.words }
        return { stop?.isOf($0) == true || words.contains(WakeModelFolder.plain($0.text)) }
    }

    private static func rule(
        _ activation: Configuration.Activation,
        _ engine: Engine?,
        stop: StopModel?
    ) throws(ConfigurationError) -> WakeRule {
        do throws(WakeWordError) {
            var words = try WakeWords(
                wake: activation.wakeWords,
                stop: activation.stopWords,
                threshold: Configuration.Activation.threshold
            )
            if let stop, !words.stops.words.contains(where: stop.isOf) {
                words.words.append(.init(text: stop.word, threshold: Configuration.Activation.threshold, isStop: true))
            }
            // The number written with such a word is a probability, not a threshold of PocketSphinx.
            let hasModel = modelled(by: engine, stop: stop)
            for index in words.words.indices where hasModel(words.words[index]) {
                words.words[index].threshold = Configuration.Activation.threshold
            }
            return WakeRule(words: words)
        } catch {
            throw problem("activation.wake_words, activation.stop_words", "\(error)")
        }
    }

    /// Why this user's own daemon has no models, with the fix.
    ///
    /// - Parameter isNamed: whether the configuration names the folder.
    private static func notThisUsers(_ folder: String, isNamed: Bool) -> String {
        let way =
            isNamed
            ? "name a folder in activation.wake_models that you may read"
            : "run \"jarvis-voiced wake install\", without sudo, for models of your own"
        return "this user may not read the models in \(folder), so no wake word would be heard: \(way), or set "
            + "activation.mode to \"push\""
    }

    /// Why mode `wake` is impossible, with the ways out.
    /// - Parameter way: how to do without wake words.
    package static func withoutWords(way: String) -> String {
        let command = WakeModelFolder.installCommand(
            intoStateFolder: StateDirectory.path(environment: ProcessEnvironment.values)
        )
        return "No wake word is installed: \(command). Or use a button: \(way)"
    }

    private static func problem(_ place: String, _ message: String) -> ConfigurationError {
        ConfigurationError(problems: [ConfigurationProblem(place: place, message: message)])
    }
}
