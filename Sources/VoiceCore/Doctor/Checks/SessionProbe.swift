internal import VoiceConversation
internal import VoiceNetwork

/// How a short session of the voice service went.
enum SessionOutcome: Sendable, Equatable {
    /// It took the key, the model and, where it says so, the settings.
    case ready(confirmed: Bool)
    case error(ServerError, afterSettings: Bool)
    case ended(WebSocketClosure)
    /// It opened and took the settings without a word.
    case silent
}

/// Opens a session as the daemon does, sends the settings and closes it again. No sound goes there, and no response is
/// asked for, so that it costs nothing. Lives on the network thread.
final class SessionProbe: WebSocketDriver {
    private let connection: WebSocketConnection
    private let dialect: Dialect
    private let settings: RealtimeSettings
    private let decoder: ServerEventDecoder
    private var report: (@Sendable (SessionOutcome) -> Void)?
    private var hasSent = false

    /// - Parameter report: called once.
    init(
        _ connection: WebSocketConnection,
        dialect: Dialect,
        settings: RealtimeSettings,
        report: @escaping @Sendable (SessionOutcome) -> Void
    ) {
        self.connection = connection
        self.dialect = dialect
        self.settings = settings
        self.report = report
        decoder = ServerEventDecoder(dialect: dialect)
    }

    package func opened() {}

    package func received(text: UnsafeRawBufferPointer) {
        guard let event = try? decoder.decode(text) else { return }
        switch event {
        case .sessionCreated where !hasSent:
            hasSent = true
            guard dialect.confirmsSettings else { return finish(.ready(confirmed: false)) }
            let event = ClientEvent.sessionUpdate(settings, eventID: "doctor")
            if !connection.send(text: event.encoded(for: dialect)) { finish(.ready(confirmed: false)) }
        case .sessionUpdated where hasSent: finish(.ready(confirmed: true))
        case .error(let error): finish(.error(error, afterSettings: hasSent))
        default: break
        }
    }

    package func received(binary: UnsafeRawBufferPointer) {}

    package func closed(_ closure: WebSocketClosure) { finish(.ended(closure)) }

    private func finish(_ outcome: SessionOutcome) {
        guard let report else { return }
        self.report = nil
        report(outcome)
        connection.close()
    }
}
