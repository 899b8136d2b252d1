/// `[media]`: music, radio and podcasts.
extension ConfigurationSchema {
    static let media: [ConfigurationKey] = [
        .flag("media.enabled", \.media.enabled, "Whether the box plays media at all; needs ffmpeg."),
        .text("media.decoder", \.media.decoder, "Name or absolute path of ffmpeg."),
        .flag(
            "media.stereo",
            \.media.stereo,
            "Whether media is played in stereo by a card that has two channels; false for a box with one loudspeaker."
        ),
        .number(
            "media.ducked_level",
            \.media.duckedLevel,
            0...1,
            "How loud media stays while the voice speaks: 1 as before, 0 silent."
        ),
        .number("media.ducked_level_user", \.media.duckedLevelUser, 0...1, "The same while the user speaks."),
        .integer("media.release_ms", \.media.releaseMS, 50...5000, "Milliseconds in which media comes back."),
        .integer(
            "media.maximum_volume",
            \.media.maximumVolume,
            1...100,
            "Loudest media volume that may be asked for by voice, in percent."
        ),
        .integer(
            "media.stall_s",
            \.media.stallS,
            1...300,
            "Seconds without sound after which a stream is given up and, if it is live, connected again."
        ),
        .text(
            "media.allow_hosts",
            \.media.allowHosts,
            mayBeEmpty: true,
            "Hosts in private networks that media may come from, separated by blanks: \"nas.lan 192.168.1.5:8000\"."
        ),
        .text(
            "media.folders",
            \.media.folders,
            mayBeEmpty: true,
            "Folders whose files may be played, separated by colons. Empty: none."
        ),
        .file(
            "media.ca_file",
            \.media.caFile,
            "Certificates to trust instead of the system's, in PEM, for a server of your own. Empty: the system's."
        ),
        .file("media.stations_file", \.media.stationsFile, "File with the addresses of radio stations by name."),
        .choice(
            "media.tell",
            \.media.tell,
            "When the model is told that an item failed or that the queue is over, so that it can say so or go on: never, "
                + "in an open session only (session), or by opening a session (always)."
        ),
        .integer(
            "media.interlude_every",
            \.media.interludeEvery,
            0...100,
            "Radio mode: after so many items the model may say a sentence between two; 0 for never."
        ),
    ]
}
