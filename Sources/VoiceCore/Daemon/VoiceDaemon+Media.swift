internal import Logging

extension VoiceDaemon {
    /// The media player; nil where the configuration wants none.
    static func mediaPlayer(
        _ settings: DaemonSettings,
        pipes: AudioPipes,
        network: NetworkThread,
        volumes: VolumeKeeper,
        mailbox: EventMailbox,
        inbox: ActivationInbox,
        logger: Logger
    ) -> MediaPlayer? {
        guard settings.media.isEnabled else { return nil }
        let media = settings.media
        return MediaPlayer(
            settings: media,
            pipes: pipes,
            network: network,
            volumes: volumes,
            stateDirectory: settings.volumes.stateDirectory,
            logger: logger,
            plays: { inbox.post(.media($0)) },
            tell: { news in
                guard media.tells, let text = news.text else { return }
                mailbox.post(.mediaTold(text, opens: media.opensSession))
            }
        )
    }

    /// What buttons, scripts and the control socket may do with the media player; does nothing where there is none.
    package nonisolated var media: any MediaControls { player ?? NoMedia() }
}

extension ToolContext {
    /// Lets tools play media, and tells the agent with every question what plays and what was played.
    mutating func attach(_ player: MediaPlayer?) {
        guard let player else { return }
        media = player
        let ask = ask
        self.ask = { query in
            guard let context = await player.context() else { return await ask(query) }
            return await ask("\(query)\n\n[From the media player of the box, not said by the user: \(context).]")
        }
    }
}
