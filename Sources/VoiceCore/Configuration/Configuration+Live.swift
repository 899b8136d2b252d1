extension Configuration {
    /// GPT-Live, which hears and speaks at the same time.
    package struct Live: ConfigurationSection {
        package static let name = "live"
        package static let documentation =
            "GPT-Live (service.use = [\"openai-live\"]). The key is that of realtime.api_key_file. Charged for every second of "
            + "an open session, silent ones included."
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
            "Address of the service. Plain ws:// is for a server on this machine or in this network."
        )
        package let allowPlainHTTP = Setting(
            "live.allow_plain_http",
            false,
            "Speaks ws:// with any address. Without it only with those of the own network; anybody on the way can read the "
                + "key and listen."
        )
        package let model = Setting("live.model", "gpt-live-1.1", "Model that hears and speaks.")
        package let voice = Setting("live.voice", "marin", "Voice of the answers.")
        package let language = Setting(
            "live.language",
            "",
            as: .text(mayBeEmpty: true),
            "Language to speak, for instance \"en\" or \"de\". Empty: that of the speaker."
        )
        package let instructionsFile = Setting(
            "live.instructions_file",
            "",
            as: .file,
            "Text that tells the model how to behave. Empty: the built-in persona."
        )
        package let acknowledgementDelayMS = Setting(
            "live.acknowledgement_delay_ms",
            1000,
            0...10_000,
            "How long the service waits for an answer before it says something to bridge the time, in milliseconds."
        )
        package let caFile = Setting(
            "live.ca_file",
            "",
            as: .file,
            "Certificates to trust instead of the system's, in PEM. Empty: the system's."
        )
        package let connectTimeoutS = Setting(
            "live.connect_timeout_s",
            10,
            1...120,
            "Seconds to wait for the connection, and as long again for the session to start."
        )
        package let rotationMarginS = Setting(
            "live.rotation_margin_s",
            25,
            15...30,
            "Seconds before the end of a session (two hours) at which the next one is opened beside it. One that waits for "
                + "longer than half a minute is closed by the service."
        )
        package let carryTurns = Setting(
            "live.carry_turns",
            8,
            1...50,
            "How many of the last turns the next session learns."
        )
    }
}
