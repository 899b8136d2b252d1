internal import Synchronization
package import VoiceBase
package import VoiceConfiguration
package import VoiceConversation
package import VoiceNetwork
internal import VoiceReply

/// GPT-Live.
package struct LiveService: VoiceService {
    package static let name = Configuration.Service.Name.openAILive

    package static var kinds: [(name: String, capabilities: ServiceCapabilities)] { [(name.rawValue, .live)] }

    package static func capabilities(_ configuration: Configuration) -> ServiceCapabilities { .live }

    package static func address(_ configuration: Configuration) -> ServiceAddress? { location(configuration) }

    private static func location(_ configuration: Configuration) -> ServiceAddress {
        let live = configuration.live
        return ServiceAddress(
            key: "live.url",
            url: live.url,
            allowsPlain: false,
            connectTimeout: .seconds(live.connectTimeoutS),
            caFile: nil
        )
    }

    package static var modelKey: String? { "live.model" }

    package static func model(_ configuration: Configuration) -> String { configuration.live.model }

    package static func persona(_ configuration: Configuration) -> String {
        Persona.live(language: configuration.live.language)
    }

    package static func instructionsFile(_ configuration: Configuration) -> (key: String, path: String) {
        ("live.instructions_file", configuration.live.instructionsFile)
    }

    /// What one connection has learned about the service, for the next.
    private final class Lesson: Sendable {
        /// The service does not know `acknowledgement_delay_ms`.
        let refusesDelay = Atomic<Bool>(false)
    }

    /// Maximum size of the instructions in bytes, for 16,384 tokens.
    private static let longestInstructions = 48_000

    package var request: WebSocketRequest?
    package var tools: [JSONValue] = []
    private let settings: LiveSettings
    private let address: ServiceAddress
    private let values: Configuration.Live
    private let lesson = Lesson()

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
        request = try WebSocketRequest(
            at: address,
            headers: secrets.key(Self.name.key).secret.map { [("Authorization", "Bearer \($0.revealed)")] } ?? []
        )
        settings = LiveSettings(
            model: live.model,
            instructions: instructions,
            voice: live.voice,
            acknowledgementDelay: live.acknowledgementDelayMS
        )
    }

    package var name: String { Self.name.rawValue }
    package var capabilities: ServiceCapabilities { .live }
    package var tellsHeardText: Bool { true }
    package var notices: [String] { [] }

    private var current: LiveSettings {
        var settings = settings
        if lesson.refusesDelay.load(ordering: .relaxed) { settings.acknowledgementDelay = nil }
        return settings
    }

    package func wire() -> any ServiceWire { SilentWire(LiveTranslator(current)) }

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

    package func connect(
        on network: NetworkThread,
        pump: NetworkConfined<VoicePump>,
        report: @escaping ServiceReporter
    ) -> ServiceConnection? {
        guard let request else { return nil }
        let settings = current
        let lesson = lesson
        return network.connect(request) { socket in
            LiveLink(
                connection: socket,
                pump: pump.onThread,
                settings: settings,
                refusedDelay: { lesson.refusesDelay.store(true, ordering: .relaxed) },
                report: report
            )
        }.map(ServiceConnection.init)
    }
}
