package import VoiceBase
package import VoiceConversation
package import VoiceNetwork
internal import VoiceReply
package import VoiceSession

extension Configuration.Service.Name {
    package static let openAILive = Configuration.Service.Name(rawValue: "openai-live")
}

/// GPT-Live.
package struct LiveService: SocketService {
    package static let name = Configuration.Service.Name.openAILive
    package static var section: any ConfigurationSection.Type { Configuration.Live.self }
    package static let key: ServiceKey? = .openAI

    package static func capabilities(_ configuration: Configuration) -> ServiceCapabilities { .live }

    package static func location(_ configuration: Configuration) -> ServiceAddress {
        let live = configuration.live
        return ServiceAddress(key: "live.url", url: live.url, timeoutS: live.connectTimeoutS)
    }

    package static var modelKey: String? { "live.model" }

    package static func model(_ configuration: Configuration) -> String { configuration.live.model }

    package static func persona(_ configuration: Configuration) -> String {
        Persona.live(language: configuration.live.language)
    }

    package static func instructionsFile(_ configuration: Configuration) -> (key: String, path: String) {
        ("live.instructions_file", configuration.live.instructionsFile)
    }

    /// Maximum size of the instructions in bytes, for 16,384 tokens.
    private static let longestInstructions = 48_000

    package var request: WebSocketRequest?
    package var tools: [JSONValue] = []
    private let settings: LiveSettings
    private let address: ServiceAddress
    private let values: Configuration.Live
    private let lessons = Lessons<LiveTranslator.Lesson>()

    package init(
        _ configuration: Configuration,
        secrets: Secrets,
        instructions: String,
        tools: [JSONValue]
    ) throws(ConfigurationError) {
        let live = configuration.live
        values = live
        guard instructions.utf8.count <= Self.longestInstructions else {
            let problem = ConfigurationProblem(
                place: "live.instructions_file",
                message: "is longer than the service accepts: shorten it to 48,000 bytes"
            )
            throw ConfigurationError(problems: [problem])
        }
        address = Self.location(configuration)
        request = try WebSocketRequest(at: address, headers: Self.bearer(secrets))
        settings = LiveSettings(
            model: live.model, instructions: instructions, voice: live.voice,
            acknowledgementDelay: live.acknowledgementDelayMS
        )
    }

    package var capabilities: ServiceCapabilities { .live }
    package var providesTranscripts: Bool { true }

    package func configure(_ conversation: inout ConversationMachine.Options, _ pump: inout VoicePump.Options) {
        pump.chunk = 40
        // Deltas are 100 ms long, and the network has jitter.
        pump.startBuffer = max(pump.startBuffer, 150)
        conversation.sessions.setUpLimit = address.setUpLimit
        conversation.sessions.age = nil
        conversation.sessions.rotationMargin = .seconds(values.rotationMarginS)
        conversation.sessions.rememberedTurns = values.carryTurns
        conversation.sessions.carry = .turns
    }

    package func open(
        on network: NetworkThread,
        isTest: Bool
    ) throws(ServiceOpeningFailure) -> ServiceEntry<LiveTranslator> {
        var settings = settings
        if lessons.has(.refusesDelay) { settings.acknowledgementDelay = nil }
        var entry = ServiceEntry(try prepared, LiveTranslator(settings), .live)
        entry.own = { [lessons] in lessons.learn($0) }
        return entry
    }
}
