package import VoiceAudio

extension VoiceDaemon {
    /// The volumes as they are.
    package var volumes: Volumes {
        get async { await volumeKeeper.volumes }
    }

    /// Sets a volume in percent, held within 0 ... 100; heard within 20 ms, remembered across restarts.
    package func setVolume(_ channel: VolumeChannel, percent: Int) async {
        await volumeKeeper.set(channel, percent: percent)
    }

    /// Silences the loudspeaker, or lets it sound again at the volumes of before.
    package func setMuted(_ muted: Bool) async {
        await volumeKeeper.setMuted(muted)
    }

    /// Changes the microphone's gain until the next start, in dB, -20 ... 30.
    package nonisolated func setCaptureGain(decibels: Double) {
        pipes.volumes.setCaptureGain(decibels: decibels)
    }
}
