extension Configuration {
    /// Music, radio and podcasts.
    package struct Media: ConfigurationSection {
        package static let name = "media"
        package static let documentation = "Music, radio and podcasts, played through the same loudspeaker."
        package static let keys = Keys()

        package var changes: [String: ConfigurationValue] = [:]

        package init() {}
    }
}

extension Configuration.Media {
    package struct Keys: Sendable {
        package let enabled = Setting("media.enabled", true, "Enables media; needs ffmpeg.")
        package let stereo = Setting(
            "media.stereo", true, "Plays in stereo if the card has two channels; false for a box with one loudspeaker."
        )
        package let duckedLevel = Setting(
            "media.ducked_level", 0.6, 0...1, "Level of media while the voice speaks: 1 for unchanged, 0 for silent."
        )
        package let duckedLevelUser = Setting(
            "media.ducked_level_user", 0.25, 0...1, "Level of media while the user speaks."
        )
        package let maximumVolume = Setting(
            "media.maximum_volume", 100, 1...100, "Maximum media volume that can be set by voice, in percent."
        )
        package let stallS = Setting(
            "media.stall_s", 20, 1...300,
            "Seconds without audio until a stream is given up, or reconnected if it is live."
        )
        package let allowHosts = Setting(
            "media.allow_hosts", "", as: .hosts,
            "Hosts in private networks to play from, separated by blanks: \"nas.lan 192.168.1.5:8000\"."
        )
        package let folders = Setting(
            "media.folders", "", as: .text(mayBeEmpty: true),
            "Folders to play files from, separated by colons. Empty: none."
        )
        package let inputs = Setting(
            "media.inputs",
            "",
            as: .text(mayBeEmpty: true),
            "Other programs to play from, separated by blanks: FIFOs, \"Snapcast=/run/snapcast/pipe:48000\" (44100 frames a "
                + "second unless a rate follows), or ALSA devices, \"Snapcast=hw:Loopback,1\"."
        )
        package let caFile = Setting(
            "media.ca_file", "", as: .file,
            "CA certificates to trust instead of the system's, in PEM. Empty: the system's."
        )
        package let stationsFile = Setting(
            "media.stations_file", "/etc/jarvis-voiced/stations.toml", as: .file,
            "File with the names and addresses of radio stations."
        )
        package let interludeEvery = Setting(
            "media.interlude_every",
            0,
            0...100,
            "Radio mode: after this many items the model may say a sentence, and a session is opened for it "
                + "when the queue has ended; 0 for never."
        )
    }
}
