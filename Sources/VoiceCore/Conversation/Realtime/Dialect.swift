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
    /// Includes every setting in `session.updated`; otherwise missing ones are assumed to be in force.
    package var tellsAllSettings = true
    /// Accepts and returns the metadata of `response.create`.
    package var takesMetadata = true
    /// Accepts a different set of tools, or none, for a single response.
    package var takesToolChoice = true
    /// Accepts instructions for a single response.
    package var takesInstructions = true
    /// Accepts calls added to the conversation by the client.
    package var takesCalls = true
    package var takesCancel = true
    package var takesTruncation = true
    package var takesDeletion = true
    /// Accepts `input_audio_buffer.clear`.
    package var takesInputClear = true
    /// Makes no response while a call has no output.
    package var waitsForOutputs = false
    /// Reports tokens in `response.done`; without them a response cannot be priced.
    package var reportsUsage = true
    /// Session length limit if the service does not state one; nil if none is known.
    package var sessionLifetime: Duration?
    /// Maps the service's error codes, or error types if it has no codes, to OpenAI's names.
    package var errorCodes: [String: String] = [:]

    private init(_ name: Name, _ differences: (inout Dialect) -> Void) {
        self.name = name
        differences(&self)
    }

    /// A server of one's own: no key, no price, and only the settings that every server knows.
    private static func ownServer(_ name: Name, _ differences: (inout Dialect) -> Void) -> Dialect {
        Dialect(name) {
            $0.needsKey = false
            $0.takesAllSettings = false
            $0.takesSemanticTurns = false
            $0.tellsAllSettings = false
            $0.reportsUsage = false
            differences(&$0)
        }
    }

    package static let openAI = Dialect(.openAI) { $0.sessionLifetime = .seconds(60 * 60) }

    /// Azure OpenAI (GA): the model is the name of a deployment.
    package static let azure = Dialect(.azure) {
        $0.authorization = .apiKey
        $0.path = "/openai/v1/realtime"
        $0.sessionLifetime = .seconds(30 * 60)
    }

    /// xAI Grok Voice: charged by the minute.
    package static let xai = Dialect(.xai) {
        $0.shape = .lifted
        $0.takesAllSettings = false
        $0.takesSemanticTurns = false
        $0.takesToolChoice = false
        $0.takesCalls = false
        $0.tellsAllSettings = false
        $0.takesMetadata = false
        $0.reportsUsage = false
        $0.sessionLifetime = .seconds(30 * 60)
    }

    /// speaches and other servers that kept the names of the beta. It answers metadata with an error.
    package static let speaches = ownServer(.speaches) {
        $0.shape = .flat
        $0.takesMetadata = false
        $0.sessionLifetime = .seconds(30 * 60)
    }

    /// LocalAI: deleting items is not implemented; metadata does not come back.
    package static let localAI = ownServer(.localAI) {
        $0.takesMetadata = false
        $0.takesDeletion = false
        $0.errorCodes = ["model_load_error": "model_not_found"]
    }

    /// Hugging Face speech-to-speech, as of 1.1.0.
    package static let huggingFace = ownServer(.huggingFace) {
        $0.takesInputClear = false
        $0.waitsForOutputs = true
    }

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
        case .auto: return takesAllSettings && isThinker ? "minimal" : nil
        case .minimal, .low, .medium, .high, .xhigh: return asked.rawValue
        }
    }

    /// Returns the address of a session. Adds the usual path and the model, if any, unless `base` names them.
    package func address(_ base: ServerURL, model: String?) -> String {
        var text = base.text
        if base.path.isEmpty {
            let query = base.query.map { "?" + $0 } ?? ""
            text = String(text.dropLast(query.count)) + path + query
        }
        let names = (base.query ?? "").split(separator: "&").map { $0.prefix { $0 != "=" } }
        guard let model, !names.contains("model") else { return text }
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
