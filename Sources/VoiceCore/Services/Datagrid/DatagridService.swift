internal import Synchronization
package import VoiceBase
package import VoiceConversation
package import VoiceNetwork
package import VoiceSession

extension Configuration.Service.Name {
    package static let datagrid = Configuration.Service.Name(rawValue: "datagrid")
}

extension ServiceKey {
    package static let datagrid = ServiceKey("datagrid", setting: "datagrid.api_key_file")
}

/// Datagrid Voice.
package struct DatagridService: SocketService {
    package static let name = Configuration.Service.Name.datagrid
    package static var section: any ConfigurationSection.Type { Configuration.Datagrid.self }
    package static let key: ServiceKey? = .datagrid

    package static func capabilities(_ configuration: Configuration) -> ServiceCapabilities { .datagrid }

    package static func location(_ configuration: Configuration) -> ServiceAddress {
        let datagrid = configuration.datagrid
        return ServiceAddress(key: "datagrid.url", url: datagrid.url, timeoutS: datagrid.connectTimeoutS)
    }

    package static var modelKey: String? { "datagrid.agent_id" }

    package static func model(_ configuration: Configuration) -> String { name.rawValue }

    package static func instructionsFile(_ configuration: Configuration) -> (key: String, path: String) {
        ("datagrid.instructions_file", configuration.datagrid.instructionsFile)
    }

    package var tools: [JSONValue] = []
    package let notices: [String]
    private(set) var door: DatagridDoor

    /// A connection without a sign of life for this long is dead.
    package var deadPeerLimit: Duration {
        get { door.deadPeerLimit }
        set { door.deadPeerLimit = newValue }
    }

    /// How long the agent may work with one tool.
    package var longestWork: Duration {
        get { door.settings.longestWork }
        set { door.settings.longestWork = newValue }
    }

    package init(
        _ configuration: Configuration,
        secrets: Secrets,
        instructions: String,
        tools: [JSONValue]
    ) throws(ConfigurationError) {
        let datagrid = configuration.datagrid
        let address = Self.location(configuration)
        func text(_ value: String) -> String? { value.isEmpty ? nil : value }
        door = DatagridDoor(
            address: address,
            base: try address.base,
            handsOff: datagrid.handoff,
            settings: DatagridSettings(
                agent: text(datagrid.agentID),
                // Instructions written for another service mention tools that are not available here.
                prompt: datagrid.instructionsFile.isEmpty ? "" : instructions,
                voice: text(datagrid.voice),
                greeting: text(datagrid.greeting)
            ),
            key: secrets.key(Self.key).secret,
            memory: DatagridMemory(patience: .seconds(60 * datagrid.rememberMin))
        )
        notices = Self.notices(configuration, tools)
    }

    private static func notices(_ configuration: Configuration, _ tools: [JSONValue]) -> [String] {
        var notices: [String] = []
        if tools.contains(where: { $0["name"] == "ask_jarvis" }) {
            notices.append(
                "service.use: datagrid answers with tools of its own; Jarvis and the tools of this box are not asked"
            )
        }
        let budget = configuration.budget
        let isLimited = [budget.conversationUSD, budget.hourUSD, budget.dayUSD].contains { $0 > 0 }
        if isLimited, budget.priceSessionMinUSD < 0 {
            notices.append(
                "the price of datagrid is not known, so $0.05 a minute is counted: set budget.price_session_min_usd"
            )
        }
        return notices
    }

    package var capabilities: ServiceCapabilities { .datagrid }
    package var providesTranscripts: Bool { true }

    /// Each session has a request of its own; see `open`.
    package var request: WebSocketRequest? {
        get { nil }
        set {}
    }

    package mutating func takeKey(of newer: any VoiceService) {
        if let newer = newer as? DatagridService { door.key = newer.door.key }
    }

    /// A test opens a new conversation, and leaves the remembered one alone.
    package func open(
        on network: NetworkThread,
        isTest: Bool
    ) async throws(ServiceOpeningFailure) -> ServiceEntry<DatagridTranslator> {
        try await door.open(conversation: isTest ? nil : door.memory.next, on: network)
    }

    package func configure(_ conversation: inout ConversationMachine.Options, _ pump: inout VoicePump.Options) {
        pump.chunk = 40
        conversation.sessions.setUpLimit = door.address.setUpLimit + door.address.connectTimeout
        // A standby session would belong to the same conversation.
        conversation.sessions.age = nil
        conversation.sessions.carry = .none
    }
}

/// Remembers the conversation that the next connection continues.
final class DatagridMemory: Sendable {
    private let state: Mutex<DatagridConversation>

    init(patience: Duration) { state = Mutex(DatagridConversation(patience: patience)) }

    var next: String? { state.withLock { $0.next(at: Monotonic.now()) } }

    /// A session of this conversation has started; nil if the service does not know the one requested.
    func began(_ conversation: String?) {
        state.withLock { state in
            if let conversation { state.began(conversation) } else { state.forget() }
        }
    }

    func sessionEnded(isLost: Bool) { state.withLock { $0.sessionEnded(at: Monotonic.now(), isLost: isLost) } }
}
