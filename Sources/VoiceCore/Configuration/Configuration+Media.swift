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
        package let enabled = Setting("media.enabled", true, "Whether the box plays media at all; needs ffmpeg.")
        package let decoder = Setting("media.decoder", "ffmpeg", "Name or absolute path of ffmpeg.")
        package let stereo = Setting(
            "media.stereo",
            true,
            "Whether media is played in stereo by a card that has two channels; false for a box with one loudspeaker."
        )
        package let duckedLevel = Setting(
            "media.ducked_level",
            0.6,
            0...1,
            "How loud media stays while the voice speaks: 1 as before, 0 silent."
        )
        package let duckedLevelUser = Setting("media.ducked_level_user", 0.25, 0...1, "The same while the user speaks.")
        package let releaseMS = Setting("media.release_ms", 300, 50...5000, "Milliseconds in which media comes back.")
        package let maximumVolume = Setting(
            "media.maximum_volume",
            100,
            1...100,
            "Loudest media volume that may be asked for by voice, in percent."
        )
        package let stallS = Setting(
            "media.stall_s",
            20,
            1...300,
            "Seconds without sound after which a stream is given up and, if it is live, connected again."
        )
        package let allowHosts = Setting(
            "media.allow_hosts",
            "",
            as: .text(mayBeEmpty: true),
            "Hosts in private networks that media may come from, separated by blanks: \"nas.lan 192.168.1.5:8000\"."
        )
        package let folders = Setting(
            "media.folders",
            "",
            as: .text(mayBeEmpty: true),
            "Folders whose files may be played, separated by colons. Empty: none."
        )
        package let caFile = Setting(
            "media.ca_file",
            "",
            as: .file,
            "Certificates to trust instead of the system's, in PEM, for a server of your own. Empty: the system's."
        )
        package let stationsFile = Setting(
            "media.stations_file",
            "/etc/jarvis-voiced/stations.toml",
            as: .file,
            "File with the addresses of radio stations by name."
        )
        package let tell = Setting(
            "media.tell",
            Tell.session,
            "When the model learns that an item failed or that the queue is over, so that it can say so or go on: never, "
                + "in an open session only (session), or by opening a session (always)."
        )
        package let interludeEvery = Setting(
            "media.interlude_every",
            0,
            0...100,
            "Radio mode: after so many items the model may say a sentence between two; 0 for never."
        )
    }

    /// When the model is notified that an item failed or that the queue has ended.
    package enum Tell: String, Sendable, CaseIterable {
        case never
        /// Only in an open session.
        case session
        /// Always; a session is opened for it if none is open.
        case always
    }
}
