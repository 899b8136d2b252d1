package import VoiceBase
package import VoiceConfiguration
package import VoiceConversation
package import VoiceNetwork

/// A voice service as it is configured: what it can do, and how a connection to it is made.
package protocol VoiceService: Sendable {
    /// The section of the configuration that is its own.
    static var section: String { get }
    /// Every service of this kind with what it can do, for the documentation.
    static var kinds: [(name: String, capabilities: ServiceCapabilities)] { get }
    /// What the configured one can do.
    static func capabilities(_ configuration: Configuration) -> ServiceCapabilities

    /// - Parameters:
    ///   - instructions: what the model is told of its role.
    ///   - tools: the tools as the service wants them.
    /// - Throws: what is missing or cannot be, with the way out.
    init(
        _ configuration: Configuration,
        key: Secret?,
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
    /// Where connections are made to.
    var request: WebSocketRequest { get }

    /// The pure half of a connection.
    func wire() -> any ServiceWire
    /// The other half, on the network thread.
    func link(
        _ connection: WebSocketConnection,
        pump: VoicePump,
        report: @escaping ServiceLinkReport
    ) -> any ServiceLink
}

/// What a connection tells, with the monotonic time of it.
package typealias ServiceLinkReport = (ConversationEvent, Duration) -> Void

/// A connection to a voice service. Lives on the network thread.
package protocol ServiceLink: WebSocketDriver {
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
    package static let all: [any VoiceService.Type] = [RealtimeService.self]

    /// The one that a configuration asks for.
    package static func chosen(by configuration: Configuration) -> any VoiceService.Type { RealtimeService.self }

    /// What it can do.
    package static func capabilities(_ configuration: Configuration) -> ServiceCapabilities {
        chosen(by: configuration).capabilities(configuration)
    }
}

extension ServiceCapabilities {
    /// Refuses whoever brings no key.
    package var needsKey: Bool { key != .none }
}
