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
            "service.use", [Name.openAI],
            "Services in order of preference; while one is unavailable, the next takes over."
        )
    }

    /// The name of a service in the file. `ServiceRegistry` has those that exist.
    package struct Name: RawRepresentable, Hashable, Sendable {
        package let rawValue: String

        package init(rawValue: String) { self.rawValue = rawValue }

        package static let openAI = Name(rawValue: "openai")
        package static let local = Name(rawValue: "local")
    }
}

/// The API key of a voice service and where it is looked up. Services of one provider share a key.
package struct ServiceKey: Hashable, Sendable {
    /// "datagrid" for the credential "datagrid-api-key" and the variable $DATAGRID_API_KEY.
    package let name: String
    /// The setting that holds the path of the key file.
    package let setting: String

    package init(_ name: String, setting: String) {
        self.name = name
        self.setting = setting
    }

    package static let openAI = ServiceKey("openai", setting: "realtime.api_key_file")

    /// Name of the systemd credential, and of the file in /etc/jarvis-voiced.
    package var credential: String { name + "-api-key" }
    package var variable: String { name.uppercased() + Self.variableEnding }

    /// How the variable of every key ends.
    package static let variableEnding = "_API_KEY"
}
