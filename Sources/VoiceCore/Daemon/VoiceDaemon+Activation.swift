internal import Logging
internal import Synchronization
package import VoiceActivation
internal import VoiceAudio
internal import VoiceBase
internal import VoiceConfiguration
package import VoiceConversation
internal import VoiceMedia

/// When conversations begin and end: for signals, buttons and the control socket.
extension VoiceDaemon {
    /// The settings with the state saved before the start: mute, and the mode set by hand.
    static func restored(
        _ settings: DaemonSettings,
        logger: Logger,
        files: FileReader = .system
    ) -> DaemonSettings {
        guard let directory = settings.volumes.stateDirectory else { return settings }
        let saved = ActivationStore.load(directory: directory, logger: logger, files: files)
        var settings = settings
        let configured = settings.activation.machine.mode
        let mode = saved.effectiveMode(configured: configured, hearsWords: settings.activation.hearsCalls)
        settings.activation.machine.isMuted = saved.isMuted
        guard let hand = saved.mode, hand.configured == configured else { return settings }
        if hand.set != mode {
            logger.error(
                "no wake words are recognised, so the mode set by hand is replaced: the doctor says why",
                metadata: ["from": .public(hand.set.rawValue), "mode": .public(mode.rawValue)]
            )
        }
        settings.activation.machine.handMode = hand.set
        guard mode != configured else { return settings }
        if mode == .always, let refusal = settings.refusalOfAlways(limitsDay: settings.limitsDay) {
            logger.warning("the mode set by hand is not restored", metadata: ["reason": .public(refusal)])
            settings.activation.machine.handMode = nil
            return settings
        }
        settings.activation.machine.mode = mode
        settings.conversation.isAlwaysOpen = mode == .always
        let tools = advertised(
            settings.jarvis,
            mode: mode,
            playsMedia: settings.media.isEnabled,
            logger: logger
        ).map(\.definition)
        settings.service.tools = tools
        for index in settings.substitutes.indices { settings.substitutes[index].tools = tools }
        logger.info("activation mode restored as it was set by hand", metadata: ["mode": .public(mode.rawValue)])
        return settings
    }

    /// - Parameter configured: the mode in the configuration, regardless of what was saved.
    static func activation(
        _ settings: ActivationSettings,
        _ parts: ActivationController.Parts,
        inbox: ActivationInbox,
        listener: WakeWordListener?,
        hook: StateHook,
        store: ActivationStore?,
        configured: ActivationMode
    ) -> ActivationController {
        var parts = parts
        parts.changed = { hook.show($0) }
        if let store {
            parts.remember = { isMuted, mode in
                let mode = mode.map { SavedActivation.Mode(set: $0, configured: configured) }
                store.remember(SavedActivation(isMuted: isMuted, mode: mode))
            }
        }
        if let listener { parts.listen = { listener.listen($0) } }
        return ActivationController(parts, options: settings.machine, voiceGate: settings.voiceGate, inbox: inbox)
    }

    /// Runs activation and everything around it until cancelled: wake words, buttons, lights, quiet hours.
    func runActivation(_ settings: ActivationSettings) async {
        let (hook, listener, activation) = (hook, listener, activation)
        let reader = ButtonReader(path: settings.buttons, logger: logger) { [weak self] in self?.press($0) }
        let buttons = settings.buttons.isEmpty ? nil : reader
        await withTaskCancellationHandler {
            await withDiscardingTaskGroup { group in
                group.addTask { await activation.run() }
                group.addTask { await hook.run() }
                if let listener { group.addTask { await listener.run() } }
                if let buttons { group.addTask { await buttons.run() } }
                if let hours = settings.quietHours {
                    group.addTask { await Self.keepQuiet(hours, activation.inbox) }
                }
            }
        } onCancel: {
            listener?.stop()
            buttons?.stop()
            hook.finish()
            activation.inbox.close()
        }
    }

