/// Activation, translated from the configuration for the parts that it concerns.
package struct ActivationSettings: Sendable {
    package var machine = ActivationMachine.Options()
    /// What recognises words; nil for nothing.
    package var engine: Engine?
    package var rule: WakeRule?
    package var quietHours: QuietHours?
    /// Highest master volume in quiet hours, in percent.
    package var quietVolume = 100
    /// Program run on changes of state, light, input device; empty for none.
    package var stateCommand = ""
    package var led = ""
    package var buttons = ""
    /// Whether, in `always`, sound is sent only while somebody speaks.
    package var voiceGate = false

    package enum Engine: Equatable, Sendable {
        case pocketsphinx(model: String)
        case wyoming(address: String)
    }

    /// - Throws: what is missing or cannot be, with the way out.
    package init(_ configuration: Configuration) throws(ConfigurationError) {
        let activation = configuration.activation
        machine.mode =
            switch activation.mode {
            case .always: .always
            case .wake: .wake
            case .push: .push
            }
        machine.followUp = .seconds(activation.followUpS)
        machine.turnLimit = .seconds(activation.turnLimitS)
        machine.connectLimit = .seconds(2 * configuration.realtime.connectTimeoutS)
        machine.isOneShot = activation.oneShot
        machine.preRoll = activation.preRollMS
        // The service counts the silence that ended the turn as part of it.
        if configuration.realtime.turnDetection == .server {
            machine.emptyTurn = max(0, configuration.realtime.silenceMS - 150)
        }
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
        switch activation.engine {
        case .off: engine = nil
        case .pocketsphinx: engine = .pocketsphinx(model: activation.sphinxModel)
        case .wyoming: engine = .wyoming(address: activation.wyomingAddress)
        }
        if engine == nil, activation.mode == .wake {
            throw Self.problem(
                "activation.engine",
                "is off, and activation.mode is \"wake\": set it to \"pocketsphinx\" or \"wyoming\", or the mode to "
                    + "\"push\""
            )
        }
        if engine != nil { rule = try Self.rule(activation) }
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

    private static func problem(_ place: String, _ message: String) -> ConfigurationError {
        ConfigurationError(problems: [ConfigurationProblem(place: place, message: message)])
    }
}
