package import VoiceBase

extension Configuration {
    /// Datagrid Voice: a voice agent that brings its own tools.
    package struct Datagrid: ConfigurationSection {
        package static let name = "datagrid"
        package static let documentation =
            "Datagrid Voice (service.use = [\"datagrid\"]). An agent hosted by Datagrid answers with its own tools; "
            + "Jarvis is not asked."
        package static let keys = Keys()
        package static let retired = [
            "datagrid.connect_timeout_s": Retirement.isFixed,
            "datagrid.remember_min": Retirement.isFixed,
            "datagrid.allow_plain_http": Retirement.useWSS,
            "datagrid.ca_file": Retirement.addCertificate,
        ]

        package var changes: [String: ConfigurationValue] = [:]

        // Not in the file.

        /// For the connection, and again for the start of the session.
        package var connectTimeoutS = 10
        /// The next conversation within this time continues the last one.
        package let rememberMin = 10

        package init() {}
    }

    package var datagrid: Datagrid {
        get { services[Datagrid.self] }
        set { services[Datagrid.self] = newValue }
    }
}

extension Configuration.Datagrid {
    package struct Keys: Sendable {
        package let url = Setting(
            "datagrid.url",
            "wss://api.datagrid.com/ws/voice",
            as: .url(schemes: ["wss", "ws"], takesQuery: false),
            "Address; plain ws:// only for a server in your own network."
        )
        package let handoff = Setting(
            "datagrid.handoff",
            true,
            "Requests each session at /v1/voice of the same host, with the key in a header, and opens it "
                + "with a token for that session only. Without it, or if that fails, the key is part of the "
                + "address."
        )
        package let apiKeyFile = Setting(
            "datagrid.api_key_file",
            "",
            as: .file,
            isLive: true,
            "File with the API key. Empty: the systemd credential \"datagrid-api-key\", else "
                + "$DATAGRID_API_KEY."
        )
        package let agentID = Setting(
            "datagrid.agent_id", "", as: .text(mayBeEmpty: true),
            "Agent that answers. Empty: the account's default agent."
        )
        package let voice = Setting(
            "datagrid.voice", "", as: .text(mayBeEmpty: true), "Voice preset. Empty: the agent's own."
        )
        package let greeting = Setting(
            "datagrid.greeting", "", as: .text(mayBeEmpty: true), "Spoken when a conversation begins. Empty: nothing."
        )
        package let instructionsFile = Setting(
            "datagrid.instructions_file", "", as: .file, "File to add to the agent's instructions. Empty: none."
        )
    }
}
