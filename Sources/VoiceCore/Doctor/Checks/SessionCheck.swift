internal import VoiceBase
internal import VoiceConversation
internal import VoiceNetwork
internal import VoiceSession

/// Whether the service accepts the key, the model and the settings.
enum SessionCheck {
    static let limit = Duration.seconds(20)

    static func findings(_ context: DoctorContext, network: NetworkThread) async -> [DoctorFinding] {
        guard let settings = context.settings else {
            return [DoctorFinding("session", .skipped, "needs a configuration that can be used, and a key")]
        }
        let outcome: SessionOutcome
        switch await settings.service.opening(on: network) {
        case .socket(let request, let wire, let failure):
            outcome = await probe(request, wire, failure, network: network)
        case .failed(let closure): outcome = .ended(closure)
        case nil: return []
        }
        return [judge(outcome, model: settings.model, keys: Keys(context))]
    }

    /// The settings that advice can name: those of the service in use.
    struct Keys: Sendable {
        /// The URL key of its section.
        var url = "realtime.url"
        /// nil if the service offers no choice.
        var model: String? = RealtimeService.modelKey
        /// nil for a service without a key.
        var secret: ServiceKey? = .openAI

        init() {}

        init(_ service: any VoiceService.Type, url: String) {
            self.url = url
            model = service.modelKey
            secret = service.key
        }

        init(_ context: DoctorContext) {
            guard let values = context.loaded?.values else {
                self.init()
                return
            }
            let service = context.service(values)
            self.init(service, url: service.address(values)?.key ?? "service.use")
        }

        var section: String { String(url.prefix { $0 != "." }) }
        var isRealtime: Bool { section == "realtime" }
        /// The settings that choose the server.
        var places: String { isRealtime ? "realtime.url and realtime.dialect" : url }
    }

    static func probe(
        _ request: WebSocketRequest,
        _ translator: any ServiceTranslator,
        _ failure: @escaping @Sendable (WebSocketClosure, any ServiceTranslator) -> LinkFailure = { closure, _ in
            LinkFailure(closure)
        },
        network: NetworkThread
    ) async -> SessionOutcome {
        let answer = Promise<SessionOutcome>()
        let outcome = await TimeLimit.run(limit - .seconds(2)) {
            let handle = network.connect(request) { connection in
                SessionProbe(connection, translator: translator, failure: failure) { answer.give($0) }
            }
            if handle == nil { answer.give(.ended(.failed(.stopped))) }
            return await answer.wait()
        }
        answer.give(.silent)
        return outcome ?? .silent
    }

    static func judge(_ outcome: SessionOutcome, model: String, keys: Keys = Keys()) -> DoctorFinding {
        func fail(_ message: MarkedText, _ advice: MarkedText) -> DoctorFinding {
            DoctorFinding("session", .fail, message, advice: advice)
        }
        switch outcome {
        case .ready(let confirmed):
            let key = keys.secret == nil ? "" : keys.model == nil ? "key and " : "key, "
            let kind = keys.model?.hasSuffix(".model") == true ? "model \(model)" : "agent"
            let named = keys.model == nil ? "" : kind + " and "
            let connection = "the connection" + (keys.isRealtime ? " with model \(model)" : "")
            let what = confirmed ? key + named + "settings" : connection
            return DoctorFinding("session", .ok, "the service accepts \(what)")
        case .silent:
            return DoctorFinding(
                "session", .warn, "the session opens, but the service does not confirm its settings",
                advice: "see whether \(public: keys.isRealtime ? "realtime.dialect" : keys.url) fits this service"
            )
        case .error(let error, let afterSettings):
            let words = Redaction.withoutKeys(line(error.text))
            return fail(
                "\(words) (\(error.name))",
                advice(code: error.name, error.meaning, status: nil, model: model, keys, afterSettings)
            )
        case .explained(let failure):
            return DoctorFinding("session", .fail, "\(Redaction.withoutKeys(failure.reason))")
        case .ended(let closure):
            var status: Int?
            if case .refused(let refusal) = closure { status = refusal.status }
            var code = ""
            if case .closed(_, let reason) = closure { code = reason }
            return fail(
                "\(Redaction.withoutKeys(closure.description))",
                advice(code: code, nil, status: status, model: model, keys, false)
            )
        }
    }

    private static func advice(
        code: String,
        _ meaning: ErrorClass?,
        status: Int?,
        model: String,
        _ keys: Keys,
        _ afterSettings: Bool
    ) -> MarkedText {
        if status == 401 || status == 403 || code.contains("api_key") || code.lowercased().contains("auth") {
            // Some servers answer 403 to a model that they do not have, or to none.
            guard status == 403, keys.isRealtime else { return refusedKey(keys.secret) }
            return refusedKey(keys.secret) + "; or the server lacks the model of realtime.model"
        }
        if status == 429 || code.contains("quota") || code.lowercased().contains("rate_limit") {
            return "look at usage and billing with the provider"
        }
        if code.contains("model"), let key = keys.model {
            return "this key has no access to \(public: key)" + (key.hasSuffix(".model") ? " = \"\(model)\"" : "")
        }
        if status == 404 {
            return "check the path of \(public: keys.url)"
                + (keys.isRealtime ? ", realtime.model and realtime.dialect" : "")
        }
        if meaning == .account {
            return "look at the account with the provider, and at the key: " + places(of: keys.secret)
        }
        if afterSettings {
            let examples = keys.isRealtime ? ": voice, speed, noise_reduction ..." : ""
            return "the service does not accept a value of [\(public: keys.section)]\(public: examples)"
        }
        return "check \(public: keys.places); try again if the service had trouble of its own"
    }

    private static func refusedKey(_ key: ServiceKey?) -> MarkedText {
        guard let key else { return "the service requires a key, and this one has no setting for it" }
        return "the key is not accepted: put a valid one where api-key above was found (\(places(of: key)))"
    }

    /// Where the key of a service may be.
    private static func places(of key: ServiceKey?) -> MarkedText {
        guard let key else { return "none" }
        return "\(public: key.setting), the credential \(public: key.credential), or $\(public: key.variable)"
    }

    private static func line(_ text: String) -> String {
        String(text.prefix(200).map { $0.isNewline ? " " : $0 })
    }
}
