package import VoiceBase

extension Configuration {
    /// GPT-Live, which hears and speaks at the same time.
    package struct Live: ConfigurationSection {
        package static let name = "live"
        package static let documentation =
            "GPT-Live (service.use = [\"openai-live\"]). It uses the key of realtime.api_key_file. Every second of an "
            + "open session is charged, silence included."
        package static let keys = Keys()
        package static let retired = [
            "live.acknowledgement_delay_ms": Retirement.isFixed,
            "live.connect_timeout_s": Retirement.isFixed,
            "live.rotation_margin_s": Retirement.isFixed,
            "live.carry_turns": Retirement.isFixed,
            "live.allow_plain_http": Retirement.useWSS,
            "live.ca_file": Retirement.addCertificate,
        ]

        package var changes: [String: ConfigurationValue] = [:]

        // Not in the file.

        /// The service fills the time until an answer after this.
        package let acknowledgementDelayMS = 1000
        /// For the connection, and again for the start of the session.
        package let connectTimeoutS = 10
        /// The service closes a session that waits for more than half a minute.
        package let rotationMarginS = 25
        /// Turns that the next session learns of.
        package let carryTurns = 8

        package init() {}
    }

    package var live: Live {
        get { services[Live.self] }
        set { services[Live.self] = newValue }
    }
}

extension Configuration.Live {
    package struct Keys: Sendable {
        package let url = Setting(
            "live.url",
            "wss://api.openai.com/v1/live/sessions",
            as: .url(schemes: ["wss", "ws"], takesQuery: true),
            "Address; plain ws:// only for a server in your own network."
        )
        package let model = Setting("live.model", "gpt-live-1.1", "Model that hears and speaks.")
        package let voice = Setting("live.voice", "marin", "Voice of the answers.")
        package let language = Setting(
            "live.language", "", as: .text(mayBeEmpty: true),
            "Language to speak, for instance \"de\". Empty: the user's."
        )
        package let instructionsFile = Setting(
            "live.instructions_file", "", as: .file, "File with instructions for the model. Empty: the built-in ones."
        )
    }
}
