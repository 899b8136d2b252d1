extension Configuration {
    /// The local voice service: speech servers in the house.
    package struct Local: ConfigurationSection {
        package static let name = "local"
        package static let documentation =
            "Local voice: Wyoming servers in the house recognise and speak, and Jarvis answers without another model "
            + "in between."
        package static let keys = Keys()

        package var changes: [String: ConfigurationValue] = [:]

        // Not in the file.

        /// Silence that ends a turn, at first; it adapts to the talker.
        package let hangoverMS = 650

        package init() {}
    }

    package var local: Local {
        get { services[Local.self] }
        set { services[Local.self] = newValue }
    }
}

extension Configuration.Local {
    package struct Keys: Sendable {
        package let recogniser = Setting(
            "local.recogniser", "127.0.0.1:10300",
            "Wyoming server that recognises speech (wyoming-faster-whisper), host:port; unencrypted."
        )
        package let speaker = Setting(
            "local.speaker",
            "",
            as: .text(mayBeEmpty: true),
            "Wyoming server that speaks (wyoming-piper), host:port; it also speaks where the box would "
                + "otherwise play a tone. Empty: espeak-ng speaks."
        )
        package let voice = Setting(
            "local.voice", "", as: .text(mayBeEmpty: true),
            "Voice of the speech server, which may try to download it. Empty: its default."
        )
        package let language = Setting(
            "local.language", "en", "Language to recognise. The built-in commands are English."
        )
        package let allowPublic = Setting(
            "local.allow_public",
            false,
            "Allows Wyoming servers (activation.wyoming_address too) outside your own network, without "
                + "encryption."
        )
    }
}
