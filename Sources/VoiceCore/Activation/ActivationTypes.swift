package import VoiceAudio
package import VoiceBase
package import VoiceConversation

package typealias ActivationMode = Configuration.Activation.Mode

/// The phase of activation.
package enum ActivationPhase: String, Sendable {
    /// No session; no audio leaves the machine, except to a server that recognises wake words.
    case idle
    /// Called: the session is opening, or waits for the user's first word.
    case awake
    /// The user speaks, waits for an answer or hears one.
    case conversation
    /// After an answer: the user may continue without a new call.
    case followUp
    /// The session is being closed.
    case closing
}

package enum ActivationTrigger: Equatable, Sendable {
    case word(String)
    case button
    case command
    /// A typed question: needs no microphone and no earcon.
    case text
    /// A fresh conversation of the same assistant: nothing said before carries over.
    case reset
    /// In `always` mode, after the conversation of another assistant: the session of the box's own assistant reopens.
    case home
}

package enum ActivationEvent: Equatable, Sendable {
    /// The daemon has started.
    case start
    case setMode(ActivationMode)
    case activate(ActivationTrigger)
    /// "Stop": silence; if something rings, ends only that. Otherwise pauses media and, if nothing was being said, ends
    /// a conversation that was called for.
    /// - isSpoken: whether the word itself may still reach the service; it is not a turn.
    case stop(isSpoken: Bool)
    /// "Stop" by the command `ctl stop`, which ends media instead of pausing it, also while something rings.
    case stopAll
    /// Silence, which also ends ringing; the conversation and media go on.
    case silence
    /// Ends an open conversation, even during speech, and opens another in its place.
    case reset
    /// As `reset`; the agent starts a fresh conversation too, and known failures are forgotten.
    case startFresh
    /// Speak a text: by the voice of an open conversation, otherwise by the local voice, otherwise by a session opened for it.
    /// Not in quiet hours.
    case say(String)
    case conversation(ConversationState)
    /// The budget refused a session.
    case refused
    /// The user speaks on after the wake word.
    case speaksOn
    /// Start of the user's turn in the session's audio, in ms; 0 if the service does not report it.
    case turnBegan(milliseconds: Int)
    /// End of the user's turn in the session's audio, in ms.
    case turnEnded(milliseconds: Int)
    case mute(Bool)
    case toggleMute
    /// A typed question, which opens a conversation if none is open.
    case ask(TypedQuestion)
    /// Quiet hours begin or end, until the clock next changes them.
    case quiet(Bool)
    /// The media player starts or stops playing.
    case media(Bool)
    /// A timer or alarm starts or stops ringing.
    case rings(Bool)
    /// The box's own voice begins or ends speech without a session.
    case announcing(Bool)
    case timer(ActivationTimer)
}

package enum ActivationTimer: Hashable, Sendable {
    /// The session is not ready in time.
    case connect
    /// The user has not continued.
    case followUp
    /// The session did not close in time.
    case close
    /// The user's turn is too long to be speech to the box.
    case turn
    /// The user did not speak on after the wake word: a sound confirms it.
    case woken
    /// A stop word that began over the box's sound has ended.
    case word
}

/// The words that are listened for locally.
package enum LocalListening: String, Sendable {
    case nothing
    /// The wake words.
    case wake
    /// The wake words and the stop words.
    case stop
}

package enum ActivationEffect: Equatable, Sendable {
    /// The session that opens next belongs to the assistant of this wake word; nil for a word without a table.
    case assistant(String?)
    /// Open the session. With `holdsMicrophone`, everything captured is sent, from the pre-roll on.
    case open(holdsMicrophone: Bool)
    case close
    /// The user interrupts: see `ConversationEvent.interrupt`.
    case interrupt
    /// Silence, and every open request ends: see `ConversationEvent.stop`.
    case silence(isSpoken: Bool)
    /// A stop word was found, but there is nothing to stop: it has no effect.
    case ignoreStop
    /// Ask the typed question in the conversation.
    case ask(TypedQuestion)
    /// Speak a text in the open conversation.
    case say(String)
    /// Speak a text without a conversation, if the box has a voice of its own.
    case announce(String)
    /// Begin with the greeting, unless the user asks something first.
    case greet
    /// Begin a fresh conversation with the agent, and forget known failures.
    case startFresh
    case play(Earcon)
    case pauseMedia
    /// End media that plays or is about to play.
    case endMedia
    /// End the ringing.
    case stopRinging
    /// Quiet hours begin or end: adjust volume, earcons and announcements.
    case quiet(Bool)
    /// Whether to keep the audio before an activation.
    case preRoll(Bool)
    case listen(LocalListening)
    /// Whether the session hears the microphone.
    case hearsRoom(Bool)
    /// Open or close the capture device.
    case capture(Bool)
    /// Save mute and the mode that was set by hand, for the next start.
    case remember(isMuted: Bool, mode: ActivationMode?)
    /// Whether the session reopens when the budget is renewed.
    case keepsOpen(Bool)
    case startTimer(ActivationTimer, Duration)
    case cancelTimer(ActivationTimer)
    case phaseChanged(from: ActivationPhase, to: ActivationPhase)
}

/// A snapshot of activation.
package struct ActivationStatus: Equatable, Sendable {
    package var mode: ActivationMode
    package var phase: ActivationPhase
    package var isMuted: Bool
    package var isQuiet: Bool
    package var listening: LocalListening
    /// Name of the conversation's state.
    package var conversation: String
    /// Name of the assistant whose conversation is open; nil for that of a word without a table, and without a conversation.
    package var assistant: String?

    package init(
        mode: ActivationMode,
        phase: ActivationPhase,
        isMuted: Bool,
        isQuiet: Bool,
        listening: LocalListening,
        conversation: String,
        assistant: String? = nil
    ) {
        self.assistant = assistant
        self.mode = mode
        self.phase = phase
        self.isMuted = isMuted
        self.isQuiet = isQuiet
        self.listening = listening
        self.conversation = conversation
    }
}

extension ActivationEvent {
    /// The sounds that end immediately: the audio thread is told before the event is queued.
    package var silences: SilenceOrders.Sounds {
        switch self {
        case .stop, .stopAll: [.voice, .media, .ring]
        case .silence: [.voice, .ring]
        default: []
        }
    }

    /// Whether the event may be refused: it opens a conversation or says something in it. Events that stop, end or
    /// report are never refused; their sources are bounded, by keys and timers.
    package var mayBeRefused: Bool {
        switch self {
        case .activate, .ask, .say, .reset, .startFresh: true
        case .start, .setMode, .stop, .stopAll, .silence, .conversation, .refused, .speaksOn, .turnBegan, .turnEnded,
            .mute, .toggleMute, .quiet, .media, .rings, .announcing, .timer:
            false
        }
    }
}
