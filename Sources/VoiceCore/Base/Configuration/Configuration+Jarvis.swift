extension Configuration {
    /// The agent that answers the questions.
    package struct Jarvis: ConfigurationSection {
        package static let name = "jarvis"
        package static let documentation = "The agent that answers (term-llm serve)."
        package static let keys = Keys()

        package var changes: [String: ConfigurationValue] = [:]

        // Not in the file.

        /// responses: the client reconnects after this long without any data. The server sends something every ten seconds.
        package var silenceS = 30

        package init() {}
    }
}

extension Configuration.Jarvis {
    package struct Keys: Sendable {
        package let url = Setting(
            "jarvis.url",
            "http://127.0.0.1:8080/ui",
            as: .url(schemes: ["http", "https"], takesQuery: false),
            "Address of the agent, with its base path (\"/ui\" by default)."
        )
        package let api = Setting(
            "jarvis.api",
            API.chat,
            "chat: one request, one reply. responses: runs that survive a lost connection and may ask back. "
                + "openai: any compatible endpoint, without sessions. home-assistant: the Assist pipeline preferred there."
        )
        package let model = Setting(
            "jarvis.model", "", as: .text(mayBeEmpty: true),
            "Model to request with jarvis.api = \"openai\". Empty: the server's default."
        )
        package let tokenFile = Setting(
            "jarvis.token_file", "", as: .file, isLive: true,
            "File with the token. Empty: the systemd credential \"jarvis-token\", else $JARVIS_TOKEN."
        )
        package let allowPlainHTTP = Setting(
            "jarvis.allow_plain_http",
            false,
            "Sends the token over http:// beyond your own network. Anyone on the way can read it."
        )
        package let timeoutS = Setting(
            "jarvis.timeout_s", 120, 1...1800,
            "Seconds to wait for an answer. Agents with tools may need more than a minute."
        )
        package let stillWorkingS = Setting(
            "jarvis.still_working_s", 10, 0...600,
            "Seconds until the voice says, once, that Jarvis is still working; 0 for never."
        )
        package let approval = Setting(
            "jarvis.approval", Approval.aloud,
            "Asks aloud for the agent's permissions, or denies them. Only the protocol responses has any."
        )
        package let typedApproval = Setting(
            "jarvis.typed_approval",
            false,
            "Lets anyone who may use the control socket give a permission in writing, with ctl ask. "
                + "Otherwise it takes a voice, or root."
        )
        package let humanTimeoutS = Setting(
            "jarvis.human_timeout_s", 60, 10...600, "Seconds to answer the agent's questions. Silence means no."
        )
        package let caFile = Setting(
            "jarvis.ca_file", "", as: .file,
            "CA certificates to trust instead of the system's, in PEM. Empty: the system's."
        )
        package let clientCertificateFile = Setting(
            "jarvis.client_certificate_file", "", as: .file,
            "Client certificate for the server, with its private key, in PEM. Empty: none."
        )
        package let maximumSpokenWords = Setting(
            "jarvis.maximum_spoken_words", 150, 20...2000,
            "Words of an answer that are spoken before the rest is offered."
        )
        package let endConversation = Setting(
            "jarvis.end_conversation",
            EndConversation.auto,
            "Lets a goodbye close the session. auto: in wake and push mode. In always mode, only a button "
                + "or a command reopens it."
        )
        package let preamble = Setting(
            "jarvis.preamble",
            Preamble.auto,
            "Tells the agent once per conversation that its reply is heard, not read, and what can be "
                + "played here. auto: unless the agent confirms that it has the prompt of "
                + "docs/examples/agent-prompt.txt."
        )
    }

    package enum Preamble: String, CaseIterable, Sendable {
        /// Unless the agent declares that it has the voice prompt.
        case auto
        case always
        case off
    }

    package enum EndConversation: String, CaseIterable, Sendable {
        /// If something can open the next conversation: in wake and push mode.
        case auto
        case on
        case off
    }

    package enum API: String, CaseIterable, Sendable {
        case chat
        case responses
        case openai
        case homeAssistant = "home-assistant"

        /// Whether the agent is a term-llm: its server shows the state of a session, takes remarks, and asks back.
        package var isTermLLM: Bool { self == .chat || self == .responses }
    }

    package enum Approval: String, CaseIterable, Sendable {
        case aloud
        case deny
    }
}
