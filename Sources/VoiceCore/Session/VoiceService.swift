package import VoiceBase
package import VoiceConversation
package import VoiceNetwork

/// A voice service: its name, its configuration, its capabilities, and how to connect to it.
///
/// Each has a folder and a module of its own, which no other module names but `ServiceRegistry`.
package protocol VoiceService: Sendable {
    /// Its name in `service.use`.
    static var name: Configuration.Service.Name { get }
    /// Its section of the configuration. The keys `voice` and `language`, if it has them, are those that the table of a
    /// wake word sets.
    static var section: any ConfigurationSection.Type { get }
    /// nil if it needs no key.
    static var key: ServiceKey? { get }
    /// Keys of its section that `jarvis-voiced setup` asks for, each with the question; by default its address.
    static func questions(_ configuration: Configuration) -> [(key: String, question: String)]
    /// Published prices.
    static func prices(_ configuration: Configuration) -> PriceTable
    /// Every variant of this service with its capabilities, for the documentation.
    static var kinds: [(name: String, capabilities: ServiceCapabilities)] { get }
    /// The capabilities of the configured variant.
    static func capabilities(_ configuration: Configuration) -> ServiceCapabilities
    /// Its address; nil for a service without a single address.
    static func address(_ configuration: Configuration) -> ServiceAddress?
    /// The name of its model, for display and for prices.
    static func model(_ configuration: Configuration) -> String
    /// The key of the configuration that chooses the model; nil for a service that offers no choice.
    static var modelKey: String? { get }
    /// The default role of the model, used if the owner has written no instructions.
    static func persona(_ configuration: Configuration) -> String
    /// The owner's instructions: the key that names the file, and the file; empty for none.
    static func instructionsFile(_ configuration: Configuration) -> (key: String, path: String)

    /// - Parameters:
    ///   - instructions: the role of the model.
    ///   - tools: the tools in the format of the service.
    /// - Throws: what is missing or unsupported, and how to fix it.
    init(
        _ configuration: Configuration, secrets: Secrets, instructions: String, tools: [JSONValue]
    ) throws(ConfigurationError)

    /// The name of the variant, by default the service's own.
    var name: String { get }
    var capabilities: ServiceCapabilities { get }
    /// The tools offered to the model.
    var tools: [JSONValue] { get set }
    /// Whether the service transcribes the user's words.
    var providesTranscripts: Bool { get }
    /// Remarks for the user that do not prevent a start.
    var notices: [String] { get }
    /// The WebSocket request including the key, which may change; nil for a service that uses another transport.
    var request: WebSocketRequest? { get set }

    /// Applies the service's own settings.
    func configure(_ conversation: inout ConversationMachine.Options, _ pump: inout VoicePump.Options)

    /// Returns how a session over a WebSocket is opened, for probing whether it can be; nil for a service that uses another
    /// transport.
    func opening(on network: NetworkThread) async -> ServiceOpening?

    /// Takes over the key of the same service from a newer configuration, and nothing else.
    mutating func takeKey(of newer: any VoiceService)

    /// Opens a connection and reports its events.
    ///
    /// - Returns: nil if the network thread is not running.
    func connect(
        on network: NetworkThread, pump: NetworkConfined<VoicePump>, report: @escaping ServiceReporter
    ) -> ServiceConnection?
}

/// Receives the events of a connection, each with its monotonic time.
package typealias ServiceReporter = @Sendable (ConversationEvent, Duration) -> Void

extension VoiceService {
    /// Of a service without variants.
    package static var kinds: [(name: String, capabilities: ServiceCapabilities)] {
        [(name.rawValue, capabilities(Configuration()))]
    }

    package static func questions(_ configuration: Configuration) -> [(key: String, question: String)] {
        address(configuration).map { [($0.key, "The address of \(name.rawValue)")] } ?? []
    }

    package static func prices(_ configuration: Configuration) -> PriceTable {
        PriceTable(capabilities(configuration).charge, model: model(configuration))
    }

    package static var modelKey: String? { nil }

    package static func instructionsFile(_ configuration: Configuration) -> (key: String, path: String) {
        ("realtime.instructions_file", configuration.realtime.instructionsFile)
    }

