package import VoiceBase

extension Configuration {
    /// Gemini Live.
    package struct Gemini: ConfigurationSection {
        package static let name = "gemini"
        package static let documentation =
            "Gemini Live of Google (service.use = [\"gemini\"]). With a free key, Google may use what is said to train models, "
            + "and people may read it; in Europe only a paid key may be used."
        package static let keys = Keys()

        package var changes: [String: ConfigurationValue] = [:]

        // Not in the file.

        /// For the connection, and again for the start of the session.
        package let connectTimeoutS = 10
        /// How long before the end of a session the next one is opened.
        package let rotationMarginS = 30
        /// Turns that the next session learns of.
        package let carryTurns = 8

        package init() {}
    }

    package var gemini: Gemini {
        get { services[Gemini.self] }
        set { services[Gemini.self] = newValue }
    }
}

extension Configuration.Gemini {
    package struct Keys: Sendable {
        package let url = Setting(
            "gemini.url",
            "wss://generativelanguage.googleapis.com/ws/"
                + "google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent",
            as: .url(schemes: ["wss", "ws"], takesQuery: false),
            "Address; plain ws:// only for a server in your own network."
        )
        package let apiKeyFile = Setting(
            "gemini.api_key_file", "", as: .file, isLive: true,
            "File with the API key. Empty: the systemd credential \"gemini-api-key\", else $GEMINI_API_KEY."
        )
        package let paid = Setting(
            "gemini.paid", false,
            "The key's project is billed, so that Google does not train models with what is said. False: a free key."
        )
        package let model = Setting("gemini.model", "gemini-3.8-live", "Model that hears and speaks.")
        package let voice = Setting(
            "gemini.voice", "Kore", "Voice of the answers, such as Kore, Puck or Charon; capitals count."
        )
        package let language = Setting(
            "gemini.language", "", as: .text(mayBeEmpty: true),
            "Language to speak, for instance \"de\". Empty: the user's."
        )
        package let silenceMS = Setting(
            "gemini.silence_ms", 700, 200...5000, "Milliseconds of silence that end a turn."
        )
        package let instructionsFile = Setting(
            "gemini.instructions_file", "", as: .file, "File with instructions for the model. Empty: the built-in ones."
        )
    }
}
