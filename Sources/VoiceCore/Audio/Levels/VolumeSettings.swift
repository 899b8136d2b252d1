package import VoiceConfiguration

/// What the volumes start from and where they go.
package struct VolumeSettings: Sendable, Equatable {
    /// What the configuration says.
    package var configured: Volumes
    /// `audio.mixer` and `audio.capture_mixer`; empty: the card's mixer is left alone.
    package var mixer: String
    package var captureMixer: String
    /// Percent for the capture element.
    package var captureVolume: Int
    /// ALSA names of the devices, for elements that name no card.
    package var playbackDevice: String
    package var captureDevice: String
    /// Where volumes are remembered; nil: nowhere.
    package var stateDirectory: String?

    package init(_ audio: Configuration.Audio = .init()) {
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

    /// A mixer that is named in a way that cannot be meant; whether it is there shows at the start.
    package var problem: (key: String, message: String)? {
        for (key, text, device) in [
            ("audio.mixer", mixer, playbackDevice), ("audio.capture_mixer", captureMixer, captureDevice),
        ] where !text.isEmpty {
            do { _ = try MixerPlace(text, device: device) } catch { return (key, "\(error)") }
        }
        return nil
    }
}
