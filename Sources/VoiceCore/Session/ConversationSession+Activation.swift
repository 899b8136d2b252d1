internal import Logging
package import VoiceActivation
internal import VoiceAudio
internal import VoiceBase
internal import VoiceConversation

/// The parts on which activation acts, besides the conversation.
package struct ActivationParts: Sendable {
    package var options: ActivationMachine.Options
    /// Whether audio without a voice is not sent in the mode `always`.
    package var voiceGate = false
    /// Sends silence instead of the microphone signal; must not block.
    package var silenceMicrophone: @Sendable () -> Void = {}
    /// Opens or closes the capture device, and with it the microphone.
    package var capture: @Sendable (Bool) async -> Void = { _ in }
    /// Called with whether the loudspeaker may be given back while there is no sound to play; must not block.
    package var mayRestLoudspeaker: @Sendable (Bool) -> Void = { _ in }
    package var pauseMedia: @Sendable () async -> Void = {}
    package var endMedia: @Sendable () async -> Void = {}
    /// Begins a fresh conversation with the agent.
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

    package init(_ options: ActivationMachine.Options) { self.options = options }
}

/// When conversations begin and end. The machine of activation shares the conversation's inbox, and each sees what the
/// other does before the next event.
extension ConversationSession {
    struct Activation {
        let parts: ActivationParts
        var machine: ActivationMachine
        /// As the machine knows it.
        var conversation = ConversationState.idle
        var timers: [ActivationTimer: (task: Task<Void, Never>, start: Int)] = [:]
        /// The order of silence of the event being handled, and its sounds whose owners have not been told.
        var silence: SilenceOrders.Order?
        var untold: SilenceOrders.Sounds = []
        /// The latest of the slow operations on devices and volumes. They run in order, and events do not wait for them: the
        /// next may be "stop".
        var chores: Task<Void, Never>?

        init(_ parts: ActivationParts) {
            self.parts = parts
            machine = ActivationMachine(options: parts.options)
        }

        mutating func later(_ chore: @escaping @Sendable () async -> Void) {
            let before = chores
            chores = Task {
                await before?.value
                await chore()
            }
        }

        /// Has a sound ended by its owner, and then lifts the order that silences it meanwhile.
        mutating func end(_ sound: SilenceOrders.Sounds, _ body: @escaping @Sendable () async -> Void) {
            untold.remove(sound)
            let order = silence
            Task {
                await body()
                order?.lift(sound)
            }
        }
    }

    package var activationStatus: ActivationStatus {
        ActivationStatus(
            mode: activation.machine.mode, phase: activation.machine.phase, isMuted: activation.machine.isMuted,
            isQuiet: activation.machine.isQuiet, listening: activation.machine.listening,
            conversation: activation.conversation.name,
            assistant: activation.machine.phase == .idle ? nil : assistant?.name
        )
    }

    /// False for the event of a timer that was cancelled or started anew.
    func isDue(_ event: ActivationEvent, _ start: Int?) -> Bool {
        guard case .timer(let timer) = event, let start else { return true }
        guard activation.timers[timer]?.start == start else { return false }
        activation.timers[timer] = nil
        return true
    }

    /// Carries out an event and its consequences, and lifts its order of silence from the sounds that may continue.
    func obey(_ event: ActivationEvent, _ silence: SilenceOrders.Order?) {
        (activation.silence, activation.untold) = (silence, [.voice, .media, .ring])
        proceed(.activation(event))
        guard let silence else { return }
        activation.silence = nil
        silence.lift(activation.untold)
        // After the effects, so that the network thread has dropped the stopped speech.
        if !activation.untold.contains(.voice) { parts.pump.perform { $0.playout.lift(silence) } }
    }

    /// Passes an event to the machine and carries out the effects it returns.
    func handle(_ event: ActivationEvent) {
        let before = activationStatus
        if case .conversation(let state) = event { activation.conversation = state }
        for effect in activation.machine.handle(event) { perform(effect) }
        log(event)
        let (after, changed) = (activationStatus, activation.parts.changed)
        // After the device is closed, because a light that shows "muted" must be true.
        if after != before || event == .start { activation.later { changed(after) } }
        activation.parts.mayRestLoudspeaker(mayRestLoudspeaker)
    }

    /// The event of activation that follows from an event of the conversation; nil for none.
    static func concerns(_ event: ConversationEvent) -> ActivationEvent? {
        switch event {
        case .service(.userStarted(_, let start)): .turnBegan(milliseconds: start)
        case .service(.userStopped(let end, _)): .turnEnded(milliseconds: end)
        default: nil
        }
    }

    static func concerns(_ effect: ConversationEffect) -> ActivationEvent? {
        switch effect {
        case .stateChanged(_, let state): .conversation(state)
        case .note(.budgetSpent): .refused
        default: nil
        }
    }

    /// Waits for the slow operations on devices that were begun.
    package func finishChores() async { await activation.chores?.value }

