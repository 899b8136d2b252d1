package import VoiceBase
package import VoiceConversation
package import VoiceNetwork
internal import VoiceReply

/// The services that speak the Realtime protocol, each with its dialect.
package struct RealtimeService: SocketService {
    package static let name = Configuration.Service.Name.openAI
    package static var section: any ConfigurationSection.Type { Configuration.Realtime.self }
    package static let key: ServiceKey? = .openAI

    package static func questions(_ configuration: Configuration) -> [(key: String, question: String)] {
        let address = (
            "realtime.url", "The address of the service; of a server of your own, such as ws://homelab.lan:8000"
        )
        guard configuration.realtime.url != Configuration().realtime.url else { return [address] }
        let servers = Dialect.all.filter(\.isSelfHosted).map(\.name.rawValue).joined(separator: ", ")
        return [
            address,
            ("realtime.dialect", "What is there: auto (OpenAI, Azure, xAI), or a server of your own: \(servers)?"),
            (
                "realtime.model",
                "The model (Azure: the deployment; a server of your own chooses unless you change this)"
            ),
        ]
    }

    package static var kinds: [(name: String, capabilities: ServiceCapabilities)] {
        Dialect.Name.allCases.map { ($0.rawValue, Dialect.named($0).capabilities) }
    }

    package static func capabilities(_ configuration: Configuration) -> ServiceCapabilities {
        Dialect(configuration).capabilities
    }

    package static func location(_ configuration: Configuration) -> ServiceAddress {
        let realtime = configuration.realtime
        return ServiceAddress(
            key: "realtime.url", url: realtime.url, allowsPlain: realtime.allowPlainHTTP,
            timeoutS: realtime.connectTimeoutS, caFile: realtime.caFile.isEmpty ? nil : realtime.caFile
        )
    }

    package static func persona(_ configuration: Configuration) -> String {
        Persona.instructions(language: configuration.realtime.language, playsMedia: configuration.media.enabled)
    }

    package static var modelKey: String? { "realtime.model" }

    package static func model(_ configuration: Configuration) -> String { configuration.realtime.model }

    package var settings: RealtimeSettings
    package let notices: [String]
    package var request: WebSocketRequest?
    private let address: ServiceAddress
    private let values: Configuration.Realtime

    package init(
        _ configuration: Configuration,
        secrets: Secrets,
        instructions: String,
        tools: [JSONValue]
    ) throws(ConfigurationError) {
        let realtime = configuration.realtime
        values = realtime
        let dialect = Dialect(configuration)
        // A self-hosted server gets only the values that its owner wrote: its defaults are not those of OpenAI.
        let isOwn = dialect.isSelfHosted
        let model = isOwn ? realtime.chosen(\.model) : realtime.model
        address = Self.location(configuration)
        request = try WebSocketRequest(
            at: address, url: dialect.address(address.base, model: model),
            headers: dialect.headers(key: secrets.key(Self.key).secret),
            deadPeerLimit: .seconds(isOwn ? realtime.deadPeerOfOwnServerS : realtime.deadPeerS)
        )
        let isSemantic = realtime.turnDetection == .semantic
        settings = RealtimeSettings(
            instructions: instructions,
            tools: tools,
            voice: isOwn ? realtime.chosen(\.voice) : realtime.voice,
            model: model,
            speed: realtime.speed,
            turnDetection: isSemantic && !dialect.does(.silenceTurns)
                ? .semantic(eagerness: realtime.eagerness.rawValue)
                : .server(threshold: realtime.threshold, silence: realtime.silenceMS),
            noiseReduction: realtime.noiseReduction,
            transcription: realtime.transcription
                ? .init(
                    model: isOwn ? realtime.chosen(\.transcriptionModel) : realtime.transcriptionModel,
                    language: realtime.language.isEmpty ? nil : realtime.language
                ) : nil,
            maximumOutputTokens: isOwn ? nil : realtime.maxOutputTokens,
            reasoningEffort: dialect.reasoningEffort(realtime.reasoningEffort, model: realtime.model),
            dialect: dialect
        )
        var notices: [String] = []
        if isSemantic, dialect.does(.silenceTurns) {
            notices.append("realtime.turn_detection: this service supports server_vad only, so silence ends a turn")
        }
        if dialect.does(.needsModel), model == nil, !Dialect.namesModel(try address.base) {
            notices.append(
                "realtime.model: \(dialect.name.rawValue) opens no session without a model; name one of its models"
            )
        }
        self.notices = notices
    }

    package var name: String { settings.dialect.name.rawValue }
    package var capabilities: ServiceCapabilities { settings.dialect.capabilities }
    package var providesTranscripts: Bool { settings.transcription != nil }

    package var tools: [JSONValue] {
        get { settings.tools }
        set { settings.tools = newValue }
    }

    package func configure(_ conversation: inout ConversationMachine.Options, _ pump: inout VoicePump.Options) {
        let isOwn = settings.dialect.isSelfHosted
        pump.chunk = values.chunkMS > 0 ? values.chunkMS : isOwn ? 100 : 20
        conversation.responseLimit = .seconds(
            values.responseLimitS > 0 ? values.responseLimitS : isOwn ? 30 : Configuration.Realtime.responseLimitS
        )
        if case .semantic(let eagerness) = settings.turnDetection {
            conversation.longestPause = Self.longestPause(eagerness)
        }
        conversation.sessions.setUpLimit = address.setUpLimit
        conversation.sessions.age = .seconds(60 * values.sessionAgeMin)
        conversation.sessions.rotationMargin = .seconds(values.rotationMarginS)
        conversation.sessions.rememberedTurns = values.carryTurns
        conversation.sessions.carry = values.carry
    }

    /// How long semantic turn detection waits in a pause for more words, as documented.
    private static func longestPause(_ eagerness: String) -> Duration {
        switch Configuration.Realtime.Eagerness(rawValue: eagerness) {
        case .low: .seconds(8)
        case .high: .seconds(2)
        case .auto, .medium, nil: .seconds(4)
        }
    }

    package func open(
        on network: NetworkThread,
        isTest: Bool
    ) throws(ServiceOpeningFailure) -> ServiceEntry<RealtimeWire> {
        var entry = ServiceEntry(try prepared, RealtimeWire(settings), capabilities)
        let model = settings.model
        let advice =
            settings.dialect.does(.needsModel) && model == nil
            ? "set realtime.model, without which it refuses every session"
            : "check the key, and that the service has the model of realtime.model"
        entry.failure = { closure, _, _ in LinkFailure(closure, model: model, advice: advice) }
        return entry
    }
}
