internal import Logging
internal import Synchronization
internal import VoiceActivation
internal import VoiceAgent
internal import VoiceAudio
internal import VoiceBase
internal import VoiceConversation
internal import VoiceMedia
internal import VoiceNetwork
internal import VoiceSession

/// The means to build all parts of a daemon. `VoiceDaemon.init` builds them in the order of their dependencies.
struct Composition {
    let settings: DaemonSettings
    /// The mode in the configuration, regardless of what was saved.
    let configuredMode: ActivationMode
    let ports: AudioPorts
    let network: NetworkThread
    let mailbox: EventMailbox
    let events: DaemonEvents
    let logger: Logger
    let sent = SentAudio()

    private var state: String? { settings.volumes.stateDirectory }

    /// Moves audio between card and socket.
    func pump() -> NetworkConfined<VoicePump> {
        var loudspeaker: DeviceSlot?
        if case .alsa = settings.audio.source { loudspeaker = ports.playback }
        let pump = VoicePump(
            microphone: ports.microphone,
            voice: ports.voice,
            volumes: ports.volumes,
            loudspeaker: loudspeaker,
            options: settings.pump,
            sent: sent
        ) { [mailbox] event, instant in
            mailbox.post(event, at: instant)
        }
        return NetworkConfined(pump, on: network)
    }

    /// - Parameter voice: nil for no announcer.
    func announcer(_ voice: LocalSettings?, _ pump: NetworkConfined<VoicePump>) -> LocalAnnouncer? {
        voice.map { [mailbox, earcons = ports.earcons] in
            LocalAnnouncer(
                $0,
                on: network,
                pump: pump,
                speaks: { mailbox.post(activation: .announcing($0)) },
                failed: { earcons.play(.error) },
                logger: logger
            )
        }
    }

    /// nil if media is disabled.
    func player(_ volumes: VolumeController) -> MediaPlayer? {
        guard settings.media.isEnabled else { return nil }
        let (media, mailbox) = (settings.media, mailbox)
        return MediaPlayer(
            settings: media,
            feed: ports.media,
            loudspeaker: ports.playback,
            network: network,
            volumes: volumes,
            stateDirectory: state,
            logger: logger,
            plays: { mailbox.post(activation: .media($0)) },
            report: { news in
                guard let remark = news.remark else { return }
                mailbox.post(.mediaReported(remark, opens: media.opensSession && remark.wish != nil))
            }
        )
    }

    /// The names of the assistants by their wake words.
    private var names: [String: String] {
        Dictionary(settings.assistants.map { ($0.assistant.word, $0.assistant.name) }) { first, _ in first }
    }

    /// The clients of the agents.
    func agents(_ player: MediaPlayer?) -> Agents {
        let all = settings.agents
        let names = names
        var assistants: [String: Agents.Assistant] = [:]
        for (number, agent) in all.enumerated() {
            for word in agent.words { assistants[word] = .init(name: names[word] ?? word, client: number) }
        }
        let clients = all.enumerated().map { client(of: $1, number: $0, player) }
        return Agents(clients[0], Array(clients.dropFirst()), assistants: assistants)
    }

    /// - Parameter number: of the client among all.
    private func client(of agent: AgentSettings, number: Int, _ player: MediaPlayer?) -> JarvisClient {
        var logger = logger
        if agent.name.table != nil { logger[metadataKey: "assistant"] = "\(agent.name.name)" }
        return JarvisClient(
            base: agent.base,
            token: agent.token,
            settings: agent.settings,
            name: agent.name,
            boxName: settings.name,
            sessionName: agent.session,
            firstPrompt: number * Agents.promptRange,
            transport: network,
            store: state.map { .folder($0, name: agent.file, logger: logger) } ?? .none,
            onNews: { [mailbox] in Self.report($0, of: number, player, mailbox) },
            logger: logger
        )
    }

    /// Forwards news from the agent's client to the conversation; media named in an answer is stored first.
    private static func report(
        _ news: JarvisClient.News,
        of agent: Int,
        _ player: MediaPlayer?,
        _ mailbox: EventMailbox
    ) {
        guard case .answered(let answer, let query) = news, !answer.media.isEmpty, let player else {
            return mailbox.post(ConversationEvent(news, agent: agent))
        }
        Task {
            mailbox.post(ConversationEvent(.answered(await answer.named(to: player), query: query), agent: agent))
        }
    }

