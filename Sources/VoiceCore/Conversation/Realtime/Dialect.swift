package import VoiceBase
package import VoiceConfiguration

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

    package let name: Name
    package var authorization = Authorization.bearer
    /// Refuses clients without a key.
    package var needsKey = true
    /// Default path, if the address names none.
    package var path = "/v1/realtime"
    package var shape = SessionShape.nested
    /// Accepts settings beyond the common ones: noise reduction, truncation, tracing, speed.
    package var takesAllSettings = true
    package var takesSemanticTurns = true
    /// Answers `session.update` with `session.updated`.
    package var confirmsSettings = true
    /// Includes every setting in it; otherwise missing ones are assumed to be in force.
    package var tellsAllSettings = true
    /// Begins every response with `response.created`.
    package var announcesResponses = true
    /// Accepts and returns the metadata of `response.create`.
    package var takesMetadata = true
    /// Accepts a different set of tools, or none, for a single response.
    package var takesToolChoice = true
    /// Accepts calls added to the conversation by the client.
    package var takesCalls = true
    package var takesCancel = true
    package var takesTruncation = true
    package var takesDeletion = true
    /// Accepts `input_audio_buffer.clear`.
    package var takesInputClear = true
    /// Announces calls only by `response.function_call_arguments.done`.
    package var tellsCallsByArguments = false
    /// Reports tokens in `response.done`; without them a response cannot be priced.
    package var reportsUsage = true
    /// Session length limit if the service does not state one; nil if none is known.
    package var sessionLifetime: Duration?
    /// Maps the service's error codes, or error types if it has no codes, to OpenAI's names.
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

    /// speaches and other servers that kept the names of the beta.
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

    /// Runs on the user's own machine, free of charge.
    package var isSelfHosted: Bool { !needsKey }
}

extension Dialect {
    /// Whether the service accepts an event.
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

    /// Returns the `reasoning.effort` to send; nil for none. The default is the lowest, for models that support it: the
    /// family of gpt-realtime-2, not gpt-realtime-2025-08-28.
    package func reasoningEffort(_ asked: Configuration.Realtime.ReasoningEffort, model: String) -> String? {
        let family = "gpt-realtime-2"
        let isThinker = model == family || model.hasPrefix(family + ".") || model.hasPrefix(family + "-")
        switch asked {
        case .off: return nil
        case .auto: return takesAllSettings && isThinker ? "minimal" : nil
        case .minimal, .low, .medium, .high, .xhigh: return asked.rawValue
        }
    }

    /// Returns the address of a session. Adds the usual path and the model if `base` does not name them.
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
    /// The dialect selected by a configuration.
    package init(_ configuration: Configuration) {
        self =
            configuration.realtime.dialect.choice.map(Self.named)
            ?? Self.ofHost(ServerURL(configuration.realtime.url)?.host ?? "")
    }
}
