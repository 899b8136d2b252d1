extension Configuration {
    /// Hero365 streaming: a voice agent.
    package struct Hero365: ConfigurationSection {
        package static let name = "hero365"
        package static let documentation =
            "Hero365 streaming (service.use = [\"hero365\"]). An agent hosted by Hero365 answers with its own tools; "
            + "Jarvis is not asked."
        package static let keys = Keys()

        package var changes: [String: ConfigurationValue] = [:]

        package init() {}
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
            "Address of the service including the business: wss://HOST/voice/stream/ws/BUSINESS. Use plain ws:// only "
                + "for a server on this machine or in this network."
        )
        package let apiKeyFile = Setting(
            "hero365.api_key_file",
            "",
            as: .file,
            isLive: true,
            "File that holds the token. Empty: the systemd credential \"hero365-api-key\", else $HERO365_API_KEY."
        )
        package let allowPlainHTTP = Setting(
            "hero365.allow_plain_http",
            false,
            "Allows ws:// to any address; otherwise only to addresses in your own network. Anyone on the way can read "
                + "the token and listen."
        )
        package let caFile = Setting(
            "hero365.ca_file",
            "",
            as: .file,
            "CA certificates to trust instead of the system's, in PEM. Empty: the system's."
        )
        package let connectTimeoutS = Setting(
            "hero365.connect_timeout_s",
            10,
            1...120,
            "Seconds to wait for the connection."
        )
        package let codec = Setting(
            "hero365.codec",
            Codec.opus,
            "Codec for audio sent to the service. The codec of its answers is detected."
        )
        package let rate = Setting(
            "hero365.rate",
            16_000,
            oneOf: [8000, 16_000, 24_000],
            "Sample rate of audio sent to the service, in Hz."
        )
        package let packetMS = Setting(
            "hero365.packet_ms",
            60,
            oneOf: [20, 40, 60, 120],
            "Audio per message, in milliseconds. The service is documented to accept 1000 messages a minute, which 20 "
                + "exceeds while someone speaks. If it reports that the rate is exceeded, 120 is used instead of a "
                + "smaller value."
        )
        package let bitrate = Setting(
            "hero365.bitrate",
            24_000,
            8000...64_000,
            "Opus bit rate, in bits per second."
        )
        package let dtx = Setting(
            "hero365.dtx",
            true,
            "Sends silence as packets of one or two bytes (Opus DTX); no packet is left out."
        )
        package let uplink = Setting(
            "hero365.uplink",
            Uplink.gated,
            "What is sent. gated: speech, with the moment before it. continuous: everything while the service listens."
        )
        package let frames = Setting(
            "hero365.frames",
            Frames.text,
            "WebSocket frame type of outgoing JSON. Both types are accepted from the service."
        )
        package let hangoverMS = Setting(
            "hero365.hangover_ms",
            600,
            400...1500,
            multipleOf: 10,
            "Silence that ends a turn, in milliseconds; turns of one or two words get 200 more."
        )
        package let jitterMS = Setting(
            "hero365.jitter_ms",
            120,
            0...1000,
            multipleOf: 10,
            "How long to wait for a missing packet of an answer before concealing the loss, in milliseconds."
        )
        package let rotationMarginS = Setting(
            "hero365.rotation_margin_s",
            25,
            15...60,
            "Seconds before the end of a session (five minutes, unless the service says otherwise) at which the next "
                + "one is opened."
        )
    }
}