    /// Its own role, if the service's agent has one.
    package static func persona(_ configuration: Configuration) -> String { "" }

    package var name: String { Self.name.rawValue }

    package var notices: [String] { [] }

    package var request: WebSocketRequest? {
        get { nil }
        set {}
    }

    package func opening(on network: NetworkThread) async -> ServiceOpening? { nil }

    package mutating func takeKey(of newer: any VoiceService) {
        if let headers = newer.request?.headers { request?.headers = headers }
    }
}

/// What it takes to open a session.
package enum ServiceOpening: Sendable {
    /// - Parameter failure: what the end of the connection means, in the words of this service.
    case socket(
        WebSocketRequest, any ServiceTranslator,
        failure: @Sendable (WebSocketClosure, any ServiceTranslator) -> LinkFailure
    )
    /// The preparation failed before a socket could be opened.
    case failed(WebSocketClosure)
}

/// The address of a service, as given by its section of the configuration.
package struct ServiceAddress: Equatable, Sendable {
    /// The key that sets it: "realtime.url".
    package var key: String
    package var url: String
    package var allowsPlain: Bool
    package var connectTimeout: Duration
    /// Certificates to trust instead of the system's.
    package var caFile: String?

    package init(key: String, url: String, allowsPlain: Bool = false, timeoutS: Int, caFile: String? = nil) {
        self.key = key
        self.url = url
        self.allowsPlain = allowsPlain
        connectTimeout = .seconds(timeoutS)
        self.caFile = caFile
    }

    /// - Throws: `ConfigurationError` if it is not a WebSocket address.
    package var base: ServerURL {
        get throws(ConfigurationError) {
            guard let base = ServerURL(url), ["ws", "wss"].contains(base.scheme) else {
                let problem = ConfigurationProblem(place: key, message: "must be a ws:// or wss:// address")
                throw ConfigurationError(problems: [problem])
            }
            return base
        }
    }

    /// How long a session may take from its first byte until it is ready. Longer than every deadline of the connection, so
    /// that those can report what was missing.
    package var setUpLimit: Duration { connectTimeout * 2 + .seconds(10) }
}

extension WebSocketRequest {
    /// - Parameters:
    ///   - url: the address extended for the service; nil for the configured one.
    ///   - deadPeerLimit: a connection without a sign of life for this long is considered dead; by default as long as with
    ///     Realtime's services.
    package init(
        at address: ServiceAddress,
        url: String? = nil,
        headers: [(name: String, value: String)],
        deadPeerLimit: Duration = .seconds(Configuration.Realtime().deadPeerS)
    ) throws(ConfigurationError) {
        let base = try address.base
        self.init(
            url: url ?? base.text, headers: headers,
            limits: ConnectionLimits(whole: address.connectTimeout, firstMessage: address.connectTimeout),
            deadPeerLimit: deadPeerLimit, caFile: address.caFile, staysNear: base.scheme == "ws" && !address.allowsPlain
        )
    }
}

/// A connection to a service, for use outside the network thread.
package struct ServiceConnection: Sendable {
    /// Runs a closure with the connection, in order, as long as it exists.
    package let perform: @Sendable (_ body: @escaping @Sendable (any ServiceLink) -> Void) -> Void

    package init(perform: @escaping @Sendable (_ body: @escaping @Sendable (any ServiceLink) -> Void) -> Void) {
        self.perform = perform
    }
}

/// Receives the events of a link, each with its monotonic time.
package typealias ServiceLinkReport = (ConversationEvent, Duration) -> Void

/// A connection to a voice service. Lives on the network thread.
package protocol ServiceLink: AnyObject {
    /// Sends a request to the service. Nothing is dropped: a connection that does not accept it is closed.
    func ask(_ request: ServiceRequest)

    /// Takes over microphone and voice, also from another connection.
    func openMicrophone()

    /// Closes the connection in order and stops reporting; it is about to be replaced or has been.
    func retire()
}

extension ServiceCapabilities {
    /// Whether the service refuses connections without a key.
    package var needsKey: Bool { key != .none }
}
