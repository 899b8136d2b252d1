internal import FoundationEssentials
package import VoiceBase
package import VoiceConversation
package import VoiceNetwork
package import VoiceSession

extension Configuration.Service.Name {
    package static let hero365 = Configuration.Service.Name(rawValue: "hero365")
}

/// Hero365 streaming.
package struct Hero365Service: SocketService {
    package static let name = Configuration.Service.Name.hero365
    package static var section: any ConfigurationSection.Type { Configuration.Hero365.self }
    package static let key: ServiceKey? = ServiceKey("hero365", setting: "hero365.api_key_file")

    package static func questions(_ configuration: Configuration) -> [(key: String, question: String)] {
        [("hero365.url", "The address of Hero365, wss://HOST/voice/stream/ws/BUSINESS")]
    }

    package static func capabilities(_ configuration: Configuration) -> ServiceCapabilities {
        .hero365(settings(configuration.hero365))
    }

    package static func location(_ configuration: Configuration) -> ServiceAddress {
        let hero = configuration.hero365
        return ServiceAddress(key: "hero365.url", url: hero.url, timeoutS: hero.connectTimeoutS)
    }

    private static func settings(_ hero: Configuration.Hero365) -> Hero365Settings {
        var settings = Hero365Settings()
        settings.codec = hero.codec
        settings.rate = hero.rate
        settings.jitter = .milliseconds(hero.jitterMS)
        return settings
    }

    /// The service does not disclose its model.
    package static func model(_ configuration: Configuration) -> String { name.rawValue }

    package static func instructionsFile(_ configuration: Configuration) -> (key: String, path: String) {
        ("hero365.url", "")
    }

    package var request: WebSocketRequest?
    package var tools: [JSONValue] = []
    package let capabilities: ServiceCapabilities
    private let address: ServiceAddress
    private let values: Configuration.Hero365
    private let hasUnknownPrice: Bool
    private let lessons = Lessons<Hero365Translator.Own>()

    package init(
        _ configuration: Configuration,
        secrets: Secrets,
        instructions: String,
        tools: [JSONValue]
    ) throws(ConfigurationError) {
        values = configuration.hero365
        hasUnknownPrice = configuration.budget.priceSessionMinUSD < 0
        capabilities = Self.capabilities(configuration)
        address = Self.location(configuration)
        var request = try WebSocketRequest(at: address, headers: Self.bearer(secrets))
        // A server that does not answer `start_session` is used anyway.
        request.limits.firstMessage = nil
        self.request = request
    }

    package var providesTranscripts: Bool { false }

    package var notices: [String] {
        guard hasUnknownPrice else { return [] }
        return [
            "hero365: what a session costs is not known and counted as $0.05 a minute: set budget.price_session_min_usd"
        ]
    }

    private var microphone: Hero365Microphone.Options {
        var options = Hero365Microphone.Options()
        options.codec = values.codec
        options.opus = OpusSpeechEncoder.Options(values)
        options.packet = lessons.has(.lengthenPackets) ? 120 : values.packetMS
        options.isContinuous = values.uplink == .continuous
        options.turns.hangover = values.hangoverMS / 10
        options.turns.hasWords = false
        return options
    }

    package func configure(_ conversation: inout ConversationMachine.Options, _ pump: inout VoicePump.Options) {
        // Two steps of turn detection.
        pump.chunk = 20
        conversation.sessions.setUpLimit = address.setUpLimit
        conversation.sessions.age = nil
        conversation.sessions.rotationMargin = .seconds(values.rotationMarginS)
        conversation.sessions.carry = .none
    }

    package func open(
        on network: NetworkThread,
        isTest: Bool
    ) throws(ServiceOpeningFailure) -> ServiceEntry<Hero365Translator> {
        var settings = Self.settings(values)
        settings.isNested = lessons.has(.nest)
        let translator = Hero365Translator(settings, session: UUID().uuidString.lowercased())
        var entry = ServiceEntry(try prepared, translator, capabilities)
        entry.own = { [lessons] in lessons.learn($0) }
        return entry
    }

    package func part(_ pump: VoicePump) -> (any SocketPart<Hero365Translator>)? {
        Hero365Part(microphone, isBinary: values.frames == .binary, hasVoiceDetector: pump.uplink.hasVoiceDetector)
    }
}
