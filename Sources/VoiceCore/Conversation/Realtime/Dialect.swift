package import VoiceBase

/// How a service differs from OpenAI's version of the protocol: its address, what it accepts, what it reports.
///
/// Compiled from the services' documentation and source code. What a service is not known to accept is not sent.
package struct Dialect: Equatable, Sendable {
    package typealias Name = Configuration.Realtime.Service

    package enum Authorization: Equatable, Sendable {
        /// `Authorization: Bearer KEY`
        case bearer
        /// `api-key: KEY`
        case apiKey
    }

    /// The form of the `session` object.
    package enum SessionShape: Equatable, Sendable {
        /// GA: `audio.input`, `audio.output`.
        case nested
        /// GA, but with `voice` and `turn_detection` at the top level.
        case lifted
        /// Beta: everything at the top level, formats by name.
        case flat
    }

    /// What a service does differently. Each has a reason in the table, for docs/services.md.
    package enum Difference: CaseIterable, Sendable {
        /// Runs on the user's own machine: no key, no price.
        case isOwn
        /// Accepts only the common settings, so no noise reduction, truncation, tracing or speed...
        case commonSettings
        /// ...and does not report all of them in `session.updated`: missing ones are assumed to be in force.
        case partialReport
        case silenceTurns
        /// Opens no session unless the address names a model.
        case needsModel
        /// Does not accept or return the metadata of `response.create`.
        case noMetadata
        /// Does not accept another set of tools, or none, for a single response.
        case noToolChoice
        /// Does not accept instructions for a single response.
        case noInstructions
        /// Does not accept calls that the client adds to the conversation.
        case noCalls
        case noDeletion
        /// Does not accept `input_audio_buffer.clear`.
        case noInputClear
        /// Does not accept `conversation.item.truncate`.
        case noTruncation
        /// Does not accept `response.cancel`.
        case noCancel
        /// Makes no response while a call has no output.
        case waitsForOutputs
        /// Reports no tokens in `response.done`, so a response cannot be priced.
        case noUsage
    }

    /// The proof that the daemon and the service work together.
    package enum Proof: Equatable, Sendable {
        /// Run against the service itself: which version, by which script.
        case run(String)
        /// Only by a transcript that was written from its documentation and sources.
        case transcript
    }

    package let name: Name
    package let title: String
    package var authorization = Authorization.bearer
    /// Default path, if the address names none.
    package var path = "/v1/realtime"
    package var shape = SessionShape.nested
    package var charge = ServiceCharge.nothing
    /// Session length limit if the service does not state one; nil if none is known.
    package var sessionLifetime: Duration?
    package var proof = Proof.transcript
    /// Each with its reason.
    package var differences: [Difference: String] = [:]
    /// Maps the service's error codes, or error types if it has no codes, to OpenAI's names.
    package var errorCodes: [String: String] = [:]

    private static let ownServer: [Difference: String] = [
        .isOwn: "no key, no price", .commonSettings: "only what every server knows is sent",
        .partialReport: "its report of the session leaves out settings",
        .silenceTurns: "only `server_vad` ends a turn", .noUsage: "it counts no tokens",
    ]

    private static func own(_ more: [Difference: String]) -> [Difference: String] { ownServer.merging(more) { $1 } }

    /// One row for each service.
    package static let all: [Dialect] = [
        Dialect(name: .openAI, title: "OpenAI Realtime (GA)", charge: .tokens, sessionLifetime: .seconds(60 * 60)),
        Dialect(
            name: .azure,
            title: "Azure OpenAI (GA), `wss://NAME.openai.azure.com`; `realtime.model` is the deployment: set prices",
            authorization: .apiKey,
            path: "/openai/v1/realtime",
            charge: .tokens,
            sessionLifetime: .seconds(30 * 60)
        ),
        Dialect(
            name: .xai,
            title: "xAI Grok Voice, `wss://api.x.ai`; $0.05 a minute while a session is open",
            shape: .lifted,
            charge: .time,
            sessionLifetime: .seconds(30 * 60),
            differences: [
                .commonSettings: "settings that it does not document are not sent",
                .partialReport: "its report of the session leaves out settings",
                .silenceTurns: "only `server_vad` ends a turn", .noMetadata: "metadata of a response is not documented",
                .noToolChoice: "`tool_choice` is not documented", .noCalls: "calls in the history are not documented",
                .noUsage: "time is charged",
            ]
        ),
        Dialect(
            name: .speaches,
            title: "speaches and others that kept the names of the beta",
            shape: .flat,
            sessionLifetime: .seconds(30 * 60),
            differences: own([
                .needsModel: "it demands `realtime.model`, or answers HTTP 403",
                .noMetadata: "it answers metadata with an error",
            ])
        ),
        Dialect(
            name: .localAI,
            title: "LocalAI",
            differences: own([
                .needsModel: "it demands `realtime.model`, the name of a pipeline",
                .noMetadata: "metadata does not come back", .noDeletion: "items cannot be deleted",
            ]),
            errorCodes: ["model_load_error": "model_not_found"]
        ),
        Dialect(
            name: .huggingFace,
            title: "Hugging Face speech-to-speech",
            proof: .run("1.1.0, `scripts/room-realtime`"),
            differences: own([
                .noInputClear: "`input_audio_buffer.clear` is unknown to it",
                .waitsForOutputs: "it refuses a response while a call has no output, so the call gets one for now",
            ])
        ),
    ]

    package static var openAI: Dialect { named(.openAI) }
    package static var azure: Dialect { named(.azure) }
    package static var xai: Dialect { named(.xai) }
    package static var speaches: Dialect { named(.speaches) }
    package static var localAI: Dialect { named(.localAI) }
    package static var huggingFace: Dialect { named(.huggingFace) }

    package static func named(_ name: Name) -> Dialect {
        all.first { $0.name == name } ?? Dialect(name: name, title: name.rawValue)
    }

    package func does(_ difference: Difference) -> Bool { differences[difference] != nil }

    /// The dialect of a known host; OpenAI's for all others.
    package static func ofHost(_ host: String) -> Dialect {
        if host.hasSuffix(".openai.azure.com") { return azure }
        if host == "api.x.ai" { return xai }
        return openAI
    }

    /// Runs on the user's own machine, free of charge.
    package var isSelfHosted: Bool { does(.isOwn) }
}

