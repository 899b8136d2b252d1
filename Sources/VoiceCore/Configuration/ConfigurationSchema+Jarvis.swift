extension ConfigurationSchema {
    static let jarvis: [ConfigurationKey] = [
        .url(
            "jarvis.url",
            \.jarvis.url,
            schemes: ["http", "https"],
            takesQuery: false,
            "Address of the agent with its base path (\"/ui\" unless the server was told otherwise)."
        ),
        .choice(
            "jarvis.api",
            \.jarvis.api,
            "How the agent is asked: chat (one request, one reply), responses (runs that outlive a lost connection and may "
                + "ask back), openai (any compatible endpoint, without its sessions)."
        ),
        .text(
            "jarvis.model",
            \.jarvis.model,
            mayBeEmpty: true,
            "Model to name when jarvis.api is openai. Empty: the server's own."
        ),
        .file(
            "jarvis.token_file",
            \.jarvis.tokenFile,
            "File that holds the token. Empty: the systemd credential \"jarvis-token\", else $JARVIS_TOKEN."
        ),
        .flag(
            "jarvis.allow_plain_http",
            \.jarvis.allowPlainHTTP,
            "Sends the token over http:// to any address. Without it only to those of the own network; anybody on the way can "
                + "read it."
        ),
        .integer(
            "jarvis.connect_timeout_s",
            \.jarvis.connectTimeoutS,
            1...60,
            "Seconds to wait for the connection."
        ),
        .integer(
            "jarvis.silence_s",
            \.jarvis.silenceS,
            12...300,
            "responses: seconds without any sign of life after which a connection is given up and made anew. The server "
                + "gives one every ten."
        ),
        .integer(
            "jarvis.timeout_s",
            \.jarvis.timeoutS,
            1...1800,
            "Seconds to wait for an answer. Agents that use tools may need a minute and more."
        ),
        .integer(
            "jarvis.still_working_s",
            \.jarvis.stillWorkingS,
            0...600,
            "Seconds after which the user is told, once, that Jarvis is still at work; 0 never does."
        ),
        .choice(
            "jarvis.new_question",
            \.jarvis.newQuestion,
            "A question that comes while another is at work waits its turn (queue), or takes its place (supersede)."
        ),
        .choice(
            "jarvis.ask_user",
            \.jarvis.askUser,
            "Questions of the agent to the user are read aloud, or dismissed unheard."
        ),
        .choice(
            "jarvis.approval",
            \.jarvis.approval,
            "Permissions the agent wants are asked for aloud, or denied unheard. Chat has none."
        ),
        .integer(
            "jarvis.human_timeout_s",
            \.jarvis.humanTimeoutS,
            10...600,
            "Seconds the user has for such an answer. Silence is a no."
        ),
        .file(
            "jarvis.ca_file",
            \.jarvis.caFile,
            "Certificates to trust instead of the system's, in PEM. Empty: the system's."
        ),
        .file(
            "jarvis.client_certificate_file",
            \.jarvis.clientCertificateFile,
            "Certificate to show to the server, in PEM. Empty: none."
        ),
        .file(
            "jarvis.client_key_file",
            \.jarvis.clientKeyFile,
            "Its key, in PEM. Empty: it stands in the same file."
        ),
        .integer(
            "jarvis.maximum_spoken_words",
            \.jarvis.maximumSpokenWords,
            20...2000,
            "Words of an answer that are spoken before the rest is offered."
        ),
        .integer(
            "jarvis.idle_renewal_min",
            \.jarvis.idleRenewalMin,
            0...10_080,
            "Minutes without a question after which a fresh conversation begins; 0 never does."
        ),
        .choice(
            "jarvis.end_conversation",
            \.jarvis.endConversation,
            "Lets a goodbye close the session. auto: in wake and push mode; in always mode nothing opens it again but a "
                + "button or a command."
        ),
        .choice(
            "jarvis.preamble",
            \.jarvis.preamble,
            "Tells the agent with the first question of each conversation that it is heard, not read, and what can be played "
                + "here. auto: unless it was given the prompt of docs/examples/agent-prompt.txt and says so."
        ),
        .text(
            "jarvis.title",
            \.jarvis.title,
            mayBeEmpty: true,
            "Name of this box, under which the agent lists its conversations. Empty: the machine's."
        ),
        .flag(
            "jarvis.announce_jobs",
            \.jarvis.announceJobs,
            "Tells of background jobs of the agent that have ended, in the next quiet moment of a conversation. Needs "
                + "\"term-llm serve api jobs\"."
        ),
    ]
}
