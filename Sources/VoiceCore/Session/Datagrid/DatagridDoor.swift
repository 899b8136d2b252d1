internal import VoiceBase
internal import VoiceConfiguration
internal import VoiceConversation
internal import VoiceNetwork

/// Prepares a socket to Datagrid: by a hand-off, which keeps the key out of its address, or with the key in the address.
struct DatagridDoor: Sendable {
    /// What it takes to open a session. None of it may be logged.
    struct Entry: Sendable {
        var request: WebSocketRequest
        var translator: DatagridTranslator
        /// Removes the key and this session's token from what the service writes.
        var redactor: Redactor
        /// Whether the address holds a token of a hand-off instead of the key.
        var isHandedOff = false
        /// Why the hand-off was skipped.
        var trouble: String?
    }

    enum Outcome: Sendable {
        case open(Entry)
        case failed(WebSocketClosure)
    }

    let address: ServiceAddress
    let base: ServerURL
    let handsOff: Bool
    var settings: DatagridSettings
    var key: Secret?

    /// A connection without a sign of life for this long is dead.
    var deadPeerLimit = Duration.seconds(20)
    private static let path = "/v1/voice"

    private var redactor: Redactor { Redactor(Self.forms(key)) }

    /// A secret as it is, and percent-encoded as in an address.
    private static func forms(_ secret: Secret?) -> [Secret] {
        guard let secret else { return [] }
        return [secret] + (Secret(PercentEncoding.encoded(secret.revealed)).map { [$0] } ?? [])
    }

    // MARK: Direct connection

    /// - Parameter conversation: the conversation to continue.
    func direct(conversation: String?) -> Outcome {
        var url = base.text
        if let key { url += (base.query == nil ? "?" : "&") + "token=" + PercentEncoding.encoded(key.revealed) }
        guard let request = request(url) else { return .failed(.failed(.badURL)) }
        let translator = DatagridTranslator(settings, conversation: conversation, redactor: redactor)
        return .open(Entry(request: request, translator: translator, redactor: redactor))
    }

    private func request(_ url: String) -> WebSocketRequest? {
        try? WebSocketRequest(at: address, url: url, headers: [], deadPeerLimit: deadPeerLimit)
    }

    // MARK: The hand-off

    /// - Parameter conversation: the conversation to continue.
    func open(conversation: String?, on network: NetworkThread) async -> Outcome {
        guard handsOff else { return direct(conversation: conversation) }
        let isEncrypted = base.isSecure
        let call = HTTPRequest(
            method: "POST",
            url: "\(isEncrypted ? "https" : "http")://\(base.authority)\(Self.path)",
            headers: [("Content-Type", "application/json")]
                + (key.map { [("Authorization", "Bearer \($0.revealed)")] } ?? []),
            body: settings.payload(conversation: conversation).datagridBytes,
            connectTimeout: address.connectTimeout,
            totalTimeout: address.connectTimeout,
            maximumReplyBytes: 1 << 20,
            caFile: address.caFile,
            // A session that nobody opens is useless and may be charged for.
            mayRepeat: false,
            staysNear: !isEncrypted && !address.allowsPlain
        )
        do {
            return enter(try await network.perform(call), conversation, isEncrypted)
        } catch {
            return .failed(Self.closure(error))
        }
    }

    private func enter(_ reply: HTTPResponse, _ conversation: String?, _ isEncrypted: Bool) -> Outcome {
        switch reply.status {
        case 200..<300:
            guard let handoff = DatagridHandoff(reply.body, isEncrypted: isEncrypted),
                let request = request(handoff.url)
            else { return directly(conversation, "its reply names no session") }
            let redactor = Redactor((Self.forms(key) + Self.token(handoff)))
            let translator = DatagridTranslator(
                settings,
                conversation: conversation,
                given: handoff.start,
                redactor: redactor
            )
            return .open(Entry(request: request, translator: translator, redactor: redactor, isHandedOff: true))
        // The hand-off depends on a store of the service; the direct connection does not.
        case 500...: return directly(conversation, "HTTP status \(reply.status)")
        default:
            let pause = reply.header("retry-after").flatMap { Int($0) }.map { min(max(0, $0), 3600) }
            let refusal = WebSocketRefusal(status: reply.status, reason: "at \(Self.path)", retryAfter: pause, body: "")
            return .failed(.refused(refusal))
        }
    }

    private func directly(_ conversation: String?, _ reason: String) -> Outcome {
        guard case .open(var entry) = direct(conversation: conversation) else { return .failed(.failed(.badURL)) }
        entry.trouble = "the hand-off at \(Self.path) failed (\(reason)): the session is opened with the key itself"
        return .open(entry)
    }

    /// The secrets of a hand-off: the query as a whole, and each value in it.
    private static func token(_ handoff: DatagridHandoff) -> [Secret] {
        guard let query = handoff.token else { return [] }
        let values = query.revealed.split(separator: "&").compactMap { pair in
            pair.split(separator: "=", maxSplits: 1).last.map(String.init)
        }
        // A short value is a word of the protocol, not a token.
        return [query]
            + values.filter { $0.utf8.count >= 8 }.flatMap { value in
                [Secret(value), Secret(PercentEncoding.decoded(value))].compactMap { $0 }
            }
    }

    private static func closure(_ failure: HTTPFailure) -> WebSocketClosure {
        switch failure {
        case .badURL, .badHeader: .failed(.badURL)
        case .cannotResolve(let host): .failed(.cannotResolve(host: host))
        case .cannotConnect(let detail): .failed(.cannotConnect(detail))
        case .tls(let detail): .failed(.tls(detail))
        case .exposed(let host, let address): .failed(.exposed(host: host, address: address))
        case .cancelled: .failed(.stopped)
        case .timedOut, .replyTooLarge, .reset, .other: .failed(.cannotConnect(failure.description))
        }
    }
}
