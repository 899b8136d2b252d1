extension Configuration.Service.Name {
    package static let homeAssistant = Configuration.Service.Name(rawValue: "home-assistant")
}

extension Configuration {
    /// Home Assistant's pipeline as the voice service.
    package struct Assist: ConfigurationSection {
        package static let name = "assist"
        package static let documentation =
            "Home Assistant's pipeline (service.use = [\"home-assistant\"]): it recognises, answers and speaks. jarvis-bridge connects the "
            + "two ([esphome] in bridge.toml); Jarvis is not asked."
        package static let keys = Keys()

        package var changes: [String: ConfigurationValue] = [:]

        // Not in the file.

        /// Silence that ends a turn, at first; it adapts to the talker. Home Assistant may find the end sooner.
        package let hangoverMS = 650

        package init() {}
    }

    package var assist: Assist {
        get { services[Assist.self] }
        set { services[Assist.self] = newValue }
    }
}

extension Configuration.Assist {
    package struct Keys: Sendable {
        package let answerS = Setting(
            "assist.answer_s", 30, 5...170,
            "How long Home Assistant may work on an answer without progress, in seconds; then the request is withdrawn."
        )
    }
}
