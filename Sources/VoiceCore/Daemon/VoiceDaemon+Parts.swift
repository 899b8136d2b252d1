internal import Logging
internal import VoiceActivation
internal import VoiceAgent
internal import VoiceAudio
internal import VoiceBudget
internal import VoiceConversation
package import VoiceMedia
internal import VoiceNetwork

extension VoiceDaemon {
    /// The budget, including what was spent before a restart.
    static func budget(_ settings: DaemonSettings, sent: SentAudio, logger: Logger) -> BudgetTracker {
        guard let directory = settings.volumes.stateDirectory else { return BudgetTracker(settings.budget, sent: sent) }
        return BudgetTracker(
            settings.budget,
            sent: sent,
            restored: BudgetStore.load(directory: directory, logger: logger),
            store: BudgetStore(directory: directory, logger: logger)
        )
    }

    /// The media player; nil if media is disabled.
    static func mediaPlayer(
        _ settings: DaemonSettings,
        ports: AudioPorts,
        network: NetworkThread,
        volumes: VolumeController,
        mailbox: EventMailbox,
        inbox: ActivationInbox,
        logger: Logger
    ) -> MediaPlayer? {
        guard settings.media.isEnabled else { return nil }
        let media = settings.media
        return MediaPlayer(
            settings: media,
            feed: ports.media,
            loudspeaker: ports.playback,
            network: network,
            volumes: volumes,
            stateDirectory: settings.volumes.stateDirectory,
            logger: logger,
            plays: { inbox.post(.media($0)) },
            report: { news in
                guard let remark = news.remark else { return }
                mailbox.post(.mediaReported(remark, opens: media.opensSession && remark.wish != nil))
            }
        )
    }

    /// Forwards news from the agent's client to the conversation; media named in an answer is stored first.
    static func report(_ news: JarvisClient.News, _ player: MediaPlayer?, _ mailbox: EventMailbox) {
        guard case .answered(let answer, let query) = news, !answer.media.isEmpty, let player else {
            return mailbox.post(ConversationEvent(news))
        }
        Task { mailbox.post(ConversationEvent(.answered(await answer.named(to: player), query: query))) }
    }

    /// Controls of the media player for buttons, scripts and the control socket; they do nothing if there is no player.
    package nonisolated var media: any MediaControls { player ?? NoMedia() }
}

extension JarvisAnswer {
    /// The same answer, with handles to the media it names for the speaking model.
    func named(to player: MediaPlayer) async -> Self {
        guard !media.isEmpty else { return self }
        var answer = self
        answer.offer = await player.keep(media, leftOut: leftOut)
        return answer
    }
}

extension ToolContext {
    /// Lets tools play media: media named in answers is stored under handles, and questions about media are sent to the
    /// agent together with what is playing and what was played.
    mutating func attach(_ player: MediaPlayer?) {
        guard let player else { return }
        media = player
        keepMedia = { await $0.named(to: player) }
        mediaContext = { await player.context() }
    }
}