extension Dialect {
    /// Whether the service accepts an event.
    func takes(_ event: ClientEvent) -> Bool {
        switch event {
        case .deleteItem: !does(.noDeletion)
        case .functionCall: !does(.noCalls)
        case .clearInput: !does(.noInputClear)
        case .truncate: !does(.noTruncation)
        case .responseCancel: !does(.noCancel)
        case .sessionUpdate, .functionCallOutput, .userMessage, .assistantMessage, .responseCreate: true
        }
    }

    /// The headers of the handshake.
    package func headers(key: Secret?) -> [(name: String, value: String)] {
        guard let key else { return [] }
        switch authorization {
        case .bearer: return [("Authorization", "Bearer \(key.revealed)")]
        case .apiKey: return [("api-key", key.revealed)]
        }
    }

    /// Returns the `reasoning.effort` to send; nil for none. The default is the lowest, for models that support it: the
    /// family of gpt-realtime-2, not gpt-realtime-2025-08-28.
    package func reasoningEffort(_ asked: Configuration.Realtime.ReasoningEffort, model: String) -> String? {
        let family = "gpt-realtime-2"
        let isThinker = model == family || model.hasPrefix(family + ".") || model.hasPrefix(family + "-")
        switch asked {
        case .off: return nil
        case .auto: return !does(.commonSettings) && isThinker ? "minimal" : nil
        case .minimal, .low, .medium, .high, .xhigh: return asked.rawValue
        }
    }

    /// Whether the configured address names a model.
    package static func namesModel(_ base: ServerURL) -> Bool {
        (base.query ?? "").split(separator: "&").contains { $0.prefix { $0 != "=" } == "model" }
    }

    /// Returns the address of a session. Adds the usual path and the model, if any, unless `base` names them.
    package func address(_ base: ServerURL, model: String?) -> String {
        var text = base.text
        if base.path.isEmpty {
            let query = base.query.map { "?" + $0 } ?? ""
            text = String(text.dropLast(query.count)) + path + query
        }
        guard let model, !Self.namesModel(base) else { return text }
        return text + (base.query == nil ? "?" : "&") + "model=" + PercentEncoding.encoded(model)
    }
}

extension Dialect {
    /// The dialect selected by a configuration.
    package init(_ configuration: Configuration) {
        self =
            configuration.realtime.dialect.choice.map(Self.named)
            ?? Self.ofHost(ServerURL(configuration.realtime.url)?.host ?? "")
    }
}