    /// - Parameter say: speaks with the local voice; nil without one.
    func timers(
        _ writer: StateWriter?,
        house: InboxController,
        say: (@Sendable (String) -> Void)?
    ) -> TimerController {
        let (bell, mailbox, events, logger) = (ports.earcons, mailbox, events, logger)
        var parts = TimerController.Parts()
        parts.ring = { rings in
            bell.rings = rings
            mailbox.post(activation: .rings(rings))
        }
        if let writer { parts.remember = { writer.remember($0.text) } }
        parts.tell = { news in
            let metadata = Logger.Metadata.event(.timer, ["number": .public(news.number)])
            switch news.kind {
            case .rings: logger.info("a timer rings", metadata: metadata)
            case .missed: logger.notice("a timer was missed: the machine was off when it was due", metadata: metadata)
            case .unheard: logger.notice("a timer rang until it stopped by itself", metadata: metadata)
            }
            events.post(
                DaemonEvent(
                    .timer,
                    [
                        "number": .integer(news.number), "kind": .string(news.what.rawValue),
                        "news": .string(news.kind.rawValue),
                    ]
                )
            )
            let isReminder = news.kind == .rings && news.what == .reminder
            if let say, news.kind == .rings { return say(isReminder ? news.reminder : "The \(news.title) is due.") }
            guard let sentence = isReminder ? news.reminder : news.sentence else { return }
            Task {
                do {
                    try await house.announce(Announcement(sentence, priority: isReminder ? .high : .low))
                } catch {
                    // No voice can speak before the next conversation.
                    if isReminder { _ = try? await house.announce(Announcement(sentence, priority: .normal)) }
                }
            }
        }
        return TimerController(parts, boot: VoiceDaemon.boot())
    }

    /// - Parameter speak: speaks with the local voice; nil without one.
    func house(_ speak: (@Sendable (String) -> Void)?) -> InboxController {
        let (mailbox, earcons) = (mailbox, ports.earcons)
        var parts = InboxController.Parts(logger: logger)
        parts.speak = speak
        // Delivered like news of the agent: as the output of a call, which is data. Quiet hours are handled by the
        // inbox.
        parts.tell = { mailbox.post(.agentReported(ToolResult(.answer($0.forModel)), aloud: HouseWords($0))) }
        parts.chime = { earcons.play(.notice) }
        return InboxController(parts)
    }

    /// nil if no words are to be recognised.
    func listener(_ choice: WakeWordChoice) -> WakeWordListener? {
        let names = names
        let (assist, settings) = (settings.assist, settings.activation)
        let (ports, mailbox, events, logger) = (ports, mailbox, events, logger)
        guard let rule = settings.rule, let make = settings.makeDetector else { return nil }
        let misses = Mutex<[String: LossMeter]>([:])
        return WakeWordListener(
            tap: ports.words,
            gauges: ports.gauges,
            rings: { ports.earcons.rings },
            rule: rule,
            logger: logger,
            make: make,
            report: { report in
                switch report.verdict {
                case .call(let word) where !choice.calls(word): break
                case .call(let word):
                    events.note { $0.heard(word, report, isCall: true, at: $1) }
                    var metadata: Logger.Metadata = ["word": "\(word)"]
                    if let name = names[Configuration.Word.plain(word)] { metadata["assistant"] = "\(name)" }
                    if let score = report.score { metadata["score"] = .public(score.asScore) }
                    if let level = report.evidence?.level { metadata["level_dbfs"] = .public(Int(level.rounded())) }
                    logger.info("wake word detected", metadata: metadata)
                    assist.called(word)
                    mailbox.post(activation: .activate(.word(word)))
                case .stop(let word):
                    logger.info("stop word detected", metadata: ["word": "\(word)"])
                    mailbox.post(activation: .stop(isSpoken: true))
                case .refused(let word, let reason) where reason.isOfStop:
                    // A talk near the box has one every few seconds.
                    guard let count = misses.withLock({ Self.missed(word, &$0) }) else { break }
                    var metadata: Logger.Metadata = ["word": "\(word)", "why": .public(reason.text)]
                    if count > 1 { metadata["times"] = .public(count) }
                    logger.info("stop word refused", metadata: metadata)
                case .refused(let word, let reason):
                    var metadata: Logger.Metadata = ["word": "\(word)", "why": .public(reason.text)]
                    if let score = report.score { metadata["score"] = .public(score.asScore) }
                    logger.info("wake word refused", metadata: metadata)
                case .nearMiss(let word, let score):
                    events.note { $0.heard(word, report, isCall: false, at: $1) }
                    guard let count = misses.withLock({ Self.missed(word, &$0) }) else { break }
                    var metadata: Logger.Metadata = ["word": "\(word)", "score": .public(score.asScore)]
                    if count > 1 { metadata["times"] = .public(count) }
                    if let sensitivity = report.sensitivity { metadata["heard_at"] = .public(sensitivity.rawValue) }
                    logger.info("wake word below threshold", metadata: metadata)
                case .speaksOn: mailbox.post(activation: .speaksOn)
                case .nothing: break
                }
            }
        )
    }

