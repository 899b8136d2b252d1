package import VoiceBase

extension Configuration {
    /// Hero365 streaming: a voice agent.
    package struct Hero365: ConfigurationSection {
        package static let name = "hero365"
        package static let documentation =
            "Hero365 streaming (service.use = [\"hero365\"]). An agent hosted by Hero365 answers with its own tools; "
            + "Jarvis is not asked."
        package static let keys = Keys()
        package static let retired = [
            "hero365.connect_timeout_s": Retirement.isFixed,
            "hero365.rate": Retirement.isFixed,
            "hero365.packet_ms": Retirement.isFixed,
            "hero365.bitrate": Retirement.isFixed,
            "hero365.dtx": Retirement.isFixed,
            "hero365.frames": Retirement.isFixed,
            "hero365.hangover_ms": Retirement.isFixed,
            "hero365.jitter_ms": Retirement.isFixed,
            "hero365.rotation_margin_s": Retirement.isFixed,
            "hero365.allow_plain_http": Retirement.useWSS, "hero365.ca_file": Retirement.addCertificate,
        ]

        package var changes: [String: ConfigurationValue] = [:]

        // Not in the file.

        /// For the connection.
        package let connectTimeoutS = 10
        /// Rate of the microphone's audio, in Hz.
        package let rate = 16_000
        /// Audio per message: the service is documented to accept 1000 messages a minute.
        package let packetMS = 60
        /// Bit rate of Opus, in bits per second.
        package let bitrate = 24_000
        /// Sends silence as packets of one or two bytes (Opus DTX).
        package let dtx = true
        /// Type of outgoing frames; both are accepted.
        package var frames = Frames.text
        /// Silence that ends a turn; turns of one or two words get 200 ms more.
        package var hangoverMS = 600
        /// A missing packet is waited for this long.
        package let jitterMS = 120
        /// The next session is opened this long before the end of one.
        package let rotationMarginS = 25

        package init() {}
    }

    package var hero365: Hero365 {
        get { services[Hero365.self] }
        set { services[Hero365.self] = newValue }
    }
}

extension Configuration.Hero365 {
    /// Encoding of the microphone audio.
    package enum Codec: String, CaseIterable, Sendable {
        case opus
        /// Signed 16-bit samples, little endian.
        case pcm16
    }

    /// When microphone audio is sent.
    package enum Uplink: String, CaseIterable, Sendable {
        /// Only speech, with the audio just before it.
        case gated
        /// Everything, while the service listens.
        case continuous
    }

    /// The type of WebSocket frame that messages are sent in.
    package enum Frames: String, CaseIterable, Sendable {
        case text, binary
    }

    package struct Keys: Sendable {
        package let url = Setting(
            "hero365.url",
            "",
            as: .text(mayBeEmpty: true),
            "Address with the business: wss://HOST/voice/stream/ws/BUSINESS; plain ws:// only for a server "
                + "in your own network."
        )
        package let apiKeyFile = Setting(
            "hero365.api_key_file", "", as: .file, isLive: true,
            "File with the token. Empty: the systemd credential \"hero365-api-key\", else $HERO365_API_KEY."
        )
        package let codec = Setting(
            "hero365.codec", Codec.opus, "Codec for audio sent to the service; that of its answers is detected."
        )
        package let uplink = Setting(
            "hero365.uplink",
            Uplink.gated,
            "gated: sends speech, with the moment before it. continuous: sends everything while the service "
                + "listens."
        )
    }
}
