internal import FoundationEssentials
internal import Synchronization
package import VoiceBase
package import VoiceConfiguration
package import VoiceConversation
package import VoiceNetwork
internal import VoiceOpus

/// Hero365 streaming.
package struct Hero365Service: VoiceService {
    package static let name = Configuration.Service.Name.hero365

    package static var kinds: [(name: String, capabilities: ServiceCapabilities)] { [(name.rawValue, .hero365)] }

    package static func capabilities(_ configuration: Configuration) -> ServiceCapabilities {
        .hero365(settings(configuration.hero365))
    }

    package static func address(_ configuration: Configuration) -> ServiceAddress? { location(configuration) }

    private static func location(_ configuration: Configuration) -> ServiceAddress {
        let hero = configuration.hero365
        return ServiceAddress(
            key: "hero365.url",
            url: hero.url,
            allowsPlain: false,
            connectTimeout: .seconds(hero.connectTimeoutS),
            caFile: nil
        )
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

    /// The service's agent has its own role.
    package static func persona(_ configuration: Configuration) -> String { "" }

    package static func instructionsFile(_ configuration: Configuration) -> (key: String, path: String) {
        ("hero365.url", "")
    }

    private final class Lessons: Sendable {
        let wantsNested = Atomic<Bool>(false)
        let wantsLongPackets = Atomic<Bool>(false)
    }

    package var request: WebSocketRequest?
    package var tools: [JSONValue] = []
    package let capabilities: ServiceCapabilities
    private let address: ServiceAddress
    private let values: Configuration.Hero365
    private let hasUnknownPrice: Bool
    private let lessons = Lessons()

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
        var request = try WebSocketRequest(
            at: address,
            headers: secrets.key(Self.name.key).secret.map { [("Authorization", "Bearer \($0.revealed)")] } ?? []
        )
        // A server that does not answer `start_session` is used all the same.
        request.limits.firstMessage = nil
        self.request = request
    }

    package var name: String { Self.name.rawValue }
    package var tellsHeardText: Bool { false }

    package var notices: [String] {
        var notices: [String] = []
        if hasUnknownPrice {
            notices.append(
                "hero365: what a session costs is not known and counted as $0.05 a minute: set budget.price_session_min_usd"
            )
        }
        return notices
    }

    private var options: Hero365Link.Options {
        var options = Hero365Link.Options()
        options.settings = Self.settings(values)
        options.settings.isNested = lessons.wantsNested.load(ordering: .relaxed)
        options.isBinary = values.frames == .binary
        options.microphone.codec = options.settings.codec
        options.microphone.opus = OpusSpeechEncoder.Options(values)
        options.microphone.packet = lessons.wantsLongPackets.load(ordering: .relaxed) ? 120 : values.packetMS
        options.microphone.isContinuous = values.uplink == .continuous
        options.microphone.turns.hangover = values.hangoverMS / 10
        options.microphone.turns.hasWords = false
        return options
    }

    package func wire() -> any ServiceWire {
        SilentWire(Hero365Translator(options.settings, session: Self.newSession()))
    }

    private static func newSession() -> String { UUID().uuidString.lowercased() }

    package func configure(_ conversation: inout ConversationMachine.Options, _ pump: inout VoicePump.Options) {
        // Two steps of turn detection.
        pump.chunk = 20
        conversation.sessions.setUpLimit = address.setUpLimit
        conversation.sessions.age = nil
        conversation.sessions.rotationMargin = .seconds(values.rotationMarginS)
        conversation.sessions.carry = .none
    }

    package func connect(
        on network: NetworkThread,
        pump: NetworkConfined<VoicePump>,
        report: @escaping ServiceReporter
    ) -> ServiceConnection? {
        guard let request else { return nil }
        let options = options
        let lessons = lessons
        return network.connect(request) { socket in
            Hero365Link(
                connection: socket,
                pump: pump.onThread,
                options: options,
                session: Self.newSession(),
                learned: { lesson in
                    switch lesson {
                    case .wantsNested: lessons.wantsNested.store(true, ordering: .relaxed)
                    case .wantsLongPackets: lessons.wantsLongPackets.store(true, ordering: .relaxed)
                    }
                },
                report: report
            )
        }.map(ServiceConnection.init)
    }
}
