extension Configuration {
    /// GPT-Live, which hears and speaks at the same time.
    package struct Live: ConfigurationSection {
        package static let name = "live"
        package static let documentation =
            "GPT-Live (service.use = [\"openai-live\"]). It uses the key of realtime.api_key_file. Every second of an "
            + "open session is charged, silence included."
        package static let keys = Keys()

        package var changes: [String: ConfigurationValue] = [:]

        package init() {}
    }
}

extension Configuration.Live {
    package struct Keys: Sendable {
        package let url = Setting(
            "live.url",
            "wss://api.openai.com/v1/live/sessions",
            as: .url(schemes: ["wss", "ws"], takesQuery: true),
            "Address of the service. Use plain ws:// only for a server on this machine or in this network."
        )
        package let allowPlainHTTP = Setting(
            "live.allow_plain_http",
            false,
            "Allows ws:// to any address; otherwise only to addresses in your own network. Anyone on the way can read "
                + "the key and listen."
        )
        package let model = Setting("live.model", "gpt-live-1.1", "Model that hears and speaks.")
        package let voice = Setting("live.voice", "marin", "Voice of the answers.")
        package let language = Setting(
            "live.language",
            "",
            as: .text(mayBeEmpty: true),
            "Language to speak, for instance \"en\" or \"de\". Empty: the user's."
        )
        package let instructionsFile = Setting(
            "live.instructions_file",
            "",
            as: .file,
            "File with the instructions for the model. Empty: the built-in ones."
        )
        package let acknowledgementDelayMS = Setting(
            "live.acknowledgement_delay_ms",
            1000,
            0...10_000,
            "How long the service waits for an answer before it says something to fill the time, in milliseconds."
        )
        package let caFile = Setting(
            "live.ca_file",
            "",
            as: .file,
            "CA certificates to trust instead of the system's, in PEM. Empty: the system's."
        )
        package let connectTimeoutS = Setting(
            "live.connect_timeout_s",
            10,
            1...120,
            "Seconds to wait for the connection, and again for the session to start."
        )
        package let rotationMarginS = Setting(
            "live.rotation_margin_s",
            25,
            15...30,
            "Seconds before the end of a session (two hours) at which the next one is opened. The service closes a "
                + "session that waits for more than half a minute."
        )
        package let carryTurns = Setting(
            "live.carry_turns",
            8,
            1...50,
            "Number of recent turns passed on to the next session."
        )
    }
}
