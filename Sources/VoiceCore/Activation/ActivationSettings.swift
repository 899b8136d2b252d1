package import VoiceConfiguration

/// Activation, translated from the configuration for the parts that it concerns.
package struct ActivationSettings: Sendable {
    package var machine: ActivationMachine.Options
    /// What recognises words; nil for nothing.
    package var engine: Engine?
    /// Makes what recognises words, on the thread that it will live on; nil for nothing.
    package var makeDetector: (@Sendable () throws(WakeWordError) -> any WakeWordDetector)?
    package var rule: WakeRule?
    package var quietHours: QuietHours?
    /// Highest master volume in quiet hours, in percent.
    package var quietVolume: Int
    /// Program run on changes of state, light, input device; empty for none.
    package var stateCommand: String
    package var led: String
    package var buttons: String
    /// Whether, in `always`, sound is sent only while somebody speaks.
    package var voiceGate: Bool

    package enum Engine: Equatable, Sendable {
        case pocketsphinx(model: String)
        case wyoming(address: String)
        case sherpa(SherpaSpotter.Place)
        case tflite(WakeModelFolder)

        /// As `activation.engine` has it.
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

        /// What finds these words. Stop words for which the engine has no model are PocketSphinx's, which takes any.
        ///
        /// - Parameter sphinxModel: folder of PocketSphinx's model.
        /// - Throws: what is missing for the words that call, with the way out.
        package func detector(
            of words: WakeWords,
            sphinxModel: String
        ) throws(WakeWordError) -> any WakeWordDetector {
            var others = words.stops
            let detector: any WakeWordDetector
            switch self {
            case .pocketsphinx(let model): return try SphinxSpotter(words, model: model)
            case .wyoming(let address): detector = try WyomingDetector(address: address, words: words)
            case .sherpa(let place):
                detector = try SherpaSpotter(words, at: place)
                let known = try SherpaModel(folder: place.model).keywordNames()
                others.words.removeAll { known.contains($0.text) }
            case .tflite(let folder):
                let known = folder.words
                others.words.removeAll { known.contains(WakeModelFolder.plain($0.text)) }
                let own = WakeWords(words: words.words.filter { !others.words.contains($0) })
                detector = try TFLiteSpotter(own, in: folder, trial: .child)
            }
            guard !others.words.isEmpty else { return detector }
            return StopWordDetector(calls: detector) { () throws(WakeWordError) in
                try SphinxSpotter(others, model: sphinxModel)
            }
        }
    }

    /// - Throws: what is missing or cannot be, with the way out.
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
                throw Self.problem("activation.quiet_hours", "wants \"22:00-07:00\", got \"\(activation.quietHours)\"")
            }
            quietHours = hours
        }
        let models = WakeModelFolder(configured: activation.wakeModels, environment: ProcessEnvironment.values)
        switch activation.engine {
        case .off: engine = nil
        case .auto: engine = models.isFilled ? .tflite(models) : nil
        case .pocketsphinx: engine = .pocketsphinx(model: activation.sphinxModel)
        case .wyoming: engine = .wyoming(address: activation.wyomingAddress)
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
        if let engine {
            let rule = try Self.rule(activation)
            self.rule = rule
            let sphinxModel = activation.sphinxModel
            makeDetector = { () throws(WakeWordError) in
                try engine.detector(of: rule.words, sphinxModel: sphinxModel)
            }
        }
    }

    private static func rule(_ activation: Configuration.Activation) throws(ConfigurationError) -> WakeRule {
        do throws(WakeWordError) {
            return WakeRule(
                words: try WakeWords(
                    wake: activation.wakeWords,
                    stop: activation.stopWords,
                    threshold: activation.threshold
                ),
                playingMargin: activation.playingMargin,
                refractory: .milliseconds(activation.refractoryMS)
            )
        } catch {
            throw problem("activation.wake_words, activation.stop_words", "\(error)")
        }
    }

    /// Why there is no mode `wake`, and the way out; fits behind "activation.engine".
    package static let withoutEngine =
        "is off or finds no models, and activation.mode is \"wake\": run \"jarvis-voiced wake install\", set it to "
        + "\"pocketsphinx\", \"wyoming\" or \"sherpa-onnx\", or the mode to \"push\""

    private static func problem(_ place: String, _ message: String) -> ConfigurationError {
        ConfigurationError(problems: [ConfigurationProblem(place: place, message: message)])
    }
}
