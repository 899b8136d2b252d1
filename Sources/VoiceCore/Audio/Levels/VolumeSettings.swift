package import VoiceBase

/// Initial volumes and the mixers, devices and directory they apply to.
package struct VolumeSettings: Sendable, Equatable {
    /// Volumes of the configuration.
    package var configured: Volumes
    /// `audio.mixer`; if empty, the card's mixer is left alone.
    package var mixer: String
    /// ALSA name of the loudspeaker, for an element that names no card.
    package var playbackDevice: String
    /// Directory that holds the remembered volumes; nil to forget them.
    package var stateDirectory: String?

    package init(_ audio: Configuration.Audio = .init()) {
        configured = Volumes(
            master: audio.masterVolume, voice: audio.voiceVolume, media: audio.mediaVolume,
            inputs: audio.inputsVolume, earcons: audio.earconVolume
        )
        mixer = audio.mixer
        playbackDevice = audio.output
    }

    /// A malformed mixer name, if any. Whether the mixer exists shows at the start only.
    package var problem: (key: String, message: String)? {
        guard !mixer.isEmpty else { return nil }
        do { _ = try MixerPlace(mixer, device: playbackDevice) } catch { return ("audio.mixer", "\(error)") }
        return nil
    }
}
