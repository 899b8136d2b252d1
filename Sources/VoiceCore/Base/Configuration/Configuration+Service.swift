extension Configuration {
    /// The voice services to use.
    package struct Service: ConfigurationSection {
        package static let name = "service"
        package static let documentation = "Which service hears and speaks. Each has its own section."
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
            "Services in order of preference; while one is unavailable, the next takes over. openai: a "
                + "Realtime service ([realtime]). openai-live: GPT-Live ([live]). local: speech servers in the "
                + "house ([local])."
        )
    }

    /// The services, by their names in the file; each has one line in `ServiceRegistry`.
    package enum Name: String, CaseIterable, Sendable {
        case openAI = "openai"
        case openAILive = "openai-live"
        case datagrid
        case local
        case hero365
    }
}

/// The API key of a voice service and where it is looked up. Services of one provider share a key.
package enum ServiceKey: String, CaseIterable, Sendable {
    case openAI = "openai"
    case datagrid
    case hero365

    /// The setting that holds the path of the key file.
    package var setting: String {
        switch self {
        case .openAI: "realtime.api_key_file"
        case .datagrid: "datagrid.api_key_file"
        case .hero365: "hero365.api_key_file"
        }
    }

    func path(_ configuration: Configuration) -> String {
        switch self {
        case .openAI: configuration.realtime.apiKeyFile
        case .datagrid: configuration.datagrid.apiKeyFile
        case .hero365: configuration.hero365.apiKeyFile
        }
    }

    /// Name of the systemd credential, and of the file in /etc/jarvis-voiced.
    package var credential: String { rawValue + "-api-key" }
    package var variable: String { rawValue.uppercased() + "_API_KEY" }
}

extension Configuration.Service.Name {
    /// nil if the service needs no key.
    package var key: ServiceKey? {
        switch self {
        case .openAI, .openAILive: .openAI
        case .datagrid: .datagrid
        case .local: nil
        case .hero365: .hero365
        }
    }
}