    /// Limits the log lines about near misses: one per word in ten seconds.
    ///
    /// - Returns: the number of near misses since the last one logged, including this one; nil if this one is not to be
    ///   logged.
    private static func missed(_ word: String, _ misses: inout [String: LossMeter]) -> Int? {
        // Bounds the memory: a server may report any number of names.
        if misses.count > 100, misses[word] == nil { misses = [:] }
        let now = Monotonic.now()
        misses[word, default: LossMeter()].add(1, at: now)
        return misses[word]?.dequeue(at: now, isOver: true)
    }

    /// The parts that the tools act on.
    func context(
        _ agents: Agents,
        timers: TimerController,
        player: MediaPlayer?,
        volumes: VolumeController
    ) -> ToolContext {
        var context = ToolContext(agents, settings.jarvis, logger: logger)
        context.timers = timers
        // The mode may have changed since the tool was offered.
        let alwaysToo = settings.jarvis.endConversation == .on
        context.endConversation = { [mailbox] in mailbox.post(.endWhenQuiet(alwaysToo: alwaysToo)) }
        context.attach(player)
        context.box = box(volumes)
        return context
    }

    /// The controls of the box for the local grammar.
    private func box(_ volumes: VolumeController) -> BoxControls {
        var box = BoxControls()
        box.changeVolume = { change in
            let percent = change(await volumes.volumes[.master])
            await volumes.set(.master, percent: percent)
            return percent
        }
        box.stop = { [mailbox] in mailbox.post(activation: .stop(isSpoken: false)) }
        box.mute = { [mailbox] in mailbox.post(activation: .mute(true)) }
        return box
    }

    func dispatcher(_ context: ToolContext) -> ToolDispatcher {
        var offered = ToolRegistry.Options(
            settings.jarvis, mode: settings.activation.machine.mode, playsMedia: settings.media.isEnabled
        )
        offered.hasGrammar = settings.hasGrammar
        return ToolDispatcher(
            .standard(context, options: offered),
            noticeAfter: settings.jarvis.stillWorkingS > 0 ? .seconds(settings.jarvis.stillWorkingS) : nil,
            logger: logger
        )
    }

    /// The budget, including what was spent before a restart.
    func budget() -> BudgetTracker {
        guard let state else { return BudgetTracker(settings.budget, sent: sent) }
        return BudgetTracker(
            settings.budget, sent: sent, restored: BudgetStore.load(directory: state, logger: logger),
            store: BudgetStore(directory: state, logger: logger)
        )
    }

    /// The parts that the activation acts on.
    func activation(
        sound: AudioSupervisor,
        volumes: VolumeController,
        house: InboxController,
        timers: TimerController,
        agents: Agents,
        player: MediaPlayer?,
        announcer: LocalAnnouncer?,
        listener: WakeWordListener?,
        hook: StateHook,
        store: ActivationStore?
    ) -> ActivationParts {
        let (settings, configured) = (settings.activation, configuredMode)
        var parts = ActivationParts(settings.machine)
        parts.voiceGate = settings.voiceGate
        parts.silenceMicrophone = { sound.silenceMicrophone() }
        parts.capture = { await sound.setCapture(open: $0) }
        parts.mayRestLoudspeaker = { sound.mayRestLoudspeaker($0) }
        parts.startFresh = { await agents.present.startFresh() }
        parts.quiet = {
            await volumes.setCeiling($0 ? settings.quietVolume : Volumes.range.upperBound)
            await house.setQuietHours($0)
        }
        parts.stopRinging = { _ = await timers.stop() }
        if let announcer { parts.announce = { announcer.say($0) } }
        parts.pauseMedia = { _ = await player?.perform(.pause) }
        parts.endMedia = { _ = await player?.perform(.stop) }
        if let listener { parts.listen = { listener.listen($0) } }
        parts.changed = { hook.show($0) }
        if let store {
            parts.remember = { isMuted, mode in
                let mode = mode.map { SavedActivation.Mode(set: $0, configured: configured) }
                store.remember(SavedActivation(isMuted: isMuted, mode: mode))
            }
        }
        return parts
    }

    func session(
        _ agents: Agents,
        _ context: ToolContext,
        _ pump: NetworkConfined<VoicePump>,
        _ activation: ActivationParts,
        _ observers: [ConversationSession.Observer]
    ) -> ConversationSession {
        var parts = ConversationSession.Parts(
            network: network,
            pump: pump,
            earcons: ports.earcons,
            mailbox: mailbox,
            dispatcher: dispatcher(context),
            service: settings.service,
            substitutes: settings.substitutes,
            budget: budget(),
            withdraw: { await agents.cancelRequests() },
            greeting: { await agents.present.greeting() },
            logger: logger
        )
        parts.useAgent = { agents.use($0) }
        for one in settings.assistants {
            let (word, name) = (one.assistant.word, one.assistant.name)
            parts.assistants[word] = AssistantVoice(word: word, name: name, services: one.services)
        }
        return ConversationSession(
            parts, options: settings.conversation, activation: activation, transcripts: settings.transcripts,
            observers: observers
        )
    }
}
