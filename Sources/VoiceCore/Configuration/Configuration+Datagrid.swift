extension Configuration {
    /// Datagrid Voice: a voice agent that brings its own tools.
    package struct Datagrid: ConfigurationSection {
        package static let name = "datagrid"
        package static let documentation =
            "Datagrid Voice (service.use = [\"datagrid\"]). An agent hosted by Datagrid answers with its own tools; "
            + "Jarvis is not asked."
        package static let keys = Keys()

        package var changes: [String: ConfigurationValue] = [:]

        package init() {}
    }
}

extension Configuration.Datagrid {
    package struct Keys: Sendable {
        package let url = Setting(
            "datagrid.url",
            "wss://api.datagrid.com/ws/voice",
            as: .url(schemes: ["wss", "ws"], takesQuery: false),
            "Address of the service. Use plain ws:// only for a server on this machine or in this network."
        )
        package let allowPlainHTTP = Setting(
            "datagrid.allow_plain_http",
            false,
            "Allows ws:// to any address; otherwise only to addresses in your own network. Anyone on the way can read "
                + "the key and listen."
        )
        package let handoff = Setting(
            "datagrid.handoff",
            true,
            "Requests each session at /v1/voice of the same host, with the key in a header, and opens it with a token "
                + "that is valid for that session only. If that fails, or with false, the key is part of the address."
        )
        package let apiKeyFile = Setting(
            "datagrid.api_key_file",
            "",
            as: .file,
            isLive: true,
            "File that holds the API key. Empty: the systemd credential \"datagrid-api-key\", else $DATAGRID_API_KEY."
        )
        package let agentID = Setting(
            "datagrid.agent_id",
            "",
            as: .text(mayBeEmpty: true),
            "Agent that answers. Empty: the account's default agent, which delegates requests to others."
        )
        package let voice = Setting(
            "datagrid.voice",
            "",
            as: .text(mayBeEmpty: true),
            "Voice preset. Empty: the agent's own."
        )
        package let greeting = Setting(
            "datagrid.greeting",
            "",
            as: .text(mayBeEmpty: true),
            "What the agent says when a conversation begins. Empty: nothing."
        )
        package let instructionsFile = Setting(
            "datagrid.instructions_file",
            "",
            as: .file,
            "File with text to add to the agent's instructions. Empty: none."
        )
        package let caFile = Setting(
            "datagrid.ca_file",
            "",
            as: .file,
            "CA certificates to trust instead of the system's, in PEM. Empty: the system's."
        )
        package let connectTimeoutS = Setting(
            "datagrid.connect_timeout_s",
            10,
            1...120,
            "Seconds to wait for the connection, and again for the session to start."
        )
        package let rememberMin = Setting(
            "datagrid.remember_min",
            10,
            0...1440,
            "Minutes after a conversation within which the next one continues it. 0: each starts anew, except after a "
                + "lost connection."
        )
    }
}
