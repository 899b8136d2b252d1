internal import Logging
package import VoiceActivation
internal import VoiceAudio
internal import VoiceBase
internal import VoiceConversation
internal import VoiceMedia
internal import VoiceSession

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
            settings.jarvis, mode: mode, playsMedia: settings.media.isEnabled, logger: logger
        ).map(\.definition)
        settings.service.tools = tools
        for index in settings.substitutes.indices { settings.substitutes[index].tools = tools }
        for one in settings.assistants.indices {
            for index in settings.assistants[one].services.indices {
                settings.assistants[one].services[index].tools = tools
            }
        }
        logger.info("activation mode restored as it was set by hand", metadata: ["mode": .public(mode.rawValue)])
        return settings
    }

    /// Runs wake words, buttons, quiet hours and the lights until cancelled.
    func runActivation(_ settings: ActivationSettings) async {
        let (hook, listener, mailbox) = (hook, listener, mailbox)
        let reader = ButtonReader(path: settings.buttons, logger: logger) { [weak self] in self?.press($0) }
        let buttons = settings.buttons.isEmpty ? nil : reader
        await withTaskCancellationHandler {
            await withDiscardingTaskGroup { group in
                group.addTask { await hook.run() }
                if let listener { group.addTask { await listener.run() } }
                if let buttons { group.addTask { await buttons.run() } }
                if let hours = settings.quietHours {
                    group.addTask { await Self.keepQuiet(hours, mailbox) }
                }
            }
        } onCancel: {
            listener?.stop()
            buttons?.stop()
            hook.finish()
        }
    }

    /// Reports when quiet hours begin and end; in between, a command may override them.
    private static func keepQuiet(_ hours: QuietHours, _ mailbox: EventMailbox) async {
        var isQuiet = false
        repeat {
            let now = ClockInstant.awake()
            // Before the clock is set, the time of day is unknown.
            guard now.isPlausible else { continue }
            let minute = ((now.wall + now.offset) / 60 % 1440 + 1440) % 1440
            if hours.contains(minute: minute) != isQuiet {
                isQuiet.toggle()
                mailbox.post(activation: .quiet(isQuiet))
            }
        } while (try? await Task.sleep(for: .seconds(15))) != nil
    }

    /// Performs the action of a button.
    nonisolated func press(_ button: Button) {
        switch button {
        case .call: activate(.button)
        case .stop: mailbox.post(activation: .stop(isSpoken: false))
        case .mute: mailbox.post(activation: .toggleMute)
        case .playPause:
            Task { [media] in if await !media.playPause() { activate(.button) } }
        case .next: Task { [media] in await media.perform(.skip) }
        case .previous: Task { [media] in await media.perform(.previous) }
        case .louder, .quieter:
            Task { [volumeController] in
                let step = button == .louder ? 5 : -5
                await volumeController.set(.master, percent: await volumeController.volumes[.master] + step)
            }
        }
    }

    /// Opens a conversation, or interrupts the box while it speaks.
    package nonisolated func activate(_ trigger: ActivationTrigger = .command) {
        mailbox.post(activation: .activate(trigger))
    }

    /// Silences the box, withdraws all requests and ends media. Returns once the box is silent.
    /// - Returns: false if the sound has not ended within a second.
    package nonisolated func stopAll() async -> Bool { await isSilent(after: mailbox.post(activation: .stopAll)) }

    /// Silences the box and withdraws all requests; the conversation and media continue. Returns once the voice is silent.
    /// - Returns: false if the sound has not ended within a second.
    package nonisolated func silence() async -> Bool { await isSilent(after: mailbox.post(activation: .silence)) }

    /// Without a running audio thread nothing sounds.
    private nonisolated func isSilent(after order: SilenceOrders.Order?) async -> Bool {
        for _ in 0..<200 {
            guard let order, ports.gauges.state == .running, !ports.silence.isObeyed(order) else { return true }
            try? await Task.sleep(for: .milliseconds(5))
        }
        return false
    }

    /// The outcome of changing a saved setting.
    enum Setting: Sendable {
        case saved
        /// The setting is in effect, but was not written to disk within two seconds.
        case unsaved
        /// The setting did not take effect within two seconds.
        case stuck
    }

    /// Changes the mode or the mute, and waits until the change is on disk. Once muting has taken effect, microphone audio is
    /// no longer sent; the capture device is closed shortly after.
    nonisolated func set(_ event: ActivationEvent) async -> Setting {
        guard await mailbox.handle(event, within: .seconds(2)) else { return .stuck }
        // The user may cut the power right after this reply.
        return await store?.isSaved(within: .seconds(2)) ?? true ? .saved : .unsaved
    }

    package var activationStatus: ActivationStatus {
        get async { await session.activationStatus }
    }
}
