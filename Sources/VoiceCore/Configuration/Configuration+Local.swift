extension Configuration {
    /// The local voice service: speech servers in the house.
    package struct Local: ConfigurationSection {
        package static let name = "local"
        package static let documentation =
            "The voice that stays in the house: Wyoming servers recognise and speak, and Jarvis answers without a model between."
        package static let keys = Keys()

        package var changes: [String: ConfigurationValue] = [:]

        package init() {}
    }
}

extension Configuration.Local {
    package struct Keys: Sendable {
        package let recogniser = Setting(
            "local.recogniser",
            "127.0.0.1:10300",
            "Wyoming server that recognises speech (wyoming-faster-whisper), host:port. What is said to the box goes there in "
                + "the open."
        )
        package let speaker = Setting(
            "local.speaker",
            "",
            as: .text(mayBeEmpty: true),
            "Wyoming server that speaks (wyoming-piper), host:port; with it the box also speaks where else it has tones. Empty: "
                + "espeak-ng speaks."
        )
        package let voice = Setting(
            "local.voice",
            "",
            as: .text(mayBeEmpty: true),
            "Voice of that server. Empty: its own; one that it has not it may try to download."
        )
        package let language = Setting(
            "local.language",
            "en",
            "Language that is recognised. The orders that the box knows by itself are English."
        )
        package let allowPublic = Setting(
            "local.allow_public",
            false,
            "Speaks to servers with any address. Without it only with those of the own network: Wyoming knows no encryption."
        )
        package let hangoverMS = Setting(
            "local.hangover_ms",
            650,
            400...1500,
            multipleOf: 10,
            "Silence that ends a turn at first, in milliseconds; it follows the talker."
        )
    }
}
