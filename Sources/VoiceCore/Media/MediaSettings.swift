package import VoiceConfiguration

/// What the media player runs on.
package struct MediaSettings: Sendable, Equatable {
    package var isEnabled = true
    /// Name or absolute path of ffmpeg.
    package var decoder = "ffmpeg"
    package var policy = MediaPolicy()
    package var machine = MediaMachine.Options()
    /// So long without sound, and a stream is given up.
    package var patience = Duration.seconds(20)
    /// Whether the two channels of a card have a loudspeaker each.
    package var isStereo = true
    /// Linear, while the voice and while the user speaks.
    package var ducked: Double = 0.6
    package var duckedForUser: Double = 0.25
    package var release = Duration.milliseconds(300)
    /// Percent.
    package var maximumVolume = 100
    package var stationsFile = ""
    /// PEM file with the certificates to trust instead of the system's.
    package var caFile: String?
    /// Whether ends and failures are told to the model, and whether a session is opened for it.
    package var tells = true
    package var opensSession = false

    package init() {}

    package init(_ media: Configuration.Media) {
        isEnabled = media.enabled
        decoder = media.decoder
        policy = MediaPolicy(hosts: media.allowHosts, folders: media.folders)
        machine.interludeEvery = media.interludeEvery
        patience = .seconds(media.stallS)
        isStereo = media.stereo
        ducked = media.duckedLevel
        duckedForUser = media.duckedLevelUser
        release = .milliseconds(media.releaseMS)
        maximumVolume = media.maximumVolume
        stationsFile = media.stationsFile
        caFile = media.caFile.isEmpty ? nil : media.caFile
        tells = media.tell != .never
        opensSession = media.tell == .always
    }
}
