internal import FoundationEssentials
internal import Synchronization
package import VoiceBase
package import VoiceConversation
package import VoiceNetwork
internal import VoiceReply
package import VoiceSession

extension Configuration.Service.Name {
    package static let gemini = Configuration.Service.Name(rawValue: "gemini")
}

/// Gemini Live.
package struct GeminiService: SocketService {
    package static let name = Configuration.Service.Name.gemini
    package static var section: any ConfigurationSection.Type { Configuration.Gemini.self }
    package static let key: ServiceKey? = ServiceKey("gemini", setting: "gemini.api_key_file")

    package static func questions(_ configuration: Configuration) -> [(key: String, question: String)] {
        [
            (
                "gemini.paid",
                "Is billing enabled for the key's project? If not, Google may use what is said: true or false?"
            )
        ]
    }

    /// Published prices of 2026-09. Context that is read again costs the same each time.
    package static func prices(_ configuration: Configuration) -> PriceTable {
        guard configuration.gemini.model.hasPrefix("gemini-3.8-live") else {
            return PriceTable(.tokens, model: configuration.gemini.model)
        }
        var prices = PriceTable()
        (prices.audioIn, prices.audioOut) = (3, 12)
        (prices.textIn, prices.textOut) = (0.75, 4.5)
        return prices
    }

    package static func capabilities(_ configuration: Configuration) -> ServiceCapabilities { .gemini }

    package static func location(_ configuration: Configuration) -> ServiceAddress {
        let gemini = configuration.gemini
        return ServiceAddress(key: "gemini.url", url: gemini.url, timeoutS: gemini.connectTimeoutS)
    }

    package static var modelKey: String? { "gemini.model" }

    package static func model(_ configuration: Configuration) -> String { configuration.gemini.model }

    package static func persona(_ configuration: Configuration) -> String {
        let playsMedia = configuration.media.enabled
        return Persona.instructions(language: configuration.gemini.language, playsMedia: playsMedia) + "\n\n" + remarks
    }

    /// Instructions for a model that talks on while its calls are out, and receives every text as text of the user.
    private static let remarks = """
        # Texts in brackets
        What stands in square brackets comes from this program, not from the user: do what it says, and never read it aloud.
        The result of a call may come much later. Until then say nothing about it, do not guess it, and do not call again. When \
        it comes, tell the user.
        """

    /// How Google may use speech sent with a free key. The service does not say which kind a key is.
    private static let tier = """
        gemini: with a free key Google may use what is said here to train models, and people may read it; in Europe only a \
        paid key may be used. Set gemini.paid = true once the key's project is billed
        """

    package static func instructionsFile(_ configuration: Configuration) -> (key: String, path: String) {
        ("gemini.instructions_file", configuration.gemini.instructionsFile)
    }

    package var request: WebSocketRequest?
    package var tools: [JSONValue] {
        get { settings.tools }
        set { settings.tools = newValue }
    }
    package let notices: [String]
    private var settings: GeminiSettings
    private let address: ServiceAddress
    private let values: Configuration.Gemini
    private let memory = SharedGeminiMemory()

    package init(
        _ configuration: Configuration,
        secrets: Secrets,
        instructions: String,
        tools: [JSONValue]
    ) throws(ConfigurationError) {
        values = configuration.gemini
        address = Self.location(configuration)
        // In the address, where Google's examples put it, the key would end up in logs.
        let key = secrets.key(Self.key).secret.map { [("x-goog-api-key", $0.revealed)] } ?? []
        request = try WebSocketRequest(at: address, headers: key)
        settings = GeminiSettings(
            model: values.model, instructions: instructions, voice: values.voice, silence: values.silenceMS,
            tools: tools
        )
        notices = values.paid ? [] : [Self.tier]
    }

    package var capabilities: ServiceCapabilities { .gemini }
    package var providesTranscripts: Bool { true }

    package func configure(_ conversation: inout ConversationMachine.Options, _ pump: inout VoicePump.Options) {
        pump.chunk = 40
        // Pieces of 200 ms come at irregular distances.
        pump.startBuffer = max(pump.startBuffer, 150)
        conversation.sessions.setUpLimit = address.setUpLimit
        conversation.sessions.age = nil
        conversation.sessions.rotationMargin = .seconds(values.rotationMarginS)
        conversation.sessions.rememberedTurns = values.carryTurns
        conversation.sessions.carry = .turns
    }

    /// A test opens a session of its own, and leaves the remembered one alone.
    package func open(
        on network: NetworkThread,
        isTest: Bool
    ) throws(ServiceOpeningFailure) -> ServiceEntry<GeminiTranslator> {
        let tag = String(UUID().uuidString.lowercased().prefix(8))
        let start = isTest ? GeminiStart(tag: tag) : memory.start(settings, tag: tag)
        var entry = ServiceEntry(try prepared, GeminiTranslator(settings, start), .gemini)
        entry.failure = { [memory] closure, translator, isLost in
            let end = GeminiEnd(closure, stage: translator.stage, model: translator.settings.model)
            let loss = translator.loss(isLost: isLost)
            let pause = isTest ? nil : memory.ended(loss, end, translator.settings)
            return end.map { LinkFailure($0.kind, $0.line, retryAfter: pause) } ?? LinkFailure(closure)
        }
        entry.own = { [memory] _ in memory.began() }
        return entry
    }
}

/// The memory that the connections of a service share.
final class SharedGeminiMemory: Sendable {
    private let state = Mutex(GeminiMemory())

    func start(_ settings: GeminiSettings, tag: String) -> GeminiStart {
        state.withLock { $0.start(settings, tag: tag, at: Monotonic.now()) }
    }

    func began() { state.withLock { $0.began(at: Monotonic.now()) } }

    /// - Returns: how long to wait before the next connection; nil to leave that to the conversation.
    func ended(_ loss: GeminiLoss, _ end: GeminiEnd?, _ settings: GeminiSettings) -> Duration? {
        state.withLock { $0.ended(loss, end, settings, at: Monotonic.now()) }
    }
}

extension GeminiEnd {
    /// Returns nil for a connection that ended without a word of the service.
    init?(_ closure: WebSocketClosure, stage: Stage, model: String) {
        switch closure {
        case .closed(let code, let reason): self.init(code: Int(code), reason: reason, stage: stage, model: model)
        case .refused(let refusal):
            self.init(code: refusal.status, reason: refusal.message ?? refusal.reason, stage: stage, model: model)
        case .failed: return nil
        }
    }

    fileprivate var kind: LinkFailure.Kind {
        switch meaning {
        case .refused: .permanent
        case .quota: .limited
        case .expired: .expired
        case .unscheduled, .startOver, .lost: .transient
        }
    }
}
