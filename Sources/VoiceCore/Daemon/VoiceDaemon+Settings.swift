internal import Logging
internal import VoiceActivation
internal import VoiceAgent
internal import VoiceAudio
package import VoiceBase
internal import VoiceConversation
internal import VoiceNetwork
internal import VoiceSession

extension VoiceDaemon {
    /// Applies the changes that need no restart, and logs those that do.
    ///
    /// - Parameters:
    ///   - configuration: the configuration now in force: the old one with the live keys of the new one.
    ///   - settings: made from the new configuration, which validates it.
    ///   - threshold: the log level.
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
        if change.inForce.contains("agent token") { useTokens(of: settings) }
        if change.inForce.contains("API key") { await useKeys(of: settings) }
        let changed = change.inForce.isEmpty ? "nothing" : change.inForce.joined(separator: ", ")
        let restart = change.afterRestart.isEmpty ? "nothing" : change.afterRestart.joined(separator: ", ")
        logger.log(
            level: change.afterRestart.isEmpty ? .notice : .warning,
            change.afterRestart.isEmpty
                ? "configuration reloaded" : "configuration reloaded; some changes need a restart",
            metadata: .event(.reloaded, ["changed": "\(changed)", "restart": "\(restart)"])
        )
    }

    /// Uses the tokens for new requests.
    private func useTokens(of settings: DaemonSettings) {
        for (client, agent) in zip(agents.all, self.settings.agents) {
            if let new = settings.renewed(agent) { client.useToken(new.token) }
        }
    }

    /// Uses the keys for new connections; a service that refused the previous key is asked again immediately.
    private func useKeys(of settings: DaemonSettings) async {
        await session.useKeys(of: [settings.service] + settings.substitutes)
        guard case .error = await session.state else { return }
        mailbox.post(activation: .reset)
    }
}
