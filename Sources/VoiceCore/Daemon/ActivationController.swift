package import Logging
internal import Synchronization
package import VoiceActivation
package import VoiceAudio
internal import VoiceBase
internal import VoiceConfiguration
internal import VoiceConversation

/// Runs activation: hands events to its machine in their order and does what it wants done.
///
///     conversation, buttons, commands, wake words, timers --> inbox --> machine --> conversation, pump, card, ears
package actor ActivationController {
    /// What it acts on.
    package struct Parts: Sendable {
        package var mailbox: EventMailbox
        package var pump: NetworkConfined<VoicePump>
        package var earcons: EarconRequests
        /// Sends silence in place of the microphone; must not wait.
        package var silenceMicrophone: @Sendable () -> Void = {}
        /// Closes and opens the capture device, and with it the microphone.
        package var capture: @Sendable (Bool) async -> Void = { _ in }
        package var pauseMedia: @Sendable () async -> Void = {}
        package var endMedia: @Sendable () async -> Void = {}
        /// Begins a fresh conversation with the agent, and forgets what is known of a failure.
        package var startFresh: @Sendable () async -> Void = {}
        /// Ends what rings; must not wait.
        package var stopRinging: @Sendable () -> Void = {}
        /// Called when quiet hours begin and end.
        package var quiet: @Sendable (Bool) async -> Void = { _ in }
        /// Gets what to listen for.
        package var listen: @Sendable (LocalListening) -> Void = { _ in }
        /// Gets what is to be remembered: mute, and the mode that was set by hand; must not wait.
        package var remember: @Sendable (Bool, ActivationMode?) -> Void = { _, _ in }
        /// Gets every change of phase or mute; must not wait.
        package var changed: @Sendable (ActivationStatus) -> Void = { _ in }
        /// Counts what opens a conversation.
        package var egress = EgressLedger()
        package var logger: Logger

        package init(mailbox: EventMailbox, pump: NetworkConfined<VoicePump>, earcons: EarconRequests, logger: Logger) {
            self.mailbox = mailbox
            self.pump = pump
            self.earcons = earcons
            self.logger = logger
        }
    }

    package nonisolated let inbox: ActivationInbox
    private let parts: Parts
    private let preRoll: Int
    private let voiceGate: Bool
    private var machine: ActivationMachine
    private var timers: [ActivationTimer: Task<Void, Never>] = [:]
    private var conversation = ConversationState.idle
    /// What the event under way would open a conversation by.
    private var opener = ""
    /// Devices and volumes take their time. They do so in order, and no event waits for them: "stop" may be next.
    private var chores: Task<Void, Never>?

    package init(
        _ parts: Parts,
        options: ActivationMachine.Options,
        voiceGate: Bool = false,
        inbox: ActivationInbox
    ) {
        self.parts = parts
        self.voiceGate = voiceGate
        self.inbox = inbox
        preRoll = options.preRoll
        machine = ActivationMachine(options: options)
    }

    package var status: ActivationStatus {
        ActivationStatus(
            mode: machine.mode,
            phase: machine.phase,
            isMuted: machine.isMuted,
            isQuiet: machine.isQuiet,
            listening: machine.listening,
            conversation: conversation.name
        )
    }

    /// Handles events until the inbox is closed or the task is cancelled.
    package func run() async {
        for await envelope in inbox.envelopes {
            let event = envelope.event
            let before = status
            if case .conversation(let state) = event { conversation = state }
            opener = Self.opener(event)
            for effect in machine.handle(event) { perform(effect) }
            envelope.isHandled?.give(true)
            log(event)
            let (after, changed) = (status, parts.changed)
            // A light that says "muted" means that the device is closed.
            if after != before || event == .start { later { changed(after) } }
        }
        for timer in timers.values { timer.cancel() }
        await chores?.value
    }

    private func later(_ chore: @escaping @Sendable () async -> Void) {
        let before = chores
        chores = Task {
            await before?.value
            await chore()
        }
    }

    /// A microphone that was muted again meanwhile is not opened, not even for a moment.
    private func capture(_ isOpen: Bool) async {
        if isOpen, machine.isMuted { return }
        await parts.capture(isOpen)
    }

    private static func opener(_ event: ActivationEvent) -> String {
        switch event {
        case .activate(.word): "word"
        case .activate(.button): "button"
        case .activate(.command): "command"
        default: "always"
        }
    }

    private func perform(_ effect: ActivationEffect) {
        switch effect {
        case .open(let holdsMicrophone):
            parts.egress.begin(by: opener)
            if holdsMicrophone { parts.pump.perform { $0.holdMicrophone() } }
            parts.mailbox.post(.activate)
        case .close:
            parts.mailbox.post(.deactivate)
            // Also where the session never was ready.
            parts.pump.perform { $0.closeMicrophone() }
        case .interrupt: parts.mailbox.post(.interrupt)
        case .silence(let isSpoken): parts.mailbox.post(.stop(isSpoken: isSpoken))
        case .ask(let text): parts.mailbox.post(.ask(text))
        case .say(let text): parts.mailbox.post(.say(text))
        case .greet: parts.mailbox.post(.greet)
        // None of these takes its time, and none is to wait for a device that does.
        case .startFresh: Task { [startFresh = parts.startFresh] in await startFresh() }
        case .play(let earcon): parts.earcons.play(earcon)
        case .pauseMedia: Task { [pauseMedia = parts.pauseMedia] in await pauseMedia() }
        case .endMedia: Task { [endMedia = parts.endMedia] in await endMedia() }
        case .stopRinging: parts.stopRinging()
        case .quiet(let isQuiet):
            parts.earcons.areOff = isQuiet
            parts.mailbox.post(.announces(!isQuiet))
            later { [quiet = parts.quiet] in await quiet(isQuiet) }
        case .keepsWarm(let isWarm): parts.mailbox.post(.keepsWarm(isWarm))
        case .preRoll(let isKept):
            let milliseconds = isKept ? preRoll : 0
            let isGated = voiceGate && !isKept
            parts.pump.perform {
                $0.setPreRoll(milliseconds)
                $0.setVoiceGate(isGated ? VoiceGate() : nil)
            }
        case .listen(let what): parts.listen(what)
        case .capture(let isOpen):
            // At once for what is said now; the device follows.
            if !isOpen { parts.silenceMicrophone() }
            later { await self.capture(isOpen) }
        case .remember(let isMuted, let mode): parts.remember(isMuted, mode)
        case .keepsOpen(let keepsOpen): parts.mailbox.post(.keepsOpen(keepsOpen))
        case .startTimer(let timer, let pause):
            let inbox = inbox
            timers[timer]?.cancel()
            timers[timer] = Task {
                guard (try? await Task.sleep(for: pause)) != nil else { return }
                inbox.post(.timer(timer))
            }
        case .cancelTimer(let timer): timers.removeValue(forKey: timer)?.cancel()
        case .phaseChanged(let from, let to):
            parts.logger.info("activation", metadata: ["from": "\(from.rawValue)", "to": "\(to.rawValue)"])
        }
    }

    private func log(_ event: ActivationEvent) {
        switch event {
        case .setMode(let mode): parts.logger.info("activation mode", metadata: ["mode": "\(mode.rawValue)"])
        case .mute, .toggleMute:
            let (logger, isMuted) = (parts.logger, machine.isMuted)
            later { logger.info(isMuted ? "muted: the microphone is closed" : "the microphone is open") }
        case .quiet(let isQuiet): parts.logger.info(isQuiet ? "quiet hours begin" : "quiet hours end")
        case .ask: parts.logger.info("a question was typed")
        case .start: if machine.isMuted { parts.logger.notice("still muted: the microphone stays closed") }
        case .activate, .stop, .stopAll, .silence, .end, .reset, .startFresh, .say, .conversation, .refused, .turnBegan,
            .turnEnded, .media, .rings, .timer:
            break
        }
    }
}
