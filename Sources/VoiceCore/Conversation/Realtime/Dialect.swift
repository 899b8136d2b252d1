package import VoiceBase
package import VoiceConfiguration

/// How a service differs from the protocol as OpenAI speaks it: where it listens, what it takes, what it tells.
///
/// Gathered from the services' documentation and sources; what is not known to be taken is not sent.
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
        /// GA, but `voice` and `turn_detection` stand at the top.
        case lifted
        /// Beta: everything at the top, formats by name.
        case flat
    }

    package let name: Name
    package var authorization = Authorization.bearer
    /// Refuses whoever brings no key.
    package var needsKey = true
    /// Where the address names none.
    package var path = "/v1/realtime"
    package var shape = SessionShape.nested
    /// Knows the settings beyond the common ones: noise reduction, truncation, tracing, speed.
    package var takesAllSettings = true
    package var takesSemanticTurns = true
    /// Answers `session.update` with `session.updated`.
    package var confirmsSettings = true
    /// Tells every setting then; otherwise what it does not tell is taken for granted.
    package var tellsAllSettings = true
    /// Begins every response with `response.created`.
    package var announcesResponses = true
    /// Takes, and gives back, the metadata of `response.create`.
    package var takesMetadata = true
    /// Takes other tools for one response, none among them.
    package var takesToolChoice = true
    /// Takes calls that the client puts into the conversation.
    package var takesCalls = true
    package var takesCancel = true
    package var takesTruncation = true
    package var takesDeletion = true
    /// Takes `input_audio_buffer.clear`.
    package var takesInputClear = true
    /// Tells calls only by `response.function_call_arguments.done`.
    package var tellsCallsByArguments = false
    /// Tokens come with `response.done`; without them a response cannot be priced.
    package var reportsUsage = true
    /// How long a session may last where it does not say so itself; nil for no known limit.
    package var sessionLifetime: Duration?
    /// Codes of errors under the names that OpenAI has for them. Services without codes tell the type instead.
    package var errorCodes: [String: String] = [:]

    private init(_ name: Name) {
        self.name = name
    }

    package static let openAI: Dialect = {
        var dialect = Dialect(.openAI)
        dialect.sessionLifetime = .seconds(60 * 60)
        return dialect
    }()

    /// Azure OpenAI (GA): the model is the name of a deployment.
    package static let azure: Dialect = {
        var dialect = Dialect(.azure)
        dialect.authorization = .apiKey
        dialect.path = "/openai/v1/realtime"
        dialect.sessionLifetime = .seconds(30 * 60)
        return dialect
    }()

    /// xAI Grok Voice: charged by the minute.
    package static let xai: Dialect = {
        var dialect = Dialect(.xai)
        dialect.shape = .lifted
        dialect.takesAllSettings = false
        dialect.takesSemanticTurns = false
        dialect.takesToolChoice = false
        dialect.takesCalls = false
        dialect.tellsAllSettings = false
        dialect.takesMetadata = false
        dialect.reportsUsage = false
        dialect.sessionLifetime = .seconds(30 * 60)
        return dialect
    }()

    /// speaches, and other servers that kept the names of the beta.
    package static let speaches: Dialect = {
        var dialect = Dialect(.speaches)
        dialect.needsKey = false
        dialect.shape = .flat
        dialect.takesAllSettings = false
        dialect.takesSemanticTurns = false
        dialect.takesToolChoice = false
        dialect.takesCalls = false
        dialect.tellsAllSettings = false
        dialect.takesMetadata = false
        dialect.takesCancel = false
        dialect.takesTruncation = false
        dialect.reportsUsage = false
        dialect.sessionLifetime = .seconds(30 * 60)
        return dialect
    }()

    package static let localAI: Dialect = {
        var dialect = Dialect(.localAI)
        dialect.needsKey = false
        dialect.takesAllSettings = false
        dialect.takesSemanticTurns = false
        dialect.takesToolChoice = false
        dialect.takesCalls = false
        dialect.tellsAllSettings = false
        dialect.takesMetadata = false
        dialect.reportsUsage = false
        dialect.errorCodes = ["model_load_error": "model_not_found"]
        return dialect
    }()

    /// Hugging Face speech-to-speech.
    package static let huggingFace: Dialect = {
        var dialect = Dialect(.huggingFace)
        dialect.needsKey = false
        dialect.takesAllSettings = false
        dialect.takesSemanticTurns = false
        dialect.confirmsSettings = false
        dialect.takesToolChoice = false
        dialect.takesCalls = false
        dialect.tellsAllSettings = false
        dialect.announcesResponses = false
        dialect.takesTruncation = false
        dialect.takesDeletion = false
        dialect.takesInputClear = false
        dialect.tellsCallsByArguments = true
        dialect.reportsUsage = false
        return dialect
    }()

    package static func named(_ name: Name) -> Dialect {
        switch name {
        case .openAI: openAI
        case .azure: azure
        case .xai: xai
        case .speaches: speaches
        case .localAI: localAI
        case .huggingFace: huggingFace
        }
    }

    /// The dialect of a known host; OpenAI's for all others.
    package static func ofHost(_ host: String) -> Dialect {
        if host.hasSuffix(".openai.azure.com") { return azure }
        if host == "api.x.ai" { return xai }
        return openAI
    }

    /// Runs on a machine of the user's own and charges nothing.
    package var isSelfHosted: Bool { !needsKey }
}

extension Dialect {
    /// Whether the service knows what to do with an event.
    func takes(_ event: ClientEvent) -> Bool {
        switch event {
        case .responseCancel: takesCancel
        case .truncate: takesTruncation
        case .deleteItem: takesDeletion
        case .functionCall: takesCalls
        case .clearInput: takesInputClear
        case .sessionUpdate, .functionCallOutput, .systemMessage, .userMessage, .assistantMessage, .responseCreate: true
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

    /// The `reasoning.effort` to send; nil for none. By itself the least, to the models that know it: the family of gpt-realtime-2,
    /// not gpt-realtime-2025-08-28.
    package func reasoningEffort(_ asked: Configuration.Realtime.ReasoningEffort, model: String) -> String? {
        let family = "gpt-realtime-2"
        let isThinker = model == family || model.hasPrefix(family + ".") || model.hasPrefix(family + "-")
        switch asked {
        case .off: return nil
        case .auto: return takesAllSettings && isThinker ? "minimal" : nil
        case .minimal, .low, .medium, .high, .xhigh: return asked.rawValue
        }
    }

    /// The address of a session: the usual path where `base` names none, and the model where it names none.
    package func address(_ base: ServerURL, model: String) -> String {
        var text = base.text
        if base.path.isEmpty {
            let query = base.query.map { "?" + $0 } ?? ""
            text = String(text.dropLast(query.count)) + path + query
        }
        let names = (base.query ?? "").split(separator: "&").map { $0.prefix { $0 != "=" } }
        guard !names.contains("model") else { return text }
        return text + (base.query == nil ? "?" : "&") + "model=" + PercentEncoding.encoded(model)
    }
}

extension Dialect {
    /// The dialect that a configuration asks for.
    package init(_ configuration: Configuration) {
        self =
            configuration.realtime.dialect.choice.map(Self.named)
            ?? Self.ofHost(ServerURL(configuration.realtime.url)?.host ?? "")
    }
}
