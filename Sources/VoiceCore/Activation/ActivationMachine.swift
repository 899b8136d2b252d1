package import VoiceBase
internal import VoiceConversation

/// Decides when a conversation opens and closes, and which words are listened for locally. A value without I/O, clock or task.
///
///     idle --activate--> awake --speech--> conversation --answered--> followUp --silence--> closing --> idle
///                          '--silence--------------------------------------------------------^
///
/// It sits above the conversation machine, which handles the talk but not its timing: it receives the conversation's
/// states and returns effects. In `always` mode a session stays open without a limit; that of another
/// assistant until the user has been silent for `followUp`.
package struct ActivationMachine: Sendable {
    package struct Options: Equatable, Sendable {
        package var mode: ActivationMode
        /// State restored from before the start: mute, and the mode if it was set by hand.
        package var isMuted = false
        package var handMode: ActivationMode?
        /// Silence allowed after a call and after an answer.
        package var followUp: Duration
        package var turnLimit: Duration
        /// Time limit for a session to become ready.
        package var connectLimit: Duration
        /// Whether a conversation ends after its first answer.
        package var isOneShot: Bool
        /// Whether a conversation opened by a call, or in `always` mode at the start, begins with a greeting.
        package var greets: Bool
        /// Wake words with an assistant of their own, in plain form.
        package var assistants: Set<String> = []
        /// The assistant for triggers that name none, such as a button: that of the first wake word, if that word has one.
        package var home: String?
        /// Whether wake words are recognised on this machine or by a server at home.
        package var hearsCalls = true
        /// Whether the box can speak without a session.
        package var hasLocalVoice = false
        /// Delay of the sound for a wake word, which is left out if the user speaks on.
        package var wokenPause = Duration.milliseconds(400)
        /// Audio kept from before an activation, in ms, so that the first word is complete.
        package var preRoll = 1500
        /// A first turn that ends at most this many ms after the word was found contains only the wake word...
        package var emptyTurn = 350
        /// ...unless the turn is longer than any wake word, in ms including the audio that a service puts before it:
        /// the word was then found late.
        package var longestCall = 1300

        package init(_ configuration: Configuration = Configuration()) {
            let activation = configuration.activation
            mode = activation.mode
            followUp = .seconds(activation.followUpS)
            turnLimit = Configuration.Activation.turnLimit
            connectLimit = .seconds(2 * configuration.realtime.connectTimeoutS)
            isOneShot = activation.oneShot
            greets = !activation.greeting.isEmpty
            // The service counts the silence that ended the turn as part of it.
            if configuration.service.use.first == .openAI, configuration.realtime.turnDetection == .server {
                emptyTurn = max(0, configuration.realtime.silenceMS - 150)
            }
        }
    }

    package private(set) var mode: ActivationMode
    package private(set) var phase = ActivationPhase.idle
    package private(set) var isMuted = false
    package private(set) var isQuiet = false
    package private(set) var listening = LocalListening.nothing
    /// The wake word whose assistant the session belongs to; nil for a word without a table.
    package private(set) var assistant: String?
    private let options: Options
    private var state = ConversationState.idle
    private var mediaPlays = false
    private var isRinging = false
    private var isAnnouncing = false
    private var isStarted = false
    private var handMode: ActivationMode?
    /// Typed questions for the next session, which wait for this one to close.
    private var asked: [TypedQuestion] = []
    /// Texts to be said by the next session, which is opened for them alone.
    private var toSay: [String] = []
    /// The session was opened to speak a text, and no one has spoken to it: it gets no microphone audio, and closes after the
    /// text.
    private var isForSaying = false
    private var timers: Set<ActivationTimer> = []
    /// The latest trigger since the session began to close.
    private var called: ActivationTrigger?
    /// End of the wake word that opened the session, in ms of the session's audio; nil if no word opened it, and after the
    /// first turn.
    private var wordEnd: Int?
    /// Whether the sound for a wake word is still to be played.
    private var isWokenDue = false
    /// Start of the user's turn in the session's audio, in ms; nil if unknown.
    private var turnStart: Int?
    /// A greeting was requested: speech before the user's first question is the greeting.
    private var isGreetingDue = false
    private var isGreeting = false
    /// Whether the user has heard speech since speaking.
    private var wasAnswered = false
    /// Whether the user's turn interrupted an answer, or the work on one.
    private var hasInterrupted = false
    private var effects: [ActivationEffect] = []

    package init(options: Options) {
        self.options = options
        mode = options.mode
        isMuted = options.isMuted
        handMode = options.handMode
    }

    package mutating func handle(_ event: ActivationEvent) -> [ActivationEffect] {
        effects = []
        let before = phase
        switch event {
        case .start: start()
        case .setMode(let mode): setByHand(mode)
        case .activate(let trigger): activate(trigger)
        case .stop(let isSpoken): stop(isSpoken: isSpoken)
        case .stopAll: stop(isSpoken: false, .endMedia)
        case .silence: silence()
        case .reset: reset()
        case .startFresh:
            effects.append(.startFresh)
            reset()
        case .say(let text): say(text)
        case .conversation(let next): conversation(next)
        case .refused:
            phase = .idle
            wordEnd = nil
            hearsRoom(true)
        case .speaksOn: isWokenDue = false
        case .turnBegan(let milliseconds): turnStart = milliseconds > 0 ? milliseconds : nil
        case .turnEnded(let milliseconds): turnEnded(milliseconds)
        case .mute(let isMuted): mute(isMuted)
        case .toggleMute: mute(!isMuted)
        case .ask(let question): ask(question)
        case .quiet(let isQuiet): quiet(isQuiet)
        case .media(let plays): mediaPlays = plays
        case .rings(let rings): isRinging = rings
        case .announcing(let isAnnouncing): self.isAnnouncing = isAnnouncing
        case .timer(let timer):
            // A timer that was cancelled may already have been posted.
            if timers.remove(timer) != nil { fired(timer) }
        }
        settle()
        if phase != before { effects.append(.phaseChanged(from: before, to: phase)) }
        defer { effects = [] }
        return effects
    }

    private mutating func start() {
        isStarted = true
        effects.append(.keepsOpen(mode == .always))
        effects.append(.preRoll(mode != .always))
        if isMuted {
            effects.append(.capture(false))
        } else if mode == .always {
            open(holdsMicrophone: false, as: options.home)
            greet()
        }
    }

    private mutating func setByHand(_ next: ActivationMode) {
        change(to: next)
        guard handMode != next else { return }
        handMode = next
        remember()
    }

    private mutating func remember() { effects.append(.remember(isMuted: isMuted, mode: handMode)) }

    private mutating func change(to next: ActivationMode) {
        guard next != mode else { return }
        let wasAlways = mode == .always
        mode = next
        effects.append(.keepsOpen(next == .always))
        effects.append(.preRoll(next != .always))
        if next == .always {
            if phase == .idle, !isMuted { open(holdsMicrophone: false, as: options.home) }
            // Opens once the session has closed.
            if phase == .closing, !isMuted, called == nil { called = .reset }
        } else if phase == .closing {
            if wasAlways, called == .reset || called == .home { called = nil }
        } else if phase != .idle {
            // Leaves a window as after an answer; a turn in progress is finished.
            if state == .listening { phase = .followUp } else if !isBusy { close() }
        }
    }

    // MARK: Calls

    private mutating func activate(_ trigger: ActivationTrigger) {
        // A key pressed while the box rings ends the ringing.
        if trigger == .button, endRinging() { return }
        if isMuted, trigger != .text { return play(.muted) }
        if isForAnother(trigger) {
            // Each assistant has a session and an agent of its own: the one that was called answers.
            close()
            called = trigger
            return
        }
        if case .error = state, isOpen {
            // In `always` mode this retries immediately instead of waiting for the next probe of the service.
            return effects.append(.open(holdsMicrophone: false))
        }
        if isOpen { hearsRoom(true) }
        switch phase {
        case .idle:
            // In `push` mode, words are listened for only to stop the music.
            if mode == .push, case .word = trigger { return }
            wordEnd = nil
            if case .word = trigger {
                wordEnd = options.preRoll
                isWokenDue = true
            } else if isHeard(trigger) {
                play(.woken)
            }
            open(holdsMicrophone: mode != .always && mayFollowWords(trigger), as: owner(of: trigger))
            if isHeard(trigger) { greet() }
        case .closing: called = trigger
        case .awake: break
        case .followUp:
            play(.woken)
            restart(.followUp)
        case .conversation:
            guard isAnswering else { return }
            effects.append(.interrupt)
            play(.woken)
        }
    }

    /// The wake word whose assistant a trigger opens; nil for a word without a table.
    private func owner(of trigger: ActivationTrigger) -> String? {
        switch trigger {
        case .word(let text):
            let word = Configuration.Word.plain(text)
            // A word without a name calls the assistant whose session is open, or the default one.
            if word.isEmpty { return phase == .idle ? options.home : assistant }
            return options.assistants.contains(word) ? word : nil
        case .button, .command, .text, .home: return options.home
        case .reset: return assistant
        }
    }

    /// Whether the word of another assistant was found in an open conversation. In `push` mode a word opens no conversation.
    private func isForAnother(_ trigger: ActivationTrigger) -> Bool {
        guard case .word = trigger, mode != .push, isOpen else { return false }
        return owner(of: trigger) != assistant
    }

    /// Whether the user expects to hear that the box is listening.
    private func isHeard(_ trigger: ActivationTrigger) -> Bool {
        switch trigger {
        case .word, .button, .command: true
        case .text: false
        // In `always` mode no earcon marks the start of a conversation.
        case .reset: mode != .always
        case .home: false
        }
    }

    /// Returns whether audio from before the trigger belongs to the conversation: not for a typed question, nor after a
    /// reset.
    private func mayFollowWords(_ trigger: ActivationTrigger) -> Bool {
        switch trigger {
        case .word, .button, .command: true
        case .text, .reset, .home: false
        }
    }

    /// Maximum number of typed questions, and of texts, that wait for the next session. The conversation that is ending drops the
    /// ninth, with a line and a tone.
    private static let mostWaiting = 8
    /// How long stop words are still listened for after the last sound that they could stop, in a conversation that is always open.
    private static let word = Duration.seconds(1)

    private mutating func ask(_ question: TypedQuestion) {
        switch phase {
        case .idle, .closing: activate(.text)
        case .awake, .followUp:
            hearsRoom(true)
            restart(.followUp)
        case .conversation: hearsRoom(true)
        }
        // The answer to a typed question is not a greeting.
        isGreetingDue = false
        guard phase == .closing, asked.count < Self.mostWaiting else { return effects.append(.ask(question)) }
        asked.append(question)
    }

    private mutating func open(holdsMicrophone: Bool, as next: String?) {
        if next != assistant { effects.append(.assistant(next)) }
        assistant = next
        phase = .awake
        wasAnswered = false
        isGreetingDue = false
        isGreeting = false
        effects.append(.open(holdsMicrophone: holdsMicrophone))
    }

    private mutating func greet() {
        guard options.greets, !isQuiet else { return }
        isGreetingDue = true
        effects.append(.greet)
    }

    /// With nothing to stop in an open conversation of `always` mode, a stop word is ignored: it may be a false detection, and
    /// would discard what the user is saying.
    private mutating func stop(isSpoken: Bool) {
        // A word that was found just after the sound.
        if isSpoken, mode == .always, !isMuted, !hasSomethingToStop { return effects.append(.ignoreStop) }
        stop(isSpoken: isSpoken, mediaPlays ? .pauseMedia : nil)
    }

    private var hasSomethingToStop: Bool {
        if isRinging || mediaPlays || isAnnouncing || hasInterrupted { return true }
        return switch state {
        case .listening, .userSpeaking: false
        // While a session is being reopened, an earlier request continues.
        case .idle, .connecting, .processing, .fillerSpeaking, .waitingForJarvis, .aiSpeaking, .error: true
        }
    }

    /// The silence is the first effect. The following effects depend on the state before it.
    private mutating func stop(isSpoken: Bool, _ media: ActivationEffect?) {
        effects.append(.silence(isSpoken: isSpoken))
        // "Stop" means the ringing only, unless it means everything: the conversation and media go on.
        if endRinging(), media != .endMedia { return }
        if let media { effects.append(media) }
        switch phase {
        case .idle, .closing:
            // In `always` mode a session with an open microphone reopens anyway.
            if mode != .always || isMuted || called == .text { called = nil }
            (asked, toSay) = ([], [])
        case .awake, .followUp: if mode != .always || isMuted { farewell() }
        case .conversation: if !isAnswering, mode != .always { farewell() }
        }
    }

    /// Ends the ringing. Returns false if nothing rang.
    private mutating func endRinging() -> Bool {
        guard isRinging else { return false }
        isRinging = false
        effects.append(.stopRinging)
        return true
    }

    private mutating func silence() {
        effects.append(.silence(isSpoken: false))
        _ = endRinging()
        // Also withdraws typed questions that wait for the next session, and the reason to open one.
        (asked, toSay) = ([], [])
        if called == .text { called = nil }
    }

    /// A session that is already closing is followed by a fresh one if something called.
    private mutating func reset() {
        guard phase != .closing else { return }
        close()
        // While muted, only a typed question could continue in the new session.
        if phase == .closing, !isMuted { called = .reset }
    }

    /// Speaks a text: in the open conversation, else with the local voice, else in a session opened for it. Drops it in quiet
    /// hours.
    private mutating func say(_ text: String) {
        guard !isQuiet else { return }
        switch phase {
        case .idle, .closing:
            if options.hasLocalVoice { return effects.append(.announce(text)) }
            guard toSay.count < Self.mostWaiting else { return effects.append(.say(text)) }
            toSay.append(text)
            if phase == .idle { openForSaying() } else if called == nil { called = .text }
        case .awake, .conversation, .followUp: effects.append(.say(text))
        }
    }

    /// Opens a session that only speaks the waiting texts.
    private mutating func openForSaying() {
        guard !toSay.isEmpty else { return }
        open(holdsMicrophone: false, as: options.home)
        hearsRoom(false)
        sayWaiting()
    }

    private mutating func sayWaiting() {
        for text in toSay { effects.append(.say(text)) }
        toSay = []
    }

    private mutating func hearsRoom(_ hears: Bool) {
        guard isForSaying == hears else { return }
        isForSaying = !hears
        effects.append(.hearsRoom(hears))
    }

    private mutating func quiet(_ quiet: Bool) {
        guard quiet != isQuiet else { return }
        isQuiet = quiet
        effects.append(.quiet(quiet))
    }

    /// Cancels the reply to a turn that contained only the wake word.
    private mutating func turnEnded(_ milliseconds: Int) {
        guard mode != .always, let end = wordEnd else { return }
        wordEnd = nil
        let isSoon = milliseconds <= end + options.emptyTurn
        let isLong = turnStart.map { milliseconds - $0 > options.longestCall } ?? false
        if isSoon && !isLong { effects.append(.interrupt) }
    }

    private mutating func mute(_ muted: Bool) {
        guard muted != isMuted else { return }
        _ = endRinging()
        isMuted = muted
        // Saved before anything that takes time.
        remember()
        if muted {
            called = nil
            asked = []
            play(.muted)
            effects.append(.capture(false))
            // An answer in progress is played to its end.
            if !isAnswering { close() }
            // A conversation that waits for its budget is not open, and must not come back.
            if phase == .idle, mode == .always { effects.append(.close) }
        } else {
            effects.append(.capture(true))
            play(.listening)
            guard mode == .always else { return }
            // Reopens with the assistant from before the mute.
            if phase == .idle {
                open(holdsMicrophone: false, as: assistant ?? options.home)
            } else if phase == .closing {
                called = .reset
            }
        }
    }

    // MARK: Conversation

    private mutating func conversation(_ next: ConversationState) {
        hasInterrupted = next == .userSpeaking && (isAnswering || hasInterrupted)
        state = next
        switch next {
        case .idle: ended()
        case .error: if mode != .always { close() }
        case .connecting, .listening, .userSpeaking, .processing, .fillerSpeaking, .waitingForJarvis, .aiSpeaking:
            switch phase {
            case .closing: break
            case .idle: opened()
            case .awake, .conversation, .followUp: talk(next)
            }
        }
    }

    /// The conversation opened without an activation. This is allowed in `always` mode only; in any other mode it is closed.
    private mutating func opened() {
        phase = .awake
        if mode != .always { close() }
    }

    private mutating func ended() {
        let wasClosing = phase == .closing
        hearsRoom(true)
        if !wasClosing, phase != .idle, phase != .awake, mode != .always { play(.goodbye) }
        phase = .idle
        wordEnd = nil
        guard let trigger = called else { return }
        called = nil
        if trigger == .text, asked.isEmpty { return openForSaying() }
        activate(trigger)
        for question in asked { effects.append(.ask(question)) }
        asked = []
        sayWaiting()
    }

    private mutating func talk(_ next: ConversationState) {
        switch next {
        case .userSpeaking:
            phase = .conversation
            wasAnswered = false
        case .fillerSpeaking, .aiSpeaking:
            // A greeting is not an answer.
            if isGreetingDue, phase == .awake {
                isGreeting = true
            } else {
                phase = .conversation
                wasAnswered = true
            }
        case .processing, .waitingForJarvis: if !isGreetingDue || phase != .awake { phase = .conversation }
        case .listening:
            if isGreeting || phase == .conversation && wasAnswered { isGreetingDue = false }
            isGreeting = false
            if phase == .conversation { answered() }
        case .connecting, .idle, .error: break
        }
    }

    /// The conversation waits for the user again.
    private mutating func answered() {
        if isMuted || isForSaying && mode != .always { return close() }
        // The microphone was unmuted while a text was spoken.
        guard mode != .always else { return hearsRoom(true) }
        guard wasAnswered else {
            // The reply was silence, and no earcon follows it.
            phase = .awake
            return
        }
        if options.isOneShot { return farewell() }
        phase = .followUp
        play(.listening)
    }

    private mutating func farewell() {
        play(.goodbye)
        close()
    }

    private mutating func close() {
        called = nil
        (asked, toSay) = ([], [])
        guard isOpen else { return }
        effects.append(.close)
        phase = .closing
    }

    // MARK: Time

    private mutating func fired(_ timer: ActivationTimer) {
        switch timer {
        case .connect:
            play(.error)
            close()
        case .close: ended()
        case .followUp where mode == .always && !isMuted:
            close()
            called = .home
        case .followUp, .turn: farewell()
        case .woken:
            isWokenDue = false
            play(.woken)
        case .word: listen(for: wantedListening)
        }
    }

    /// Derives timers and local listening from the current state.
    private mutating func settle() {
        // A typed question may open a session while muted, but the user cannot continue it by voice.
        let isLimited = (mode != .always || isMuted) && isOpen
        let isReady = state == .listening
        want(.connect, isLimited && !isReady && !isBusy, after: options.connectLimit)
        if isAnswering || phase == .idle || phase == .closing { isWokenDue = false }
        want(.woken, isWokenDue, after: options.wokenPause)
        let waits = isLimited && (phase == .awake || phase == .followUp)
        // In `always` mode, another assistant's session also ends after this silence, so that the box's own can return.
        let isAway = mode == .always && assistant != options.home && isOpen
        want(.followUp, isReady && (waits || isAway), after: options.followUp)
        // A conversation that never left `idle` does not report `idle` again.
        want(.close, phase == .closing, after: .seconds(5))
        want(.turn, isLimited && state == .userSpeaking, after: options.turnLimit)
        let wanted = wantedListening
        // The box may fall silent in the middle of a word, and speak on a moment later.
        want(.word, wanted != .stop && listening == .stop && mode == .always && isOpen && !isMuted, after: Self.word)
        if !timers.contains(.word) { listen(for: wanted) }
    }

    private mutating func listen(for wanted: LocalListening) {
        guard wanted != listening else { return }
        listening = wanted
        effects.append(.listen(wanted))
    }

    private var isOpen: Bool { phase != .idle && phase != .closing }

    /// The words that would have an effect now.
    private var wantedListening: LocalListening {
        guard !isMuted else { return .nothing }
        let canStop = isOpen ? mode != .always || hasSomethingToStop : mediaPlays || isRinging || isAnnouncing
        if canStop { return .stop }
        return options.hearsCalls && mode != .push ? .wake : .nothing
    }

    private mutating func want(_ timer: ActivationTimer, _ wanted: Bool, after pause: Duration) {
        if wanted, timers.insert(timer).inserted {
            effects.append(.startTimer(timer, pause))
        } else if !wanted, timers.remove(timer) != nil {
            effects.append(.cancelTimer(timer))
        }
    }

    private mutating func restart(_ timer: ActivationTimer) {
        if timers.remove(timer) != nil { effects.append(.cancelTimer(timer)) }
    }

    private mutating func play(_ earcon: Earcon) {
        if !isQuiet { effects.append(.play(earcon)) }
    }

    /// Whether the user waits for a reply or hears one.
    private var isAnswering: Bool {
        switch state {
        case .processing, .fillerSpeaking, .waitingForJarvis, .aiSpeaking: true
        case .idle, .connecting, .listening, .userSpeaking, .error: false
        }
    }

    private var isBusy: Bool { isAnswering || state == .userSpeaking }
}
