package import VoiceConfiguration

package struct MediaSettings: Sendable, Equatable {
    package var isEnabled: Bool
    /// Name or absolute path of ffmpeg.
    package var decoder: String
    package var policy: MediaPolicy
    package var machine = MediaMachine.Options()
    /// Time without sound after which a stream is given up.
    package var patience: Duration
    /// Whether each of the card's two channels has its own loudspeaker.
    package var isStereo: Bool
    /// Linear level of media while the voice speaks, and while the user speaks.
    package var ducked: Double
    package var duckedForUser: Double
    package var release: Duration
    /// Percent.
    package var maximumVolume: Int
    package var stationsFile: String
    /// PEM file with the certificates to trust instead of the system's.
    package var caFile: String?
    /// Whether ends and failures are reported to the model, and whether a session is opened to do so.
    package var reports: Bool
    package var opensSession: Bool

    package init(_ media: Configuration.Media = .init()) {
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
        reports = media.tell != .never
        opensSession = media.tell == .always
    }
}
