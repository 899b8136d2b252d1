internal import VoiceBase
internal import VoiceConversation
internal import VoiceNetwork

/// How a short session of the voice service went.
enum SessionOutcome: Sendable, Equatable {
    /// It took the key, the model and, where it says so, the settings.
    case ready(confirmed: Bool)
    case error(ServiceError, afterSettings: Bool)
    case ended(WebSocketClosure)
    /// It opened and took the settings without a word.
    case silent
}

/// Opens a session as the daemon does, sends the settings and closes it again. No sound goes there, and no response is
/// asked for, so that it costs nothing. Lives on the network thread.
final class SessionProbe: WebSocketDriver {
    private let connection: WebSocketConnection
    private var wire: any ServiceWire
    private var report: (@Sendable (SessionOutcome) -> Void)?
    private var hasAsked = false

    /// - Parameter report: called once.
    init(
        _ connection: WebSocketConnection,
        wire: any ServiceWire,
        report: @escaping @Sendable (SessionOutcome) -> Void
    ) {
        self.connection = connection
        self.wire = wire
        self.report = report
    }

    package func opened() { take(wire.connected()) }

    package func received(text: UnsafeRawBufferPointer) { take(wire.read(text, at: Monotonic.now()) ?? []) }

    package func received(binary: UnsafeRawBufferPointer) {}

    package func closed(_ closure: WebSocketClosure) { finish(.ended(closure)) }

    private func take(_ reports: [ServiceReport]) {
        for report in reports where self.report != nil {
            switch report {
            case .opened where !hasAsked:
                hasAsked = true
                send(.open(history: []))
            case .ready(let readiness) where hasAsked: finish(.ready(confirmed: readiness.isConfirmed))
            case .trouble(let error): finish(.error(error, afterSettings: hasAsked))
            default: break
            }
        }
    }

    private func send(_ request: ServiceRequest) {
        for message in wire.write(request, at: Monotonic.now()) { connection.send(text: message) }
    }

    private func finish(_ outcome: SessionOutcome) {
        guard let report else { return }
        self.report = nil
        send(.close)
        report(outcome)
        connection.close()
    }
}
