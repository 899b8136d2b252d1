internal import VoiceBase
internal import VoiceConfiguration
internal import VoiceConversation
internal import VoiceNetwork

/// Whether the service accepts the key, the model and the settings.
enum SessionCheck {
    static let limit = Duration.seconds(20)

    static func findings(_ context: DoctorContext, network: NetworkThread) async -> [DoctorFinding] {
        guard let settings = context.settings else {
            return [DoctorFinding("session", .skipped, "needs a configuration that can be used, and a key")]
        }
        let outcome: SessionOutcome
        switch await settings.service.opening(on: network) {
        case .socket(let request, let wire): outcome = await probe(request, wire, network: network)
        case .failed(let closure): outcome = .ended(closure)
        case nil: return []
        }
        return [judge(outcome, model: settings.model, section: section(context))]
    }

    /// The configuration section with the service's address, if it has one.
    private static func section(_ context: DoctorContext) -> String {
        let key = context.loaded.flatMap { context.service($0.values).address($0.values)?.key }
        return key.map { String($0.prefix { $0 != "." }) } ?? "service"
    }

    static func probe(
        _ request: WebSocketRequest,
        _ wire: any ServiceWire,
        network: NetworkThread
    ) async -> SessionOutcome {
        let answer = Promise<SessionOutcome>()
        let outcome = await TimeLimit.run(limit - .seconds(2)) {
            let handle = network.connect(request) { connection in
                SessionProbe(connection, wire: wire) { answer.give($0) }
            }
            if handle == nil { answer.give(.ended(.failed(.stopped))) }
            return await answer.wait()
        }
        answer.give(.silent)
        return outcome ?? .silent
    }

    static func judge(_ outcome: SessionOutcome, model: String, section: String = "realtime") -> DoctorFinding {
        func fail(_ message: String, _ advice: String) -> DoctorFinding {
            DoctorFinding("session", .fail, message, advice: advice)
        }
        switch outcome {
        case .ready(let confirmed):
            let what = confirmed ? "key, model \(model) and settings" : "the connection with model \(model)"
            return DoctorFinding("session", .ok, "the service takes \(what)")
        case .silent:
            return DoctorFinding(
                "session",
                .warn,
                "the session opens, but the service does not confirm its settings",
                advice: "see whether \(kind(section)) fits this service"
            )
        case .error(let error, let afterSettings):
            let words = Redaction.withoutKeys(line(error.text))
            return fail(
                "\(words) (\(error.name))",
                advice(code: error.name, status: nil, model: model, section, afterSettings)
            )
        case .ended(let closure):
            var status: Int?
            if case .refused(let refusal) = closure { status = refusal.status }
            var code = ""
            if case .closed(_, let reason) = closure { code = reason }
            return fail(
                Redaction.withoutKeys(closure.description),
                advice(code: code, status: status, model: model, section, false)
            )
        }
    }

    /// The setting that determines the protocol spoken.
    private static func kind(_ section: String) -> String {
        section == "realtime" ? "realtime.dialect" : "\(section).url"
    }

    private static func advice(
        code: String,
        status: Int?,
        model: String,
        _ section: String,
        _ afterSettings: Bool
    ) -> String {
        if status == 401 || status == 403 || code.contains("api_key") || code.lowercased().contains("auth") {
            return "the key is not accepted: put a valid one where api-key above was found"
        }
        if status == 429 || code.contains("quota") || code.lowercased().contains("rate_limit") {
            return "look at usage and billing with the provider"
        }
        if code.contains("model") { return "this key has no access to \(section).model = \"\(model)\"" }
        if status == 404 {
            return "check the path of \(section).url"
                + (section == "realtime" ? ", realtime.model and realtime.dialect" : "")
        }
        if afterSettings {
            let examples = section == "realtime" ? ": voice, speed, noise_reduction ..." : ""
            return "a value of [\(section)] is not what the service takes\(examples)"
        }
        let places = section == "realtime" ? "realtime.url and realtime.dialect" : "\(section).url"
        return "check \(places); try again if the service had trouble of its own"
    }

    private static func line(_ text: String) -> String {
        String(text.prefix(200).map { $0.isNewline ? " " : $0 })
    }
}
