package import VoiceBase
package import VoiceConfiguration
package import VoiceConversation
package import VoiceNetwork
internal import VoiceReply

/// A voice service as it is configured: what it can do, and how a connection to it is made.
package protocol VoiceService: Sendable {
    /// What `service.use` calls it.
    static var name: Configuration.Service.Name { get }
    /// Every service of this kind with what it can do, for the documentation.
    static var kinds: [(name: String, capabilities: ServiceCapabilities)] { get }
    /// What the configured one can do.
    static func capabilities(_ configuration: Configuration) -> ServiceCapabilities
    /// Where it is; nil for one that is not found by a single address.
    static func address(_ configuration: Configuration) -> ServiceAddress?
    /// The name of its model, for people and for prices.
    static func model(_ configuration: Configuration) -> String
    /// What the model is told of its role where the owner has written nothing.
    static func persona(_ configuration: Configuration) -> String
    /// What the owner has written for it: the key that names the file, and the file; empty for none.
    static func instructionsFile(_ configuration: Configuration) -> (key: String, path: String)

    /// - Parameters:
    ///   - instructions: what the model is told of its role.
    ///   - tools: the tools as the service wants them.
    /// - Throws: what is missing or cannot be, with the way out.
    init(
        _ configuration: Configuration,
        secrets: Secrets,
        instructions: String,
        tools: [JSONValue]
    ) throws(ConfigurationError)

    /// Which of the kinds it is.
    var name: String { get }
    var capabilities: ServiceCapabilities { get }
    /// The tools that the model is offered.
    var tools: [JSONValue] { get set }
    /// Whether the user's words become known.
    var tellsHeardText: Bool { get }
    /// Things the user should know that are no reason not to start.
    var notices: [String] { get }
    /// How its WebSocket is opened, with the key, which may change; nil for a service that speaks something else.
    var request: WebSocketRequest? { get set }

    /// Sets what this service has settings of its own for.
    func configure(_ conversation: inout ConversationMachine.Options, _ pump: inout VoicePump.Options)

    /// The pure half of a connection.
    func wire() -> any ServiceWire

    /// How a session over a WebSocket is opened, for who only wants to know whether it can be; nil for a service that speaks
    /// something else.
    func opening(on network: NetworkThread) async -> ServiceOpening?

    /// Takes the key of the same service as a newer configuration has it, and nothing else of that.
    mutating func takeKey(of newer: any VoiceService)

    /// Opens a connection; what becomes of it is reported.
    ///
    /// - Returns: nil where the network thread does not run.
    func connect(
        on network: NetworkThread,
        pump: NetworkConfined<VoicePump>,
        report: @escaping ServiceReporter
    ) -> ServiceConnection?
}

/// Takes what a connection reports, with the monotonic time of it.
package typealias ServiceReporter = @Sendable (ConversationEvent, Duration) -> Void

extension VoiceService {
    package static func persona(_ configuration: Configuration) -> String {
        Persona.instructions(language: configuration.realtime.language, playsMedia: configuration.media.enabled)
    }

    package static func instructionsFile(_ configuration: Configuration) -> (key: String, path: String) {
        ("realtime.instructions_file", configuration.realtime.instructionsFile)
    }

    package func opening(on network: NetworkThread) async -> ServiceOpening? {
        request.map { .socket($0, wire()) }
    }

    package mutating func takeKey(of newer: any VoiceService) {
        if let headers = newer.request?.headers { request?.headers = headers }
    }
}

/// What a session is opened with.
package enum ServiceOpening: Sendable {
    case socket(WebSocketRequest, any ServiceWire)
    /// It does not come to a socket.
    case failed(WebSocketClosure)
}