    /// Reports when quiet hours begin and end; in between, a command may override them.
    private static func keepQuiet(_ hours: QuietHours, _ inbox: ActivationInbox) async {
        var isQuiet = false
        repeat {
            let now = ClockInstant.awake()
            // Without a clock, it is no time of the day.
            guard now.isPlausible else { continue }
            let minute = ((now.wall + now.offset) / 60 % 1440 + 1440) % 1440
            if hours.contains(minute: minute) != isQuiet {
                isQuiet.toggle()
                inbox.post(.quiet(isQuiet))
            }
        } while (try? await Task.sleep(for: .seconds(15))) != nil
    }

    /// Performs the action of a button.
    nonisolated func press(_ button: Button) {
        switch button {
        case .call: activate(.button)
        case .stop: stopTalking()
        case .mute: activation.inbox.post(.toggleMute)
        case .playPause:
            Task { [media] in if await !media.playPause() { activate(.button) } }
        case .next: Task { [media] in await media.skip() }
        case .previous: Task { [media] in await media.previous() }
        case .louder, .quieter:
            Task { [volumeController] in
                let step = button == .louder ? 5 : -5
                await volumeController.set(.master, percent: await volumeController.volumes[.master] + step)
            }
        }
    }

    /// The wake word listener; nil if no words are to be recognised.
    static func wakeWordListener(
        _ settings: ActivationSettings,
        ports: AudioPorts,
        inbox: ActivationInbox,
        events: DaemonEvents,
        logger: Logger
    ) -> WakeWordListener? {
        guard let rule = settings.rule, let make = settings.makeDetector else { return nil }
        let misses = Mutex(NearMissPace())
        return WakeWordListener(
            tap: ports.words,
            gauges: ports.gauges,
            rings: { ports.earcons.rings },
            rule: rule,
            logger: logger,
            make: make,
            report: { report in
                switch report.verdict {
                case .call(let word):
                    events.note { $0.heard(word, report, isCall: true, at: $1) }
                    var metadata: Logger.Metadata = ["word": "\(word)"]
                    if let score = report.score { metadata["score"] = .public(score.asScore) }
                    if let level = report.evidence?.level { metadata["level_dbfs"] = .public(Int(level.rounded())) }
                    logger.info("wake word detected", metadata: metadata)
                    inbox.post(.activate(.word(word)))
                case .stop(let word):
                    logger.info("stop word detected", metadata: ["word": "\(word)"])
                    inbox.post(.stop(isSpoken: true))
                case .refused(let word, let reason) where reason.isOfStop:
                    // A talk near the box has one every few seconds.
                    guard let count = misses.withLock({ $0.count(word, at: Monotonic.now()) }) else { break }
                    var metadata: Logger.Metadata = ["word": "\(word)", "why": .public(reason.text)]
                    if count > 1 { metadata["times"] = .public(count) }
                    logger.info("stop word refused", metadata: metadata)
                case .refused(let word, let reason):
                    var metadata: Logger.Metadata = ["word": "\(word)", "why": .public(reason.text)]
                    if let score = report.score { metadata["score"] = .public(score.asScore) }
                    logger.info("wake word refused", metadata: metadata)
                case .nearMiss(let word, let score):
                    events.note { $0.heard(word, report, isCall: false, at: $1) }
                    let count = misses.withLock { $0.count(word, at: Monotonic.now()) }
                    guard let count else { break }
                    var metadata: Logger.Metadata = ["word": "\(word)", "score": .public(score.asScore)]
                    if count > 1 { metadata["times"] = .public(count) }
                    logger.info("wake word below threshold", metadata: metadata)
                case .speaksOn: inbox.post(.speaksOn)
                case .nothing: break
                }
            }
        )
    }

    /// Opens a conversation, or interrupts the box while it speaks.
    package nonisolated func activate(_ trigger: ActivationTrigger = .command) {
        activation.inbox.post(.activate(trigger))
    }

