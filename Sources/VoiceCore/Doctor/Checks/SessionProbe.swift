internal import VoiceBase
internal import VoiceConversation
internal import VoiceNetwork
internal import VoiceSession

/// The outcome of a test session with the voice service.
enum SessionOutcome: Sendable, Equatable {
    /// The service accepted the key, the model and, if `confirmed`, the settings.
    case ready(confirmed: Bool)
    case error(ServiceError, afterSettings: Bool)
    case ended(WebSocketClosure)
    /// The same, where the service knows what it means, and the way out.
    case explained(LinkFailure)
    /// The session opened, but the settings were not acknowledged.
    case silent
}

/// Opens a session as the daemon does, sends the settings and closes it again. It sends no audio and requests no
/// response, so it costs nothing. Confined to the network thread.
final class SessionProbe: WebSocketDriver {
    private let connection: WebSocketConnection
    private var translator: any ServiceTranslator
    private let failure: @Sendable (WebSocketClosure, any ServiceTranslator) -> LinkFailure
    private var report: (@Sendable (SessionOutcome) -> Void)?
    private var hasAsked = false

    /// - Parameter report: called exactly once.
    init(
        _ connection: WebSocketConnection,
        translator: any ServiceTranslator,
        failure: @escaping @Sendable (WebSocketClosure, any ServiceTranslator) -> LinkFailure,
        report: @escaping @Sendable (SessionOutcome) -> Void
    ) {
        self.connection = connection
        self.translator = translator
        self.failure = failure
        self.report = report
    }

    package func opened() { receive(translator.reportsConnected()) }

    package func received(text: UnsafeRawBufferPointer) { receive(translator.reports(text, at: Monotonic.now()) ?? []) }

    package func received(binary: UnsafeRawBufferPointer) {
        if type(of: translator).readsBinary { received(text: binary) }
    }

    package func closed(_ closure: WebSocketClosure) {
        let meaning = failure(closure, translator)
        finish(meaning == LinkFailure(closure) ? .ended(closure) : .explained(meaning))
    }

    private func receive(_ reports: [ServiceReport]) {
        for report in reports where self.report != nil {
            switch report {
            case .opened where !hasAsked:
                hasAsked = true
                send(.open(history: []))
            case .ready(let readiness) where hasAsked: finish(.ready(confirmed: readiness.isConfirmed))
            case .trouble(let error) where error.meaning == .field: send(.open(history: []))
            case .trouble(let error): finish(.error(error, afterSettings: hasAsked))
            default: break
            }
        }
    }

    private func send(_ request: ServiceRequest) {
        for message in translator.messages(request, at: Monotonic.now()) { connection.send(text: message) }
    }

    private func finish(_ outcome: SessionOutcome) {
        guard let report else { return }
        self.report = nil
        send(.close)
        report(outcome)
        connection.close()
    }
}
