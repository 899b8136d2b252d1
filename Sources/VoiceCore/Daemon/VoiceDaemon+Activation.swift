internal import Logging
internal import Synchronization
package import VoiceActivation
internal import VoiceAudio
internal import VoiceBase
internal import VoiceConfiguration
internal import VoiceConversation
internal import VoiceMedia

/// When conversations begin and end, for signals, buttons and the control socket.
extension VoiceDaemon {
    /// The settings with what is remembered from before the start: mute, and the mode that was set by hand.
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
        guard let hand = saved.mode, hand.configured == configured, hand.set == mode else { return settings }
        settings.activation.machine.handMode = mode
        guard mode != configured else { return settings }
        if mode == .always, let refusal = settings.refusalOfAlways(limitsDay: settings.limitsDay) {
            logger.warning("the mode set by hand is not restored", metadata: ["reason": "\(refusal)"])
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
        logger.info("activation mode, as it was set by hand", metadata: ["mode": "\(mode.rawValue)"])
        return settings
    }

    /// - Parameter configured: the mode that the configuration says, whatever is remembered.
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

    /// Runs what surrounds activation until cancelled: words, buttons, lights, quiet hours.
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

    /// Tells when quiet hours begin and end; between the two a command may say otherwise.
    private static func keepQuiet(_ hours: QuietHours, _ inbox: ActivationInbox) async {
        var isQuiet = false
        repeat {
            let now = ClockInstant.awake()
            let minute = ((now.wall + now.offset) / 60 % 1440 + 1440) % 1440
            if hours.contains(minute: minute) != isQuiet {
                isQuiet.toggle()
                inbox.post(.quiet(isQuiet))
            }
        } while (try? await Task.sleep(for: .seconds(15))) != nil
    }

    /// What a button does.
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

    /// What listens for words; nil where nothing is to be recognised.
    static func wakeWordListener(
        _ settings: ActivationSettings,
        ports: AudioPorts,
        inbox: ActivationInbox,
        logger: Logger
    ) -> WakeWordListener? {
        guard let rule = settings.rule, let make = settings.makeDetector else { return nil }
        let misses = Mutex(NearMissPace())
        return WakeWordListener(
            tap: ports.words,
            echo: ports.echo,
            rule: rule,
            logger: logger,
            look: settings.secondLook,
            make: make,
            makeSecondModels: settings.makeSecondModels,
            report: { report in
                switch report.verdict {
                case .call(let word):
                    var metadata: Logger.Metadata = ["word": "\(word)"]
                    if let score = report.score { metadata["score"] = "\(score.asScore)" }
                    if let level = report.evidence?.level { metadata["level_dbfs"] = "\(Int(level.rounded()))" }
                    logger.info("wake word detected", metadata: metadata)
                    inbox.post(.activate(.word(word)))
                case .stop(let word):
                    logger.info("stop word detected", metadata: ["word": "\(word)"])
                    inbox.post(.stop(isSpoken: true))
                case .refused(let word, let reason):
                    var metadata: Logger.Metadata = ["word": "\(word)", "why": "\(reason.text)"]
                    if let score = report.score { metadata["score"] = "\(score.asScore)" }
                    logger.info("wake word refused", metadata: metadata)
                case .nearMiss(let word, let score):
                    let count = misses.withLock { $0.take(word, at: Monotonic.now()) }
                    guard let count else { break }
                    var metadata: Logger.Metadata = ["word": "\(word)", "score": "\(score.asScore)"]
                    if count > 1 { metadata["times"] = "\(count)" }
                    logger.info("wake word below threshold", metadata: metadata)
                case .nothing: break
                }
            }
        )
    }

    /// Calls: opens a conversation, or takes the word from the box while it speaks.
    package nonisolated func activate(_ trigger: ActivationTrigger = .command) {
        activation.inbox.post(.activate(trigger))
    }

    /// "Stop": silence, and nothing of what was asked goes on; where nothing was being said, ends a conversation that was
    /// called for.
    package nonisolated func stopTalking() {
        activation.inbox.post(.stop(isSpoken: false))
    }

    /// The same, and media ends.
    package nonisolated func stopAll() {
        activation.inbox.post(.stopAll)
    }

    /// Silence, and nothing of what was asked goes on; the conversation and media do.
    package nonisolated func silence() {
        activation.inbox.post(.silence)
    }

    /// An open conversation ends, and another begins in its place, in a session that remembers nothing.
    package nonisolated func resetConversation() {
        activation.inbox.post(.reset)
    }

    /// The same, and the agent too begins a fresh conversation; what is known of a failure counts no more.
    package nonisolated func startFresh() {
        activation.inbox.post(.startFresh)
    }

    /// Has the voice say a text in an open conversation; in quiet hours, nothing.
    package nonisolated func say(_ text: String) {
        activation.inbox.post(.say(text))
    }

    /// Ends the conversation.
    package nonisolated func endConversation() {
        activation.inbox.post(.end)
    }

    package nonisolated func setActivationMode(_ mode: ActivationMode) {
        activation.inbox.post(.setMode(mode))
    }

    /// Begins or ends quiet hours; the clock has its say again at its next change.
    package nonisolated func setQuiet(_ isQuiet: Bool) {
        activation.inbox.post(.quiet(isQuiet))
    }

    /// Silences the microphone and closes the capture device, or opens both again. Once it returns true nothing of a
    /// microphone that was muted is sent any more; the device follows.
    ///
    /// - Returns: false where nothing came of it within two seconds.
    package nonisolated func setMicrophoneMuted(_ isMuted: Bool) async -> Bool {
        await activation.inbox.handle(.mute(isMuted), within: .seconds(2))
    }

    /// Puts a typed question to the conversation, and opens one where none is open.
    package nonisolated func ask(_ text: String) {
        activation.inbox.post(.ask(text))
    }

    package var activationStatus: ActivationStatus {
        get async { await activation.status }
    }
}

extension ActivationInbox {
    /// An observer that also tells activation what it has to know of the conversation.
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
                case .service(.userStopped(let end)): self.post(.turnEnded(milliseconds: end))
                default: break
                }
            }
        )
    }
}
