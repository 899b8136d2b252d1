internal import Logging
internal import VoiceAgent
package import VoiceAudio
package import VoiceBase
package import VoiceConfiguration
internal import VoiceConversation
internal import VoiceNetwork

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

    /// Brings into force what can be without a restart, and says in the log what cannot.
    ///
    /// - Parameters:
    ///   - configuration: what is in force from now on: the one before with the live keys of the new one.
    ///   - settings: made of the new configuration; that it could be made proves the configuration.
    ///   - threshold: the level of the log.
    package func reload(
        _ change: ConfigurationChange,
        to configuration: Configuration,
        settings: DaemonSettings,
        threshold: LogThreshold
    ) async {
        threshold.level = configuration.log.level
        await volumeController.reconfigure(VolumeSettings(configuration.audio).configured)
        if change.inForce.contains("audio.capture_gain_db") {
            await volumeController.setCaptureGain(decibels: configuration.audio.captureGainDB)
        }
        if change.inForce.contains("log.transcripts") { await session.setTranscripts(configuration.log.transcripts) }
        if change.inForce.contains(where: { $0.hasPrefix("budget.") }) { await session.useBudget(settings.budget) }
        if change.inForce.contains("agent token") { client.useToken(settings.jarvisToken) }
        if change.inForce.contains("API key") { await useKeys(of: settings) }
        let changed = change.inForce.isEmpty ? "nothing" : change.inForce.joined(separator: ", ")
        let restart = change.afterRestart.isEmpty ? "nothing" : change.afterRestart.joined(separator: ", ")
        logger.log(
            level: change.afterRestart.isEmpty ? .notice : .warning,
            change.afterRestart.isEmpty
                ? "the configuration was read again" : "the configuration was read again; some of it needs a restart",
            metadata: .event(.reloaded, ["changed": "\(changed)", "restart": "\(restart)"])
        )
    }

    /// The key for connections from now on; a service that refused the one before is asked again at once.
    private func useKeys(of settings: DaemonSettings) async {
        await session.useKeys(of: [settings.service] + settings.substitutes)
        guard case .error = await session.state else { return }
        resetConversation()
    }
}
