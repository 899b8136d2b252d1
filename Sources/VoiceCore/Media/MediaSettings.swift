package import VoiceBase

package struct MediaSettings: Sendable, Equatable {
    package static let program = "ffmpeg"

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
    /// Percent.
    package var maximumVolume: Int
    package var stationsFile: String
    /// PEM file with the certificates to trust instead of the system's.
    package var caFile: String?
    /// Whether a session is opened to report ends and failures to the model.
    package var opensSession: Bool

    package init(_ media: Configuration.Media = .init()) {
        isEnabled = media.enabled
        decoder = Self.program
        policy = MediaPolicy(hosts: media.allowHosts, folders: media.folders)
        policy.inputs = SoundInput.list(media.inputs)
        machine.interludeEvery = media.interludeEvery
        patience = .seconds(media.stallS)
        isStereo = media.stereo
        ducked = media.duckedLevel
        duckedForUser = media.duckedLevelUser
        maximumVolume = media.maximumVolume
        stationsFile = media.stationsFile
        caFile = media.caFile.isEmpty ? nil : media.caFile
        opensSession = media.interludeEvery > 0
    }
}
