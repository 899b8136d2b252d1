package import Logging
package import VoiceActivation
internal import VoiceAgent
package import VoiceAudio
internal import VoiceBase
internal import VoiceBudget
package import VoiceConfiguration
package import VoiceConversation
internal import VoiceHousehold
internal import VoiceMedia
internal import VoiceNetwork

/// The assembled daemon: sound card, network, conversation, agent.
///
///     AudioThread <-AudioPorts-> VoicePump, ServiceLink (network thread) <--> ConversationSession --> tools --> agent
///
/// `start` starts the parts in the order of their dependencies; `stop` stops them in reverse.
package actor VoiceDaemon {
    package nonisolated let ports = AudioPorts()
    /// Events for observers.
    package nonisolated let events: DaemonEvents
    let started = Monotonic.now()
    let settings: DaemonSettings
    let logger: Logger
    let network = NetworkThread()
    nonisolated let mailbox = EventMailbox()
    /// Records how much microphone audio has left the machine.
    let session: ConversationSession
    /// Moves audio between card and socket; exposed for measurements.
    package nonisolated let pump: NetworkConfined<VoicePump>
    private var running: Task<Void, Never>?
    let sound: AudioSupervisor
    let volumeController: VolumeController
    private var isStopping = false
    nonisolated let activation: ActivationController
    nonisolated let listener: WakeWordListener?
    nonisolated let hook: StateHook
    nonisolated let store: ActivationStore?
    private let timerStore: TimerStore?
    nonisolated let timers: TimerController
    /// Announcements that the user has not heard yet.
    nonisolated let house: InboxController
    private var minding: Task<Void, Never>?
    private var activating: Task<Void, Never>?
    private var watchingClock: Task<Void, Never>?

    let client: JarvisClient
    nonisolated let player: MediaPlayer?
    /// Speaks for the daemon while no session does; nil if there is no local voice.
    nonisolated let announcer: LocalAnnouncer?

    /// The tools as offered to the model, without an agent behind them.
    package static func advertised(
        _ jarvis: Configuration.Jarvis = .init(),
        mode: ActivationMode = .always,
        playsMedia: Bool = false,
        logger: Logger
    ) -> [Tool] {
        ToolRegistry.standard(ToolContext(logger: logger), options: .init(jarvis, mode: mode, playsMedia: playsMedia))
            .tools
    }

    package init(
        _ settings: DaemonSettings,
        logger: Logger,
        events: DaemonEvents = DaemonEvents(),
        observer: ConversationSession.Observer = .init()
    ) {
        self.events = events
        let configuredMode = settings.activation.machine.mode
        let settings = Self.restored(settings, logger: logger)
        self.settings = settings
        self.logger = logger
        let network = network
        let mailbox = mailbox
        let sent = SentAudio()
        let volumeController = VolumeController(settings: settings.volumes, controls: ports.volumes, logger: logger)
        self.volumeController = volumeController
        let inbox = ActivationInbox(silence: ports.silence)
        let player = Self.mediaPlayer(
            settings,
            ports: ports,
            network: network,
            volumes: volumeController,
            mailbox: mailbox,
            inbox: inbox,
            logger: logger
        )
        self.player = player
        let client = JarvisClient(
            base: settings.jarvisBase,
            token: settings.jarvisToken,
            settings: settings.jarvis,
            transport: network,
            store: settings.volumes.stateDirectory.map { .folder($0, logger: logger) } ?? .none,
            onNews: { Self.report($0, player, mailbox) },
            logger: logger
        )
        self.client = client
        // Fulfilled later: the announcer needs the pump, which is created after the timers.
        let speaking = Promise<LocalAnnouncer?>()
        let speak: @Sendable (String) -> Void = { speaking.value??.say($0) }
        let house = Self.house(
            mailbox: mailbox,
            earcons: ports.earcons,
            speak: settings.announcer == nil ? nil : speak,
            logger: logger
        )
        self.house = house
        let timerStore = settings.volumes.stateDirectory.map { TimerStore(directory: $0, logger: logger) }
        self.timerStore = timerStore
        let timers = Self.timers(
            bell: ports.earcons,
            inbox: inbox,
            store: timerStore,
            house: house,
            events: events,
            say: settings.announcer == nil ? nil : speak,
            logger: logger
        )
        self.timers = timers
        var context = ToolContext(client, settings.jarvis, logger: logger)
        context.timers = timers
        context.endConversation = { mailbox.post(.endWhenQuiet) }
        context.attach(player)
        context.box = Self.box(volumeController, inbox: inbox)
        var offered = ToolRegistry.Options(
            settings.jarvis,
            mode: settings.activation.machine.mode,
            playsMedia: player != nil
        )
        offered.hasGrammar = settings.hasGrammar
        let dispatcher = ToolDispatcher(
            .standard(context, options: offered),
            noticeAfter: settings.jarvis.stillWorkingS > 0 ? .seconds(settings.jarvis.stillWorkingS) : nil,
            logger: logger
        )
        var loudspeaker: DeviceSlot?
        if case .alsa = settings.audio.source { loudspeaker = ports.playback }
        let pump = NetworkConfined(
            VoicePump(
                microphone: ports.microphone,
                voice: ports.voice,
                volumes: ports.volumes,
                loudspeaker: loudspeaker,
                options: settings.pump,
                sent: sent
            ) { event, instant in
                mailbox.post(event, at: instant)
            },
            on: network
        )
        self.pump = pump
        let earcons = ports.earcons
        let announcer = settings.announcer.map {
            LocalAnnouncer(
                $0,
                on: network,
                pump: pump,
                speaks: { inbox.post(.announcing($0)) },
                failed: { earcons.play(.error) },
                logger: logger
            )
        }
        self.announcer = announcer
        speaking.give(announcer)
        session = ConversationSession(
            .init(
                network: network,
                pump: pump,
                earcons: ports.earcons,
                mailbox: mailbox,
                dispatcher: dispatcher,
                service: settings.service,
                substitutes: settings.substitutes,
                budget: Self.budget(settings, sent: sent, logger: logger),
                withdraw: { _ = await client.cancelRequest() },
                greeting: { await client.greeting() },
                logger: logger
            ),
            options: settings.conversation,
            transcripts: settings.transcripts,
            observer: inbox.watching(Self.observer(observer, events: events)).ducking(ports.media, ports.echo)
                .minding(house, ports.earcons).announcing(announcer, ports.earcons)
        )
        let sound = AudioSupervisor(
            configuration: settings.audio,
            ports: ports,
            stateDirectory: settings.volumes.stateDirectory,
            logger: logger
        )
        self.sound = sound
        let listener = Self.wakeWordListener(
            settings.activation,
            ports: ports,
            inbox: inbox,
            events: events,
            logger: logger
        )
        self.listener = listener
        let hook = StateHook(command: settings.activation.stateCommand, logger: logger)
        self.hook = hook
        var parts = ActivationController.Parts(mailbox: mailbox, pump: pump, earcons: ports.earcons, logger: logger)
        parts.silenceMicrophone = { sound.silenceMicrophone() }
        parts.capture = { await sound.setCapture(open: $0) }
        parts.mayRestLoudspeaker = { sound.mayRestLoudspeaker($0) }
        let session = session
        parts.startFresh = {
            await session.forgetTrouble()
            await client.startFresh()
        }
        let quietVolume = settings.activation.quietVolume
        parts.quiet = {
            await volumeController.setCeiling($0 ? quietVolume : Volumes.range.upperBound)
            await house.setQuietHours($0)
        }
        parts.stopRinging = { _ = await timers.stop() }
        if let announcer { parts.announce = { announcer.say($0) } }
        parts.pauseMedia = { _ = await player?.pause() }
        parts.endMedia = { _ = await player?.stop(after: nil) }
        let store = settings.volumes.stateDirectory.map { ActivationStore(directory: $0, logger: logger) }
        self.store = store
        activation = Self.activation(
            settings.activation,
            parts,
            inbox: inbox,
            listener: listener,
            hook: hook,
            store: store,
            configured: configuredMode
        )
    }

    package var state: ConversationState {
        get async { await session.state }
    }

    /// Whether the current service, or else the local voice, can say given words.
    package var saysGivenWords: Bool {
        get async {
            let capabilities = await session.present.capabilities
            return announcer != nil || capabilities.takesText && capabilities.saysExactly
        }
    }

    /// Whether announcements can be said: by a model, in given words, or by the local voice.
    package var saysAnnouncements: Bool {
        get async {
            let takesText = await session.present.capabilities.takesText
            return takesText || announcer != nil
        }
    }

    package var status: DaemonStatus {
        get async {
            DaemonStatus(
                ports.gauges,
                echo: ports.echo,
                microphone: ports.capture,
                loudspeaker: ports.playback,
                conversation: await session.state,
                spending: await session.spending
            )
        }
    }

    /// Logs the status in one line.
    package func logStatus() async {
        let status = await status
        logger.info("status", metadata: .event(.status, status.metadata))
    }

    /// Opens the devices, starts the network and begins to listen. A missing device is opened when it appears.
    package func start() async throws {
        for notice in settings.notices { logger.warning("\(private: notice)") }
        await volumeController.start()
        await player?.start()
        // A muted box must not open its microphone, not even for a moment.
        if settings.activation.machine.isMuted { await sound.setCapture(open: false) }
        try await sound.start()
        try network.start()
        let pump = pump
        network.add { pump.onThread.tick() }
        let session = session
        running = Task { await session.run() }
        watchingClock = Task { await watchClock() }
        let client = client
        Task { await client.checkAtStart() }
        activating = Task { await runActivation(settings.activation) }
        activation.inbox.post(.start)
        let house = house
        minding = Task { await house.run() }
        await timers.start(
            settings.volumes.stateDirectory.map { TimerStore.load(directory: $0, logger: logger) } ?? SavedTimers()
        )
    }

    /// Waits until the daemon ends, once started.
    /// - Throws: if a part that cannot be restarted has ended unexpectedly.
    package func ended() async throws {
        await network.ended()
        if !isStopping { throw DaemonFailure.networkThreadEnded }
    }

    /// Posts an event from outside the conversation, such as a command.
    package nonisolated func post(_ event: ConversationEvent) {
        mailbox.post(event)
    }

    /// Withdraws the agent's requests, closes the session with code 1000, lets the card play out, and ends every
    /// thread, within two seconds. The network ends once the agent has confirmed or its second has passed.
    package func stop() async {
        isStopping = true
        logger.info("stopping", metadata: .event(.stopping))
        async let left: Void = client.leave()
        await timers.end()
        minding?.cancel()
        activating?.cancel()
        watchingClock?.cancel()
        mailbox.post(.deactivate)
        mailbox.close()
        await running?.value
        await player?.stop()
        await left
        announcer?.stop()
        await network.stop(within: .milliseconds(800))
        await sound.stop()
        await activating?.value
        await store?.flush()
        await timerStore?.flush()
        await volumeController.stop()
        logger.info("stopped", metadata: .event(.stopped, sound.counters))
    }
}

/// Why the daemon cannot continue.
package enum DaemonFailure: Error, CustomStringConvertible {
    case networkThreadEnded

    package var description: String { "the network thread has ended; restart the daemon" }
}
