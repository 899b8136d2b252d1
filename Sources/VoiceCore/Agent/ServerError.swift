internal import VoiceBase
internal import VoiceNetwork

/// What a server says of an error: as the text of `error`, `detail` or `message`, in an object, in a list, or as plain text.
struct ServerError {
    let message: String
    /// Code and type of the error, and what the provider behind the server wrote, all in lower case with the message.
    private let text: String

    /// Returns nil if the body names no error.
    init?(_ response: HTTPResponse) {
        let value = OutsideJSON.decode(JSONValue.self, from: response.body, atMost: JarvisRequest.maximumReplyBytes)
        if let value {
            self.init(value, status: response.status)
        } else if response.mediaType == "text/plain" {
            self.init(
                ["error": .string(String(decoding: response.body.prefix(4096), as: UTF8.self))], status: response.status
            )
        } else {
            return nil
        }
    }

    /// - Parameter status: of HTTP; nil if the error came in a reply that had begun.
    init?(_ body: JSONValue, status: Int? = nil) {
        // Google puts the error into a list.
        if case .array(let values) = body, let first = values.first, first.isObject {
            self.init(first, status: status)
            return
        }
        let named = ["error", "detail", "message", "errors", "error_msg", "error_message", "fault"].lazy.compactMap {
            body[$0]
        }.first { $0 != .null }
        guard let value = named, let message = Self.text(value) else { return nil }
        let places = [value, body]
        let codes = places.flatMap { place in
            ["code", "type", "status", "error_code"].map { name in
                place[name]?.stringValue ?? place[name]?.intValue.map { "\($0)" }
            }
        }
        let behind = [value["metadata"]?["raw"], value["innererror"]?["code"], body["error_description"]]
        self.init(message: message, also: codes + behind.map { $0?.stringValue } + [status.map { "\($0)" }])
    }

    /// - Parameter also: code, type and the like.
    init(message: String, also: [String?]) {
        self.message = message
        text = ([message] + also.compactMap { $0 }).map { String($0.prefix(4096)) }.joined(separator: "\n").lowercased()
    }

    private static func text(_ value: JSONValue) -> String? {
        switch value {
        case .string(let text): text
        case .array(let values): values.compactMap(text).first
        case .object:
            ["message", "msg", "faultstring", "detail", "error"].lazy.compactMap { value[$0].flatMap(text) }.first ?? ""
        default: nil
        }
    }

    private func says(_ phrases: [String]) -> Bool { phrases.contains { text.contains($0) } }

    // MARK: What it is about

    /// The pause that it asks for.
    var pause: Duration? { StatedPause.read(text) }

    /// A proxy lost the connection to the server that had the request.
    var namesBrokenConnection: Bool {
        says(["reset", "disconnect", "termination", "upstream connect", "timed out", "timeout", "closed"])
    }

    var namesModelByCode: Bool {
        says(["model_not_found", "deploymentnotfound", "model_not_supported", "unsupported_model"])
    }

    var namesUnknownModel: Bool {
        if namesModelByCode || says(["no endpoints found"]) { return true }
        return says(["model", "deployment"])
            && says([
                "not found", "not exist", "n't exist", "unknown model", "invalid model", "no such model",
                "not available",
                "not a valid model", "access to model", "access to the model", "deprecated", "decommissioned",
                "retired",
                "no longer", "discontinued", "end of life", "shut down", "no model", "no endpoints",
                "identifier is invalid",
                "could not find", "not loaded", "not_found_error",
            ])
            && !says(["loading", "temporar", "overload", "later", "capacity", "busy"])
    }

    /// The request is longer than the model, the server or one minute of the account allows: the same request fails again.
    ///
    /// The words of OpenAI, Azure, Anthropic, Gemini, xAI, Mistral, Groq, Cohere, OpenRouter, LiteLLM, vLLM, SGLang, TGI,
    /// llama.cpp, LM Studio and Ollama.
    var namesLength: Bool {
        if says(Self.lengthCodes) { return true }
        if says(Self.manyTokens) { return !says(Self.waits) }
        if says(Self.rates) { return false }
        return says(Self.lengths) && says(Self.excesses)
    }

    private static let lengthCodes = [
        "context_length_exceeded", "exceed_context_size", "contextwindowexceeded", "context_window_exceeded",
        "tokens_limit_reached", "request_too_large", "string_above_max_length", "prompt_too_long", "request too large",
        "request entity too large", "payload too large", "reduce the length", "shorten your", "n_keep",
        "max_new_tokens` must be", "message size and try again",
    ]
    private static let manyTokens = ["too many tokens", "too many input tokens"]
    /// With one of these, "too many tokens" is about a rate, not about the length of the request.
    private static let waits = ["wait", "throttl", " per ", "rate limit", "rate_limit"]
    private static let lengths = [
        "context", "n_ctx", "prompt", "input length", "input token", "input is", "the input (", "maximum model length",
        "max_model_len", "token limit", "request contains", "number of tokens", "total tokens", "max_total_tokens",
        "`inputs`",
        "conversation", "messages too", "message is too", "request body", "sequence length",
    ]
    private static let excesses = [
        "exceed", "too long", "too large", "longer than", "larger than", "greater than", "not enough", "overflow",
        "maximum context", "maximum prompt length", "too big", "does not fit", "doesn't fit", "input length should",
        "context is full", "out of context", "less than",
    ]
    private static let rates = [
        "rate limit", "rate_limit", "per minute", "per day", "per second", "quota", "credit", "billing", "timeout",
        "timed out", "concurren", "completion tokens", "deadline",
    ]

    /// Why the server, or the provider behind it, refuses; nil for any other error.
    var reason: StatedReason? { StatedReason(text) }
}

extension JarvisFailure {
    /// The failure that a server names in words or by a code, whatever the status; nil for any other.
    init?(_ error: ServerError) {
        if error.namesLength {
            self = .tooLong
            return
        }
        switch error.reason {
        case .credit: self = .noCredit
        case .rate: self = .limited(pause: error.pause)
        case .key, .expired, nil:
            guard error.namesUnknownModel else { return nil }
            self = .unknownModel
        }
    }
}

extension HTTPResponse {
    /// The pause that the server asks for, in the header or in words.
    var statedPause: Duration? {
        StatedPause.read { header($0) } ?? ServerError(self)?.pause
            ?? StatedPause.read(String(decoding: body.prefix(4096), as: UTF8.self))
    }
}
