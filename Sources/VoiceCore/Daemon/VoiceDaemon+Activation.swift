internal import Logging

/// When conversations begin and end, for signals, buttons and the control socket.
extension VoiceDaemon {
    static func activation(
        _ settings: ActivationSettings,
        _ parts: ActivationKeeper.Parts,
        inbox: ActivationInbox,
        ear: WakeEar?,
        hook: StateHook,
        sound: SoundKeeper
    ) -> ActivationKeeper {
        var parts = parts
        parts.changed = { hook.show($0) }
        parts.capture = { await sound.setCapture(open: $0) }
        if let ear { parts.listen = { ear.listen($0) } }
        return ActivationKeeper(parts, options: settings.machine, voiceGate: settings.voiceGate, inbox: inbox)
    }

    /// Runs what surrounds activation until cancelled: words, buttons, lights, quiet hours.
    func runSurroundings(_ settings: ActivationSettings) async {
        let (hook, ear, activation, keeper) = (hook, ear, activation, volumeKeeper)
        let reader = ButtonReader(path: settings.buttons, logger: logger) { [weak self] in self?.press($0) }
        let buttons = settings.buttons.isEmpty ? nil : reader
        await withTaskCancellationHandler {
            await withDiscardingTaskGroup { group in
                group.addTask { await activation.run() }
                group.addTask { await hook.run() }
                if let ear { group.addTask { await ear.run() } }
                if let buttons { group.addTask { await buttons.run() } }
                if let hours = settings.quietHours {
                    group.addTask {
                        await Self.keepQuiet(hours, volume: settings.quietVolume, activation.inbox, keeper)
                    }
                }
            }
        } onCancel: {
            ear?.stop()
            buttons?.stop()
            hook.finish()
            activation.inbox.close()
        }
    }

    private static func keepQuiet(
        _ hours: QuietHours,
        volume: Int,
        _ inbox: ActivationInbox,
        _ keeper: VolumeKeeper
    ) async {
        var isQuiet = false
        repeat {
            let now = BudgetInstant.now()
            let minute = ((now.wall + now.offset) / 60 % 1440 + 1440) % 1440
            if hours.contains(minute: minute) != isQuiet {
                isQuiet.toggle()
                inbox.post(.quiet(isQuiet))
                await keeper.setCeiling(isQuiet ? volume : Volumes.range.upperBound)
            }
        } while (try? await Task.sleep(for: .seconds(15))) != nil
    }

    /// What a button does.
    nonisolated func press(_ button: Button) {
        switch button {
        case .call: activate(.button)
        case .stop: stopTalking()
        case .mute: activation.inbox.post(.toggleMute)
        case .louder, .quieter:
            Task { [volumeKeeper] in
                let step = button == .louder ? 5 : -5
                await volumeKeeper.set(.master, percent: await volumeKeeper.volumes[.master] + step)
            }
        }
    }

    /// What listens for words; nil where nothing is to be recognised.
    static func ear(
        _ settings: ActivationSettings,
        pipes: AudioPipes,
        inbox: ActivationInbox,
        logger: Logger
    ) -> WakeEar? {
        guard let engine = settings.engine, let rule = settings.rule else { return nil }
        return WakeEar(
            pipes: pipes,
            rule: rule,
            logger: logger,
            make: { () throws(WakeWordError) -> any WakeWordDetector in
                switch engine {
                case .pocketsphinx(let model): try SphinxSpotter(rule.words, model: model)
                case .wyoming(let address): try WyomingDetector(address: address, words: rule.words)
                }
            },
            report: { verdict in
                switch verdict {
                case .call(let word):
                    logger.info("called", metadata: ["word": "\(word)"])
                    inbox.post(.activate(.word(word)))
                case .stop(let word):
                    logger.info("told to stop", metadata: ["word": "\(word)"])
                    inbox.post(.stop)
                case .nearMiss(let word, let score):
                    logger.info("nearly a call", metadata: ["word": "\(word)", "score": "\(Int(score.rounded()))"])
                case .nothing: break
                }
            }
        )
    }

    /// Calls: opens a conversation, or takes the word from the box while it speaks.
    package nonisolated func activate(_ trigger: ActivationTrigger = .command) {
        activation.inbox.post(.activate(trigger))
    }

    /// "Stop": silences what is being said; where nothing is, ends the conversation.
    package nonisolated func stopTalking() {
        activation.inbox.post(.stop)
    }

    /// Ends the conversation.
    package nonisolated func endConversation() {
        activation.inbox.post(.end)
    }

    package nonisolated func setActivationMode(_ mode: ActivationMode) {
        activation.inbox.post(.setMode(mode))
    }

    /// Closes the capture device, or opens it again.
    package nonisolated func setMicrophoneMuted(_ isMuted: Bool) {
        activation.inbox.post(.mute(isMuted))
    }

    package var activationStatus: ActivationStatus {
        get async { await activation.status }
    }
}
