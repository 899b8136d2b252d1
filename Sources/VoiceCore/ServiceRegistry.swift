package import VoiceBase
package import VoiceConversation
internal import VoiceDatagrid
internal import VoiceGemini
internal import VoiceHero365
internal import VoiceLive
package import VoiceSession

/// All voice services. To add one, add its module to `Package.swift` and a line to `all`; to take one out, remove these.
package enum ServiceRegistry {
    package static let all: [any VoiceService.Type] = [
        RealtimeService.self,
        LiveService.self,
        DatagridService.self,
        LocalService.self,
        AssistService.self,
        Hero365Service.self,
        GeminiService.self,
    ]

    /// The keys of all services, each once.
    package static let keys = all.compactMap { $0.key }.reduce(into: [ServiceKey]()) { keys, key in
        if !keys.contains(key) { keys.append(key) }
    }

    /// The services named by a configuration, the preferred one first.
    package static func wanted(by configuration: Configuration) -> [any VoiceService.Type] {
        configuration.service.use.compactMap { name in all.first { $0.name == name } }
    }

    /// The keys of the services named by a configuration, each once.
    static func keys(of configuration: Configuration) -> [ServiceKey] {
        let wanted = wanted(by: configuration).compactMap { $0.key }
        return keys.filter(wanted.contains)
    }

    /// Lines about the keys of the services in use, as `# api key: ...`.
    ///
    /// - Parameter secrets: nil if they cannot be read.
    package static func keyLines(_ configuration: Configuration, secrets: Secrets?) -> [String] {
        let used = keys(of: configuration)
        return used.map { key in
            let name = used.count > 1 ? "api key of \(key.name)" : "api key"
            return "# \(name): " + (secrets?.key(key).status ?? "cannot be read")
        }
    }

    /// The services named by a configuration that have a key or need none.
    package static func usable(by configuration: Configuration, secrets: Secrets) -> [any VoiceService.Type] {
        wanted(by: configuration).filter {
            !$0.capabilities(configuration).needsKey || secrets.key($0.key).secret != nil
        }
    }

    /// The preferred service of a configuration.
    package static func chosen(by configuration: Configuration) -> any VoiceService.Type {
        wanted(by: configuration).first ?? RealtimeService.self
    }

    /// The capabilities of the preferred service.
    package static func capabilities(_ configuration: Configuration) -> ServiceCapabilities {
        chosen(by: configuration).capabilities(configuration)
    }
}

extension Secrets {
    /// Throws if a secret is present but unusable. A missing secret is not an error; the caller decides.
    package init(
        configuration: Configuration,
        environment: [String: String],
        files: FileReader = .system
    ) throws(ConfigurationError) {
        let keyFiles = ServiceRegistry.keys(of: configuration).map { key in
            guard case .text(let path)? = ConfigurationSchema.key(key.setting)?.value(in: configuration) else {
                return (key: key, path: "")
            }
            return (key: key, path: path)
        }
        try self.init(configuration: configuration, keyFiles: keyFiles, environment: environment, files: files)
    }
}

extension VoiceService {
    /// The key of this name in the service's section; nil if it has none.
    static func setting(_ name: String) -> ConfigurationKey? { ConfigurationSchema.key(section.name + "." + name) }
}

extension Assistant {
    /// The configuration for a service that speaks for it. The names of voices are the service's own, so a substitute keeps
    /// its voice.
    package func configuration(for service: any VoiceService.Type) -> Configuration {
        var values = configuration
        func set(_ name: String, _ text: String) {
            guard !text.isEmpty else { return }
            _ = service.setting(name)?.set(.text(text), in: &values)
        }
        set("language", language)
        if service.name == configuration.service.use.first { set("voice", voice) }
        return values
    }
}
