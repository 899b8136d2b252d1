internal import VoiceBase
internal import VoiceConversation
internal import VoiceNetwork
internal import VoiceSession

/// Prepares a socket to Datagrid: by a hand-off, which keeps the key out of its address, or with the key in the address.
struct DatagridDoor: Sendable {
    let address: ServiceAddress
    let base: ServerURL
    let handsOff: Bool
    var settings: DatagridSettings
    var key: Secret?
    let memory: DatagridMemory

    /// A connection without a sign of life for this long is dead.
    var deadPeerLimit = Duration.seconds(20)
    private static let path = "/v1/voice"

    /// A secret as it is, and percent-encoded as in an address.
    private static func forms(_ secret: Secret?) -> [Secret] {
        guard let secret else { return [] }
        return [secret] + (Secret(PercentEncoding.encoded(secret.revealed)).map { [$0] } ?? [])
    }

    // MARK: Direct connection

    /// - Parameter conversation: the conversation to continue.
    func direct(conversation: String?) throws(ServiceOpeningFailure) -> ServiceEntry<DatagridTranslator> {
        var url = base.text
        if let key { url += (base.query == nil ? "?" : "&") + "token=" + PercentEncoding.encoded(key.revealed) }
        guard let request = request(url) else { throw ServiceOpeningFailure(.failed(.badURL)) }
        return entry(request, conversation)
    }

    private func entry(
        _ request: WebSocketRequest,
        _ conversation: String?,
        by handoff: DatagridHandoff? = nil
    ) -> ServiceEntry<DatagridTranslator> {
        // Removes the key and this session's token from what the service writes.
        let redactor = Redactor(Self.forms(key) + (handoff.map(Self.token) ?? []))
        let start = handoff?.start
        let translator = DatagridTranslator(settings, conversation: conversation, given: start, redactor: redactor)
        var entry = ServiceEntry(request, translator, .datagrid)
        entry.own = { [memory] in memory.began($0) }
        entry.failure = { [memory] closure, translator, isLost in
            if translator.hasConversation { memory.sessionEnded(isLost: isLost) }
            var failure = LinkFailure(closure)
            switch closure {
            // No close code of the service is known to be final.
            case .closed: failure.kind = .transient
            // The service took the key a moment ago, so only the token was refused: it expired. The next hand-off brings
            // another.
            case .refused(let refusal) where start != nil && [401, 403].contains(refusal.status):
                failure.kind = .transient
            default: break
            }
            failure.reason = redactor.clean(failure.reason)
            return failure
        }
        return entry
    }

    private func request(_ url: String) -> WebSocketRequest? {
        try? WebSocketRequest(at: address, url: url, headers: [], deadPeerLimit: deadPeerLimit)
    }

    // MARK: The hand-off

    /// - Parameter conversation: the conversation to continue.
    func open(
        conversation: String?,
        on network: NetworkThread
    ) async throws(ServiceOpeningFailure) -> ServiceEntry<DatagridTranslator> {
        guard handsOff else { return try direct(conversation: conversation) }
        let isEncrypted = base.isSecure
        let call = HTTPRequest(
            method: "POST",
            url: "\(isEncrypted ? "https" : "http")://\(base.authority)\(Self.path)",
            headers: [("Content-Type", "application/json")]
                + (key.map { [("Authorization", "Bearer \($0.revealed)")] } ?? []),
            body: Array(settings.payload(conversation: conversation).encoded.utf8),
            connectTimeout: address.connectTimeout,
            totalTimeout: address.connectTimeout,
            maximumReplyBytes: 1 << 20,
            caFile: address.caFile,
            // A session that is never opened is useless and may be charged for.
            mayRepeat: false,
            staysNear: !isEncrypted && !address.allowsPlain
        )
        let reply: HTTPResponse
        do throws(HTTPFailure) {
            reply = try await network.perform(call)
        } catch {
            throw ServiceOpeningFailure(Self.closure(error))
        }
        return try enter(reply, conversation, isEncrypted)
    }

    private func enter(
        _ reply: HTTPResponse,
        _ conversation: String?,
        _ isEncrypted: Bool
    ) throws(ServiceOpeningFailure) -> ServiceEntry<DatagridTranslator> {
        switch reply.status {
        case 200..<300:
            guard let handoff = DatagridHandoff(reply.body, isEncrypted: isEncrypted),
                let request = request(handoff.url)
            else { return try directly(conversation, "its reply names no session") }
            return entry(request, conversation, by: handoff)
        // The hand-off depends on a store of the service; the direct connection does not.
        case 500...: return try directly(conversation, "HTTP status \(reply.status)")
        default:
            let pause = reply.header("retry-after").flatMap { Int($0) }.map { min(max(0, $0), 3600) }
            let refusal = WebSocketRefusal(status: reply.status, reason: "at \(Self.path)", retryAfter: pause, body: "")
            var failed = ServiceOpeningFailure(.refused(refusal))
            if conversation != nil, [400, 404, 409, 410, 422].contains(refusal.status) {
                // The refusal may concern the conversation alone: the next attempt begins a new one.
                memory.began(nil)
                failed.failure.kind = .transient
            }
            throw failed
        }
    }

    private func directly(
        _ conversation: String?,
        _ reason: String
    ) throws(ServiceOpeningFailure) -> ServiceEntry<DatagridTranslator> {
        var entry = try direct(conversation: conversation)
        let text = "the hand-off at \(Self.path) failed (\(reason)): the session is opened with the key itself"
        entry.trouble = ServiceError(.other, name: "handoff", text: text)
        return entry
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
        case .timedOut, .replyTooLarge, .badCoding, .reset, .other: .failed(.cannotConnect(failure.description))
        }
    }
}
