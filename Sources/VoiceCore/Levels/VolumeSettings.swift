/// What the volumes start from and where they go.
package struct VolumeSettings: Sendable, Equatable {
    /// What the configuration says.
    package var configured = Volumes()
    /// `audio.mixer` and `audio.capture_mixer`; empty: the card's mixer is left alone.
    package var mixer = ""
    package var captureMixer = ""
    /// Percent for the capture element.
    package var captureVolume = 100
    /// ALSA names of the devices, for elements that name no card.
    package var playbackDevice = "default"
    package var captureDevice = "default"
    /// Where volumes are remembered; nil: nowhere.
    package var stateDirectory: String?

    package init() {}

    package init(_ audio: Configuration.Audio) {
        configured = Volumes(
            master: audio.masterVolume,
            voice: audio.voiceVolume,
            media: audio.mediaVolume,
            earcons: audio.earconVolume
        )
        mixer = audio.mixer
        captureMixer = audio.captureMixer
        captureVolume = audio.captureVolume
        playbackDevice = audio.output
        captureDevice = audio.input
    }
}
