package import VoiceAudio

extension VoiceDaemon {
    /// The volumes as they are.
    package var volumes: Volumes {
        get async { await volumeController.volumes }
    }

    /// Sets a volume in percent, held within 0 ... 100; heard within 20 ms, remembered across restarts.
    package func setVolume(_ channel: VolumeChannel, percent: Int) async {
        await volumeController.set(channel, percent: percent)
    }

    /// Silences the loudspeaker, or lets it sound again at the volumes of before.
    package func setMuted(_ muted: Bool) async {
        await volumeController.setMuted(muted)
    }
}
