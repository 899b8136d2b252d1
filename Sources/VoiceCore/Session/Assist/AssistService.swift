package import VoiceBase
package import VoiceConversation
package import VoiceNetwork

/// Home Assistant's pipeline as the voice service: jarvis-bridge, which Home Assistant has added as a satellite, carries it there.
package struct AssistService: VoiceService {
    package static let name = Configuration.Service.Name.homeAssistant
    package static var section: any ConfigurationSection.Type { Configuration.Assist.self }
    package static let key: ServiceKey? = nil

    package static func capabilities(_ configuration: Configuration) -> ServiceCapabilities { .assist }
    package static func address(_ configuration: Configuration) -> ServiceAddress? { nil }
    /// Chosen in Home Assistant.
    package static func model(_ configuration: Configuration) -> String { "" }
    package static func instructionsFile(_ configuration: Configuration) -> (key: String, path: String) {
        ("assist.answer_s", "")
    }

    /// The daemon's exchange, which all its sessions share.
    package var exchange = AssistExchange()
    package var tools: [JSONValue] = []
    private let values: Configuration.Assist

    package init(
        _ configuration: Configuration,
        secrets: Secrets,
        instructions: String,
        tools: [JSONValue]
    ) throws(ConfigurationError) {
        values = configuration.assist
    }

    package var capabilities: ServiceCapabilities { .assist }
    package var providesTranscripts: Bool { true }

    package func configure(_ conversation: inout ConversationMachine.Options, _ pump: inout VoicePump.Options) {
        // A step of turn detection.
        pump.chunk = 10
        conversation.responseLimit = .seconds(values.answerS + 5)
        conversation.sessions.age = nil
        conversation.sessions.setUpLimit = .seconds(5)
        conversation.sessions.carry = .none
    }

    package func connect(
        on network: NetworkThread,
        pump: NetworkConfined<VoicePump>,
        report: @escaping ServiceReporter
    ) -> ServiceConnection? {
        let link = NetworkConfined(
            AssistLink(values, exchange: exchange, on: network, pump: pump, report: report), on: network
        )
        guard network.enqueue({ link.onThread.start(link) }) else { return nil }
        return ServiceConnection { body in link.perform { body($0) } }
    }
}
