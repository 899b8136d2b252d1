package import Logging
internal import Synchronization
package import VoiceActivation
package import VoiceAudio
internal import VoiceBase
internal import VoiceConfiguration
internal import VoiceConversation

/// Runs activation: passes events to its machine in order and performs the resulting effects.
///
///     conversation, buttons, commands, wake words, timers --> inbox --> machine --> conversation, pump, card, ears
package actor ActivationController {
    /// The parts that effects act on.
    package struct Parts: Sendable {
        package var mailbox: EventMailbox
        package var pump: NetworkConfined<VoicePump>
        package var earcons: EarconRequests
        /// Sends silence instead of the microphone signal; must not block.
        package var silenceMicrophone: @Sendable () -> Void = {}
        /// Opens or closes the capture device, and with it the microphone.
        package var capture: @Sendable (Bool) async -> Void = { _ in }
        /// Called with whether the loudspeaker may be given back while there is no sound to play; must not block.
        package var mayRestLoudspeaker: @Sendable (Bool) -> Void = { _ in }
        package var pauseMedia: @Sendable () async -> Void = {}
        package var endMedia: @Sendable () async -> Void = {}
        /// Begins a fresh conversation with the agent and forgets an earlier failure.
        package var startFresh: @Sendable () async -> Void = {}
        /// Stops whatever is ringing.
        package var stopRinging: @Sendable () async -> Void = {}
        /// Says a text without a session; nil if the box has no voice of its own. Must not block.
        package var announce: (@Sendable (String) -> Void)?
        /// Called when quiet hours begin and end.
        package var quiet: @Sendable (Bool) async -> Void = { _ in }
        /// Called with what to listen for.
        package var listen: @Sendable (LocalListening) -> Void = { _ in }
        /// Called with the state to save: mute, and the mode set by hand; must not block.
        package var remember: @Sendable (Bool, ActivationMode?) -> Void = { _, _ in }
        /// Called at every change of phase or mute; must not block.
        package var changed: @Sendable (ActivationStatus) -> Void = { _ in }
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
    /// The order of silence of the event being handled, and its sounds whose owners have not been told.
    private var silence: SilenceOrders.Order?
    private var untold: SilenceOrders.Sounds = []
    /// The latest of the slow operations on devices and volumes. They run in order, and events do not wait for them:
    /// the next may be "stop".
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
            inbox.received()
            (silence, untold) = (envelope.silence, [.voice, .media, .ring])
            for effect in machine.handle(event) { perform(effect) }
            // What the machine lets sound on.
            silence?.lift(untold)
            envelope.isHandled?.give(true)
            log(event)
            let (after, changed) = (status, parts.changed)
            // After the device is closed, because a light that shows "muted" must be true.
            if after != before || event == .start { later { changed(after) } }
            parts.mayRestLoudspeaker(mayRestLoudspeaker)
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

    /// Does not open a microphone that has been muted again in the meantime, not even for a moment.
    private func capture(_ isOpen: Bool) async {
        if isOpen, machine.isMuted { return }
        await parts.capture(isOpen)
    }

    /// A box that listens only when called leaves the loudspeaker to others between its conversations.
    private var mayRestLoudspeaker: Bool {
        guard machine.mode != .always else { return false }
        switch conversation {
        case .idle, .error: return true
        case .connecting, .listening, .userSpeaking, .processing, .fillerSpeaking, .waitingForJarvis, .aiSpeaking:
            return false
        }
    }

    private func perform(_ effect: ActivationEffect) {
        switch effect {
        case .open(let holdsMicrophone):
            if holdsMicrophone { parts.pump.perform { $0.holdMicrophone() } }
            parts.mailbox.post(.activate)
        case .close:
            parts.mailbox.post(.deactivate)
            // Needed even if the session never became ready.
            parts.pump.perform { $0.closeMicrophone() }
        case .interrupt: parts.mailbox.post(.interrupt)
        case .silence(let isSpoken):
            untold.remove(.voice)
            parts.mailbox.post(.stop(isSpoken: isSpoken), silence: silence)
        case .ignoreStop: parts.logger.info("stop word refused", metadata: ["why": .public("nothing to silence")])
        case .ask(let question): parts.mailbox.post(.ask(question))
        case .say(let text): say(text)
        case .announce(let text): parts.announce?(text)
        case .greet: parts.mailbox.post(.greet)
        // None of these is slow, and none may wait for a slow device.
        case .startFresh: Task { [startFresh = parts.startFresh] in await startFresh() }
        case .play(let earcon): parts.earcons.play(earcon)
        case .pauseMedia: end(.media, parts.pauseMedia)
        case .endMedia: end(.media, parts.endMedia)
        case .stopRinging: end(.ring, parts.stopRinging)
        case .quiet(let isQuiet):
            parts.earcons.areOff = isQuiet
            parts.mailbox.post(.announces(!isQuiet))
            later { [quiet = parts.quiet] in await quiet(isQuiet) }
        case .preRoll(let isKept):
            let milliseconds = isKept ? preRoll : 0
            let isGated = voiceGate && !isKept
            parts.pump.perform {
                $0.setPreRoll(milliseconds)
                $0.setVoiceGate(isGated ? VoiceGate() : nil)
            }
        case .listen(let what): parts.listen(what)
        case .capture(let isOpen):
            // Silence takes effect at once; the device is closed afterwards.
            if !isOpen { parts.silenceMicrophone() }
            later { await self.capture(isOpen) }
        case .remember(let isMuted, let mode): parts.remember(isMuted, mode)
        case .keepsOpen(let keepsOpen): parts.mailbox.post(.keepsOpen(keepsOpen))
        case .startTimer(let timer, let pause):
            let inbox = inbox
            timers[timer]?.cancel()
            timers[timer] = Task {
                guard (try? await Sleep.for(pause)) != nil else { return }
                inbox.post(.timer(timer))
            }
        case .cancelTimer(let timer): timers.removeValue(forKey: timer)?.cancel()
        case .phaseChanged(let from, let to):
            parts.logger.info("activation", metadata: ["from": .public(from.rawValue), "to": .public(to.rawValue)])
        }
    }

    /// Has a sound ended by its owner, and then lifts the order that silences it meanwhile.
    private func end(_ sound: SilenceOrders.Sounds, _ body: @escaping @Sendable () async -> Void) {
        untold.remove(sound)
        let order = silence
        Task {
            await body()
            order?.lift(sound)
        }
    }

    /// The voice of the box itself speaks while the session of the conversation does not.
    private func say(_ text: String) {
        switch conversation {
        case .idle, .connecting, .error: if let announce = parts.announce { return announce(text) }
        default: break
        }
        parts.mailbox.post(.say(text))
    }

    private func log(_ event: ActivationEvent) {
        switch event {
        case .setMode(let mode): parts.logger.info("activation mode", metadata: ["mode": .public(mode.rawValue)])
        case .mute, .toggleMute:
            let (logger, isMuted) = (parts.logger, machine.isMuted)
            later { logger.info(isMuted ? "muted: the microphone is closed" : "the microphone is open") }
        case .quiet(let isQuiet): parts.logger.info(isQuiet ? "quiet hours begin" : "quiet hours end")
        case .ask: parts.logger.info("a question was typed")
        case .start: if machine.isMuted { parts.logger.notice("still muted: the microphone stays closed") }
        case .activate, .stop, .stopAll, .silence, .end, .reset, .startFresh, .say, .conversation, .refused, .turnBegan,
            .turnEnded, .speaksOn, .media, .rings, .announcing, .timer:
            break
        }
    }
}
