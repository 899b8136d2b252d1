extension Configuration {
    /// Which voice services hear and speak.
    package struct Service: ConfigurationSection {
        package static let name = "service"
        package static let documentation = "Which service hears and speaks. Each has a section of its own."
        package static let keys = Keys()

        package var changes: [String: ConfigurationValue] = [:]

        package init() {}
    }
}

extension Configuration.Service {
    package struct Keys: Sendable {
        package let use = Setting(
            "service.use",
            [Name.openAI],
            "Services in the order of preference: where the first cannot be had, the next takes its place until it is well "
                + "again. openai: a Realtime service ([realtime]). "
                + "openai-live: GPT-Live ([live]). "
                + "local: servers of the house ([local])."
        )
    }

    /// The services by the names that the file has for them; one line each in `ServiceRegistry`.
    package enum Name: String, CaseIterable, Sendable {
        case openAI = "openai"
        case openAILive = "openai-live"
        case local
    }
}
