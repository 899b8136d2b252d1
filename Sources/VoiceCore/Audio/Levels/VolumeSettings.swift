package import VoiceConfiguration

/// Initial volumes and the mixers, devices and directory they apply to.
package struct VolumeSettings: Sendable, Equatable {
    /// Volumes of the configuration.
    package var configured: Volumes
    /// `audio.mixer` and `audio.capture_mixer`; if empty, the card's mixer is left alone.
    package var mixer: String
    package var captureMixer: String
    /// Volume of the capture element in percent.
    package var captureVolume: Int
    /// ALSA names of the devices, for elements that name no card.
    package var playbackDevice: String
    package var captureDevice: String
    /// Directory that holds the remembered volumes; nil to forget them.
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

    /// A malformed mixer name, if any. Whether the mixer exists shows at the start only.
    package var problem: (key: String, message: String)? {
        for (key, text, device) in [
            ("audio.mixer", mixer, playbackDevice), ("audio.capture_mixer", captureMixer, captureDevice),
        ] where !text.isEmpty {
            do { _ = try MixerPlace(text, device: device) } catch { return (key, "\(error)") }
        }
        return nil
    }
}