/// Where a service is, in the words of its section of the configuration.
package struct ServiceAddress: Equatable, Sendable {
    /// The key that says so: "realtime.url".
    package var key: String
    package var url: String
    package var allowsPlain: Bool
    package var connectTimeout: Duration
    /// Certificates to trust instead of the system's.
    package var caFile: String?

    package init(key: String, url: String, allowsPlain: Bool, connectTimeout: Duration, caFile: String?) {
        self.key = key
        self.url = url
        self.allowsPlain = allowsPlain
        self.connectTimeout = connectTimeout
        self.caFile = caFile
    }

    /// - Throws: that it is no address of a WebSocket.
    package var base: ServerURL {
        get throws(ConfigurationError) {
            guard let base = ServerURL(url), ["ws", "wss"].contains(base.scheme) else {
                let problem = ConfigurationProblem(place: key, message: "wants a ws:// or wss:// address")
                throw ConfigurationError(problems: [problem])
            }
            return base
        }
    }

    /// How long a session may take from its first byte until it is ready: later than every deadline of the connection,
    /// which can say what was missing.
    package var setUpLimit: Duration { connectTimeout * 2 + .seconds(10) }
}

extension WebSocketRequest {
    /// - Parameters:
    ///   - url: the address with what the service wants in it; nil for that of the configuration.
    ///   - deadPeerLimit: without a sign of life for so long the connection is dead.
    package init(
        at address: ServiceAddress,
        url: String? = nil,
        headers: [(name: String, value: String)],
        deadPeerLimit: Duration
    ) throws(ConfigurationError) {
        let base = try address.base
        self.init(
            url: url ?? base.text,
            headers: headers,
            limits: ConnectionLimits(whole: address.connectTimeout, firstMessage: address.connectTimeout),
            deadPeerLimit: deadPeerLimit,
            caFile: address.caFile,
            staysNear: base.scheme == "ws" && !address.allowsPlain
        )
    }
}

/// A connection to a service, for whoever is not on the network thread.
package struct ServiceConnection: Sendable {
    /// Does something with the connection, in order, as long as it is there.
    package let perform: @Sendable (_ body: @escaping @Sendable (any ServiceLink) -> Void) -> Void

    package init(perform: @escaping @Sendable (_ body: @escaping @Sendable (any ServiceLink) -> Void) -> Void) {
        self.perform = perform
    }

    /// The connection over a WebSocket whose driver is a `ServiceLink`.
    package init(_ handle: WebSocketHandle) {
        self.init { body in
            handle.perform { driver in
                if let link = driver as? any ServiceLink { body(link) }
            }
        }
    }
}

/// What a connection tells, with the monotonic time of it.
package typealias ServiceLinkReport = (ConversationEvent, Duration) -> Void

/// A connection to a voice service. Lives on the network thread.
package protocol ServiceLink: AnyObject {
    /// Asks the service; nothing is dropped: a connection that takes it no more is given up.
    ///
    /// - Returns: false where the connection is not open, or was given up.
    @discardableResult
    func ask(_ request: ServiceRequest) -> Bool

    /// Takes microphone and voice, from another connection too.
    func openMicrophone()

    /// Closes the connection in order and reports nothing of it any more: it is about to be replaced, or has been.
    func retire()
}

/// The voice services that there are. A new one is a line in `all`.
package enum ServiceRegistry {
    package static let all: [any VoiceService.Type] = [
        RealtimeService.self,
        LiveService.self,
        DatagridService.self,
        LocalService.self,
        Hero365Service.self,
    ]

    /// Those that a configuration names, the preferred one first.
    package static func wanted(by configuration: Configuration) -> [any VoiceService.Type] {
        configuration.service.use.compactMap { name in all.first { $0.name == name } }
    }

    /// Those of them for which there is a key, where they want one.
    package static func usable(by configuration: Configuration, secrets: Secrets) -> [any VoiceService.Type] {
        wanted(by: configuration).filter {
            !$0.capabilities(configuration).needsKey || secrets.key($0.name.key).secret != nil
        }
    }

    /// The one that a configuration prefers.
    package static func chosen(by configuration: Configuration) -> any VoiceService.Type {
        wanted(by: configuration).first ?? RealtimeService.self
    }

    /// What it can do.
    package static func capabilities(_ configuration: Configuration) -> ServiceCapabilities {
        chosen(by: configuration).capabilities(configuration)
    }
}

extension ServiceCapabilities {
    /// Refuses whoever brings no key.
    package var needsKey: Bool { key != .none }
}