    /// Does not open a microphone that has been muted again in the meantime, not even for a moment.
    private func capture(_ isOpen: Bool) async {
        if isOpen, activation.machine.isMuted { return }
        await activation.parts.capture(isOpen)
    }

    /// A box that listens only when called leaves the loudspeaker to others between its conversations.
    private var mayRestLoudspeaker: Bool {
        guard activation.machine.mode != .always else { return false }
        switch activation.conversation {
        case .idle, .error: return true
        case .connecting, .listening, .userSpeaking, .processing, .fillerSpeaking, .waitingForJarvis, .aiSpeaking:
            return false
        }
    }

    private func perform(_ effect: ActivationEffect) {
        switch effect {
        case .assistant(let word): change(to: word)
        case .open(let holdsMicrophone):
            if holdsMicrophone { parts.pump.perform { $0.uplink.hold() } }
            proceed(.conversation(.activate))
        case .close:
            proceed(.conversation(.deactivate))
            // Needed even if the session never became ready.
            parts.pump.perform { $0.uplink.close() }
        case .interrupt: proceed(.conversation(.interrupt))
        case .silence(let isSpoken):
            activation.untold.remove(.voice)
            proceed(.conversation(.stop(isSpoken: isSpoken)))
        case .ignoreStop: parts.logger.info("stop word refused", metadata: ["why": .public("nothing to silence")])
        case .ask(let question): proceed(.conversation(.ask(question)))
        case .say(let text): say(text)
        case .announce(let text): activation.parts.announce?(text)
        case .greet: proceed(.conversation(.greet))
        case .startFresh:
            machine.forgetTrouble()
            Task { [startFresh = activation.parts.startFresh] in await startFresh() }
        case .play(let earcon): parts.earcons.play(earcon)
        case .pauseMedia: activation.end(.media, activation.parts.pauseMedia)
        case .endMedia: activation.end(.media, activation.parts.endMedia)
        case .stopRinging: activation.end(.ring, activation.parts.stopRinging)
        case .quiet(let isQuiet):
            parts.earcons.areOff = isQuiet
            proceed(.conversation(.announces(!isQuiet)))
            activation.later { [quiet = activation.parts.quiet] in await quiet(isQuiet) }
        case .preRoll(let isKept):
            let milliseconds = isKept ? activation.parts.options.preRoll : 0
            let isGated = activation.parts.voiceGate && !isKept
            parts.pump.perform {
                $0.uplink.setPreRoll(milliseconds)
                $0.uplink.setVoiceGate(isGated ? VoiceGate() : nil)
            }
        case .listen(let what): activation.parts.listen(what)
        case .hearsRoom(let hears): parts.pump.perform { $0.uplink.withhold(!hears) }
        case .capture(let isOpen):
            // Silence takes effect immediately; the device is closed afterwards.
            if !isOpen { activation.parts.silenceMicrophone() }
            activation.later { await self.capture(isOpen) }
        case .remember(let isMuted, let mode): activation.parts.remember(isMuted, mode)
        case .keepsOpen(let keepsOpen): proceed(.conversation(.keepsOpen(keepsOpen)))
        case .startTimer(let timer, let pause):
            activation.timers[timer]?.task.cancel()
            timerStarts += 1
            let (mailbox, start) = (parts.mailbox, timerStarts)
            let task = Task {
                guard (try? await Sleep.for(pause)) != nil else { return }
                mailbox.post(activation: timer, start: start)
            }
            activation.timers[timer] = (task, start)
        case .cancelTimer(let timer): activation.timers.removeValue(forKey: timer)?.task.cancel()
        case .phaseChanged(let from, let to):
            parts.logger.info("activation", metadata: ["from": .public(from.rawValue), "to": .public(to.rawValue)])
            // Nothing that was held for a session may reach a later one.
            if to == .idle { parts.pump.perform { $0.uplink.close() } }
        }
    }

    /// Speaks a text with the box's own voice while no session can, otherwise in the conversation.
    private func say(_ text: String) {
        switch activation.conversation {
        case .idle, .connecting, .error: if let announce = activation.parts.announce { return announce(text) }
        default: break
        }
        proceed(.conversation(.say(text)))
    }

    private func log(_ event: ActivationEvent) {
        switch event {
        case .setMode(let mode): parts.logger.info("activation mode", metadata: ["mode": .public(mode.rawValue)])
        case .mute, .toggleMute:
            let (logger, isMuted) = (parts.logger, activation.machine.isMuted)
            activation.later { logger.info(isMuted ? "muted: the microphone is closed" : "the microphone is open") }
        case .quiet(let isQuiet): parts.logger.info(isQuiet ? "quiet hours begin" : "quiet hours end")
        case .ask: parts.logger.info("a question was typed")
        case .start: if activation.machine.isMuted { parts.logger.notice("still muted: the microphone stays closed") }
        default: break
        }
    }
}
