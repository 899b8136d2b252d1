package import Logging
package import VoiceActivation
internal import VoiceAgent
package import VoiceAudio
package import VoiceBase
package import VoiceConversation
internal import VoiceMedia
internal import VoiceNetwork
package import VoiceSession

/// The assembled daemon: sound card, network, conversation, agent.
///
///     AudioThread <-AudioPorts-> VoicePump, ServiceLink (network thread) <--> ConversationSession --> tools --> agent
///
/// `start` starts the parts in the order of their dependencies; `stop` stops them in reverse.
package actor VoiceDaemon {
    package nonisolated let ports = AudioPorts()
    /// Events for observers.
    package nonisolated let events: DaemonEvents
    nonisolated let redactor: SharedRedactor
    /// Clients that read the answers to typed questions.
    nonisolated let readers: AnswerReaders
    let started = Monotonic.now()
    let settings: DaemonSettings
    let logger: Logger
    let network = NetworkThread()
    nonisolated let mailbox: EventMailbox
    let session: ConversationSession
    /// Moves audio between card and socket; exposed for measurements.
    package nonisolated let pump: NetworkConfined<VoicePump>
    private var running: Task<Void, Never>?
    let sound: AudioSupervisor
    let volumeController: VolumeController
    private var isStopping = false
    /// The saved timers and alarms that were lost at the start; nil if none was.
    private(set) var timersLost: String?
    nonisolated let listener: WakeWordListener?
    nonisolated let words: WakeWordChoice
    nonisolated let hook: StateHook
    nonisolated let store: ActivationStore?
    private let timerWriter: StateWriter?
    nonisolated let timers: TimerController
    /// Announcements that the user has not heard yet.
    nonisolated let house: InboxController
    private var minding: Task<Void, Never>?
    private var activating: Task<Void, Never>?
    private var watchingClock: Task<Void, Never>?
    private var watchingHealth: Task<Void, Never>?
    var monitor = HealthMonitor()
    /// Why nothing can be saved.
    var diskProblem: String?

    nonisolated let agents: Agents
    nonisolated let player: MediaPlayer?
    /// Speaks for the daemon while no session does; nil if there is no local voice.
    nonisolated let announcer: LocalAnnouncer?
    /// espeak-ng, for words that a service did not say; nil with a local voice or without espeak-ng.
    private let lastResort: LocalAnnouncer?

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
        redactor: SharedRedactor = SharedRedactor(),
        events: DaemonEvents = DaemonEvents(),
        observer: ConversationSession.Observer = .init()
    ) {
        self.events = events
        self.redactor = redactor
        let readers = AnswerReaders()
        self.readers = readers
        let configuredMode = settings.activation.machine.mode
        let settings = Self.restored(settings, logger: logger)
        self.settings = settings
        self.logger = logger
        mailbox = EventMailbox(silence: ports.silence)
        let parts = Composition(
            settings: settings, configuredMode: configuredMode, ports: ports, network: network, mailbox: mailbox,
            events: events, logger: logger
        )
        pump = parts.pump()
        announcer = parts.announcer(settings.announcer, pump)
        lastResort = parts.announcer(settings.lastResort, pump)
        volumeController = VolumeController(settings: settings.volumes, controls: ports.volumes, logger: logger)
        player = parts.player(volumeController)
        agents = parts.agents(player)
        let speak = announcer.map { announcer in { @Sendable (text: String) in announcer.say(text) } }
        house = parts.house(speak)
        let state = settings.volumes.stateDirectory
        timerWriter = state.map { SavedTimers.writer(directory: $0, logger: logger) }
        timers = parts.timers(timerWriter, house: house, say: speak)
        sound = AudioSupervisor(configuration: settings.audio, ports: ports, stateDirectory: state, logger: logger)
        words = WakeWordChoice(settings.activation.rule?.words, directory: state, logger: logger)
        listener = parts.listener(words)
        hook = StateHook(command: settings.activation.stateCommand, logger: logger)
        store = state.map { ActivationStore(directory: $0, logger: logger) }
        let activation = parts.activation(
            sound: sound, volumes: volumeController, house: house, timers: timers, agents: agents, player: player,
            announcer: announcer, listener: listener, hook: hook, store: store
        )
        var observers: [ConversationSession.Observer] = [
            .minding(house, ports.earcons), .ducking(ports.media, ports.gauges), observer, .publishing(events),
            .init(effect: { effect, _ in readers.see(effect) }),
        ]
        if let voice = announcer ?? lastResort {
            observers.insert(.announcing(voice, ports.earcons, problems: announcer != nil), at: 0)
        }
        let context = parts.context(agents, timers: timers, player: player, volumes: volumeController)
        session = parts.session(agents, context, pump, activation, observers)
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
                ports.gauges, microphone: ports.capture, loudspeaker: ports.playback, conversation: await session.state,
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
        for client in agents.all { Task { await client.checkAtStart() } }
        watchingHealth = Task { await watchHealth() }
        activating = Task { await runActivation(settings.activation) }
        mailbox.post(activation: .start)
        let house = house
        minding = Task { await house.run() }
        let saved =
            settings.volumes.stateDirectory.map { SavedTimers.load(directory: $0, logger: logger) } ?? SavedTimers()
        timersLost = saved.loss
        await timers.start(saved)
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
        async let left: Void = agents.leave()
        await timers.end()
        minding?.cancel()
        activating?.cancel()
        watchingClock?.cancel()
        watchingHealth?.cancel()
        mailbox.post(.deactivate)
        mailbox.close()
        await running?.value
        await player?.stop()
        await left
        (announcer ?? lastResort)?.stop()
        await network.stop(within: .milliseconds(800))
        await sound.stop()
        await activating?.value
        await session.finishChores()
        await store?.flush()
        await timerWriter?.flush()
        await volumeController.stop()
        logger.info("stopped", metadata: .event(.stopped, sound.counters))
    }
}

/// Why the daemon cannot continue.
package enum DaemonFailure: Error, CustomStringConvertible {
    case networkThreadEnded

    package var description: String { "the network thread has ended; restart the daemon" }
}
