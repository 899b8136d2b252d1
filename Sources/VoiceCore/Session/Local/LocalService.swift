internal import Glibc
internal import Synchronization
package import VoiceBase
package import VoiceConversation
internal import VoiceMedia
package import VoiceNetwork

/// The configuration of the local voice.
package struct LocalSettings: Sendable {
    package var recogniser: WyomingAddress
    /// nil if espeak-ng speaks.
    package var speaker: WyomingAddress?
    package var voice: String
    package var language: String
    package var allowsPublic: Bool
    package var turns = LocalTurn.Options()
    /// Whether a radio station of this name is known.
    package var knowsStation: @Sendable (String) -> Bool = { _ in false }

    /// The language code for espeak-ng.
    var espeakLanguage: String { WyomingRequest.language(language) ?? "en" }

    /// Whether the configuration asks for a local voice, if only for the box's own messages.
    package static func isWanted(_ configuration: Configuration) -> Bool {
        configuration.service.use.contains(.local) || !configuration.local.speaker.isEmpty
    }

    package init(_ configuration: Configuration) throws(ConfigurationError) {
        let local = configuration.local
        recogniser = try WyomingAddress(local.recogniser, key: "local.recogniser")
        speaker = local.speaker.isEmpty ? nil : try WyomingAddress(local.speaker, key: "local.speaker")
        voice = local.voice
        language = local.language
        allowsPublic = local.allowPublic
        if !allowsPublic {
            if configuration.service.use.contains(.local) { try recogniser.checkIsNear() }
            try speaker?.checkIsNear()
        }
        turns.hangover = local.hangoverMS / 10
    }
}

/// The voice that stays in the house: Wyoming servers, without a model between them and the agent.
package struct LocalService: VoiceService {
    package static let name = Configuration.Service.Name.local
    package static var section: any ConfigurationSection.Type { Configuration.Local.self }
    package static let key: ServiceKey? = nil

    package static func questions(_ configuration: Configuration) -> [(key: String, question: String)] {
        [
            ("local.recogniser", "The Wyoming server that recognises speech, host:port"),
            ("local.speaker", "The Wyoming server that speaks, host:port (none: espeak-ng speaks)"),
        ]
    }

    package static func capabilities(_ configuration: Configuration) -> ServiceCapabilities { .local }
    package static func address(_ configuration: Configuration) -> ServiceAddress? { nil }
    package static func model(_ configuration: Configuration) -> String { "local" }

    package var settings: LocalSettings
    package var tools: [JSONValue]
    private static let sessions = Atomic<Int>(0)

    package init(
        _ configuration: Configuration,
        secrets: Secrets,
        instructions: String,
        tools: [JSONValue]
    ) throws(ConfigurationError) {
        settings = try LocalSettings(configuration)
        self.tools = tools
        if configuration.media.enabled {
            let file = configuration.media.stationsFile
            settings.knowsStation = { StationTable.known(in: file).find($0) != nil }
        }
    }

    package var capabilities: ServiceCapabilities { .local }
    package var providesTranscripts: Bool { true }

    package func configure(_ conversation: inout ConversationMachine.Options, _ pump: inout VoicePump.Options) {
        // A step of turn detection.
        pump.chunk = 10
        // Nothing in it ages.
        conversation.sessions.age = nil
        conversation.sessions.setUpLimit = .seconds(12)
        conversation.sessions.carry = .none
    }

    package func connect(
        on network: NetworkThread,
        pump: NetworkConfined<VoicePump>,
        report: @escaping ServiceReporter
    ) -> ServiceConnection? {
        let session = Self.sessions.wrappingAdd(1, ordering: .relaxed).newValue
        let link = NetworkConfined(
            LocalLink(settings, session: session, on: network, pump: pump, report: report), on: network
        )
        guard network.enqueue({ link.onThread.start(link) }) else { return nil }
        return ServiceConnection { body in link.perform { body($0) } }
    }
}