    /// Silences the box and withdraws all requests; if nothing was being said, ends a conversation opened by a call.
    package nonisolated func stopTalking() {
        activation.inbox.post(.stop(isSpoken: false))
    }

    /// The same; also ends media. Returns once nothing of it sounds.
    /// - Returns: false if the sound has not ended within a second.
    package nonisolated func stopAll() async -> Bool { await isSilent(after: activation.inbox.post(.stopAll)) }

    /// Silences the box and withdraws all requests; the conversation and media go on. Returns once nothing of it sounds.
    /// - Returns: false if the sound has not ended within a second.
    package nonisolated func silence() async -> Bool { await isSilent(after: activation.inbox.post(.silence)) }

    /// Without a running audio thread nothing sounds.
    private nonisolated func isSilent(after order: SilenceOrders.Order?) async -> Bool {
        for _ in 0..<200 {
            guard let order, ports.gauges.state == .running, !ports.silence.isObeyed(order) else { return true }
            try? await Task.sleep(for: .milliseconds(5))
        }
        return false
    }

    /// Replaces an open conversation by another one, in a session without memory.
    package nonisolated func resetConversation() {
        activation.inbox.post(.reset)
    }

    /// The same; the agent also begins a fresh conversation, and an earlier failure is forgotten.
    package nonisolated func startFresh() {
        activation.inbox.post(.startFresh)
    }

    /// Has the voice say a text: that of an open conversation, otherwise the local voice if there is one. Does nothing in
    /// quiet hours.
    package nonisolated func say(_ text: String) {
        activation.inbox.post(.say(text))
    }

    package nonisolated func endConversation() {
        activation.inbox.post(.end)
    }

    /// Changes the mode, and waits until it is on disk.
    package nonisolated func setActivationMode(_ mode: ActivationMode) async -> Setting {
        await set(.setMode(mode))
    }

    /// Begins or ends quiet hours, until the clock next changes them.
    package nonisolated func setQuiet(_ isQuiet: Bool) {
        activation.inbox.post(.quiet(isQuiet))
    }

    /// Mutes the microphone and closes the capture device, or undoes both, and waits until that is on disk. Once muting
    /// has taken effect, no more microphone audio is sent; the device is closed shortly after.
    package nonisolated func setMicrophoneMuted(_ isMuted: Bool) async -> Setting {
        await set(.mute(isMuted))
    }

    /// What became of a setting that is remembered.
    package enum Setting: Sendable {
        case saved
        /// It is in effect, but not on disk, or not within two seconds.
        case unsaved
        /// It did not take effect within two seconds.
        case stuck
    }

    private nonisolated func set(_ event: ActivationEvent) async -> Setting {
        guard await activation.inbox.handle(event, within: .seconds(2)) else { return .stuck }
        // Whoever is told so may cut the power next.
        return await store?.isSaved(within: .seconds(2)) ?? true ? .saved : .unsaved
    }

    /// Adds a typed question to the conversation, and opens one if none is open.
    package nonisolated func ask(_ question: TypedQuestion) {
        activation.inbox.post(.ask(question))
    }

    package var activationStatus: ActivationStatus {
        get async { await activation.status }
    }
}

extension ActivationInbox {
    /// Returns an observer that also informs activation about the conversation.
    package func watching(_ observer: ConversationSession.Observer) -> ConversationSession.Observer {
        .init(
            effect: { effect, instant in
                observer.effect(effect, instant)
                switch effect {
                case .stateChanged(_, let state): self.post(.conversation(state))
                case .note(.budgetSpent): self.post(.refused)
                default: break
                }
            },
            call: observer.call,
            event: { event in
                observer.event(event)
                switch event {
                case .service(.userStarted(_, let start)): self.post(.turnBegan(milliseconds: start))
                case .service(.userStopped(let end, _)): self.post(.turnEnded(milliseconds: end))
                default: break
                }
            },
            transcript: observer.transcript
        )
    }
}
