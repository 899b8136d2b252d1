/// The effects of a translator on its connection.
package enum ServiceEffect<Message: Equatable & Sendable, Own: Equatable & Sendable>: Equatable, Sendable {
    case report(ServiceReport)
    case send(Message)
    /// Play these samples of the sound that was decoded last.
    case play(Range<Int>, of: SpokenPart)
    /// The part is complete.
    case finish(SpokenPart)
    /// The service will end the connection after this time.
    case lifetime(Duration)
    /// An effect that no other service needs.
    case own(Own)
}

/// The pure half of a service: what one connection reads and writes, without socket, clock or task. One value per
/// connection; times are monotonic.
package protocol ServiceTranslator: Sendable {
    associatedtype Message: Equatable, Sendable
    associatedtype Own: Equatable, Sendable
    typealias Effect = ServiceEffect<Message, Own>

    /// The text around the base64 of an audio message; empty for a service that needs more than that.
    static var audioMessage: (before: String, after: String) { get }
    /// Whether the service may send its JSON in binary frames too.
    static var readsBinary: Bool { get }
    /// How much audio from before the session was ready is sent, in ms; nil for all that was kept.
    static var longestPreRoll: Int? { get }
    /// How long a session may take to end in order.
    static var closeLimit: Duration { get }

    /// The session is in use.
    var isLive: Bool { get }
    /// The session was asked to end and has not confirmed it yet.
    var isClosing: Bool { get }
    var isClosed: Bool { get }

    /// The connection is open.
    mutating func connected() -> [Effect]
    /// Translates a message, and the sound in it; nil if it is unreadable.
    mutating func read(_ text: UnsafeRawBufferPointer, _ downlink: Downlink, at now: Duration) -> [Effect]?
    mutating func ask(_ request: ServiceRequest, at now: Duration) -> [Effect]
    func encoded(_ message: Message) -> [UInt8]
    /// Notes samples at 24 kHz that were sent, or the silence sent instead; `isVoice` if the local detector heard a voice
    /// in them.
    mutating func sent(_ samples: Int, isVoice: Bool, at now: Duration) -> [Effect]
    /// Performs what is due by `now`; `isPlaying` while sound is queued or playing.
    mutating func tick(at now: Duration, isPlaying: Bool) -> [Effect]
}

extension ServiceTranslator {
    package static var readsBinary: Bool { true }
    package static var longestPreRoll: Int? { nil }
    package static var closeLimit: Duration { .seconds(3) }
    package var isLive: Bool { true }
    package var isClosing: Bool { false }
    package var isClosed: Bool { false }
    package mutating func sent(_ samples: Int, isVoice: Bool, at now: Duration) -> [Effect] { [] }
    package mutating func tick(at now: Duration, isPlaying: Bool) -> [Effect] { [] }
}

/// A connection without sound, to check whether the service accepts it.
extension ServiceTranslator {
    package mutating func reportsConnected() -> [ServiceReport] { Self.reports(connected()) }

    package mutating func reports(_ text: UnsafeRawBufferPointer, at now: Duration) -> [ServiceReport]? {
        read(text, Downlink(), at: now).map(Self.reports)
    }

    package mutating func messages(_ request: ServiceRequest, at now: Duration) -> [[UInt8]] {
        ask(request, at: now).compactMap { if case .send(let message) = $0 { encoded(message) } else { nil } }
    }

    private static func reports(_ effects: [Effect]) -> [ServiceReport] {
        effects.compactMap { if case .report(let report) = $0 { report } else { nil } }
    }
}
