/// Activation, translated from the configuration for the parts that it concerns.
package struct ActivationSettings: Sendable {
    package var machine = ActivationMachine.Options()

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
        if activation.mode == .wake, activation.engine == .off {
            throw ConfigurationError(problems: [
                ConfigurationProblem(
                    place: "activation.engine",
                    message: "is off, and activation.mode is \"wake\": set it to \"pocketsphinx\" or \"wyoming\", "
                        + "or the mode to \"push\""
                )
            ])
        }
    }
}
