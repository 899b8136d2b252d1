extension Configuration {
    /// A voice service that speaks the Realtime protocol.
    package struct Realtime: ConfigurationSection {
        package static let name = "realtime"
        package static let documentation =
            "The service that hears and speaks (OpenAI Realtime API or a compatible server)."
        package static let keys = Keys()

        package var changes: [String: ConfigurationValue] = [:]

        // Not in the file.

        /// server_vad: silence that ends a turn.
        package let silenceMS = 500
        /// server_vad: voice detection threshold, 0 to 1.
        package let threshold = 0.5
        /// Noise reduction of the service.
        package let noiseReduction = "far_field"
        /// Audio per message; 0: 20, or 100 for a server of one's own, which may do work for each message.
        package var chunkMS = 0
        /// Tokens of one spoken answer; a server of one's own decides for itself.
        package let maxOutputTokens = 1200
        /// For the connection, and again for the first event.
        package let connectTimeoutS = 10
        /// Without any data a connection counts as dead after this time...
        package let deadPeerS = 12
        /// ...or this for a server of one's own, which may pause to think.
        package let deadPeerOfOwnServerS = 30
        /// The next session takes over in a quiet moment after this time.
        package let sessionAgeMin = 20
        /// The next session is opened this long before the end of one.
        package let rotationMarginS = 120
        /// Turns that the next session learns of.
        package let carryTurns = 4

        package init() {}
    }

    package var realtime: Realtime {
        get { services[Realtime.self] }
        set { services[Realtime.self] = newValue }
    }
}

extension Configuration.Realtime {
    package struct Keys: Sendable {
        package let url = Setting(
            "realtime.url",
            "wss://api.openai.com/v1/realtime",
            as: .url(schemes: ["wss", "ws"], takesQuery: true),
            "Address; plain ws:// only for a server in your own network."
        )
        package let allowPlainHTTP = Setting(
            "realtime.allow_plain_http",
            false,
            "Allows ws:// to any address. Anyone on the way can read the key and listen."
        )
        package let dialect = Setting(
            "realtime.dialect", Dialect.auto,
            "auto: detects OpenAI, Azure and xAI by their hosts; others count as OpenAI."
        )
        package let model = Setting(
            "realtime.model",
            "gpt-realtime-2.1",
            "Model that hears and speaks; \"gpt-realtime-2.1-mini\" costs a quarter to a third. A server of "
                + "your own is not sent the default."
        )
        package let reasoningEffort = Setting(
            "realtime.reasoning_effort",
            ReasoningEffort.auto,
            "How much the model reasons before it speaks. auto: as little as it can, because Jarvis does "
                + "the thinking. off: not sent."
        )
        package let voice = Setting(
            "realtime.voice", "marin", "Voice of the answers. A server of your own is not sent the default."
        )
        package let apiKeyFile = Setting(
            "realtime.api_key_file", "", as: .file, isLive: true,
            "File with the API key. Empty: the systemd credential \"openai-api-key\", else $OPENAI_API_KEY."
        )
        package let caFile = Setting(
            "realtime.ca_file", "", as: .file,
            "CA certificates to trust instead of the system's, in PEM. Empty: the system's."
        )
        package let turnDetection = Setting(
            "realtime.turn_detection", TurnDetection.semantic,
            "The end of a turn is detected by what was said (semantic_vad) or by silence (server_vad)."
        )
        package let eagerness = Setting(
            "realtime.eagerness", Eagerness.auto, "semantic_vad: how soon a turn is considered over."
        )
        package let instructionsFile = Setting(
            "realtime.instructions_file", "", as: .file,
            "File with instructions for the model. Empty: the built-in ones."
        )
        package let language = Setting(
            "realtime.language", "", as: .text(mayBeEmpty: true),
            "Language to recognise and to speak, for instance \"de\". Empty: the user's."
        )
        package let transcription = Setting(
            "realtime.transcription", false, "Requests transcripts of what the user says. Costs extra."
        )
        package let transcriptionModel = Setting(
            "realtime.transcription_model", "gpt-transcribe",
            "Model that writes the transcripts. A server of your own is not sent the default."
        )
        package let speed = Setting("realtime.speed", 1.0, 0.25...1.5, "Speed of the voice; 1.0 is normal.")
        package let responseLimitS = Setting(
            "realtime.response_limit_s", 0, 0...600,
            "Seconds until a tone says that no answer began. 0: 12, or 30 for a server of your own."
        )
        package let carry = Setting(
            "realtime.carry", Carry.summary,
            "What the next session learns of the conversation: a summary, the recent turns, or nothing."
        )
    }

    /// The limit of services that are not the user's own, in seconds.
    package static let responseLimitS = 12

    package enum ReasoningEffort: String, CaseIterable, Sendable {
        case auto
        case off
        case minimal
        case low
        case medium
        case high
        case xhigh
    }

    package enum Carry: String, CaseIterable, Sendable {
        /// One short note that summarises the last turns.
        case summary
        /// The last turns, as text items.
        case turns
        case none
    }

    /// "auto": chosen by the host.
    package typealias Dialect = OrAuto<Service>

    /// The services that speak a dialect of the protocol.
    package enum Service: String, CaseIterable, Sendable {
        case openAI = "openai"
        case azure
        case xai
        case speaches
        case localAI = "localai"
        case huggingFace = "huggingface"
    }

    package enum TurnDetection: String, CaseIterable, Sendable {
        case semantic = "semantic_vad"
        case server = "server_vad"
    }

    package enum Eagerness: String, CaseIterable, Sendable {
        case auto
        case low
        case medium
        case high
    }
}
