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

    /// Stop words that nothing can recognise, as no engine for them is installed.
    package private(set) var unheardStops: [String] = []
    /// The folder of the models, if this user may not look into it and no other folder holds models; nil otherwise.
    package private(set) var hiddenModels: String?
    /// Whether these are the settings of this user's own daemon.
    package let isForThisUser: Bool
    /// Consequences of settings that exclude each other, for the user.
    package private(set) var notices: [String] = []

    /// Whether wake words are listened for.
    package var hearsCalls: Bool { engine != nil && makeDetector != nil }

    /// - Parameters:
    ///   - isForThisUser: false to check the settings of the service's user: files that the present user may not look at
    ///     then do not count as missing.
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
        machine.hearsCalls = engine != nil
        if let hiddenModels, isForThisUser, activation.mode == .wake {
            let problem = Self.notThisUsers(hiddenModels, isNamed: !activation.wakeModels.isEmpty)
            if engine == nil { throw Self.problem("activation.engine", problem) }
            // The daemon runs without the hidden models.
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
                    "activation.stop_model", "wants a manifest NAME.json, got \"\(activation.stopModel)\""
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
        case .pocketsphinx: return .pocketsphinx
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
        let recognition = Recognition(engine: engine, stop: stop, sphinxModel: activation.sphinxModel)
        let rule = try rule(activation, recognition, stop: stop)
        let hasSphinx = access("\(activation.sphinxModel)/cmudict-en-us.dict", R_OK) == 0
        guard engine != nil || !rule.words.words.isEmpty && (stop != nil || hasSphinx) else {
            unheardStops = rule.words.words.map(\.text)
            return
        }
        self.rule = rule
        makeDetector = { (trial) throws(WakeWordError) in try recognition.detector(of: rule.words, trial: trial) }
        if !rule.words.stops.words.isEmpty {
            makeStopDetector = { recognition.stopDetector(of: rule.words, trial: $0) }
        }
        if stop != nil || engine == .tflite(models) { libraryFolder = models.path }
    }

    /// The words that are recognised.
    ///
    /// - Throws: for words that cannot be read, or a threshold that the engine of the word does not take.
    private func rule(
        _ activation: Configuration.Activation,
        _ recognition: Recognition,
        stop: StopModel?
    ) throws(ConfigurationError) -> WakeRule {
        do throws(WakeWordError) {
            var words = try WakeWords(
                wake: activation.wakeWords, stop: activation.stopWords, threshold: Configuration.Activation.threshold
            )
            if let stop, !words.stops.words.contains(where: stop.isOf) {
                words.words.append(.init(text: stop.word, threshold: Configuration.Activation.threshold, isStop: true))
            }
            // Stop words need no engine for wake words: PocketSphinx takes them where it is installed.
            if engine == nil { words = words.stops }
            for index in words.words.indices {
                let word = words.words[index]
                try recognition.check(word)
                // The number written with such a word is a probability, not a threshold of PocketSphinx.
                if case .model = recognition.recogniser(of: word) {
                    words.words[index].threshold = Configuration.Activation.threshold
                }
            }
            return WakeRule(words: words)
        } catch {
            throw Self.problem("activation.wake_words, activation.stop_words", "\(error)")
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
