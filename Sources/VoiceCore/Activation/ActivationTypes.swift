package import VoiceBase
package import VoiceConfiguration
package import VoiceConversation

package typealias ActivationMode = Configuration.Activation.Mode

/// Where activation stands.
package enum ActivationPhase: String, Sendable {
    /// No session; no audio leaves the machine.
    case idle
    /// Called; the session is being opened, or waits for the user's first word.
    case awake
    /// The user speaks, waits or is being answered.
    case conversation
    /// After an answer: the user may go on without a new call.
    case followUp
    /// The session is being closed.
    case closing
}

package enum ActivationTrigger: Equatable, Sendable {
    case word(String)
    case button
    case command
    /// A typed question: it needs no microphone, and no sound that asks for words.
    case text
    /// A conversation begins afresh: nothing that was said before goes into it.
    case reset
}

package enum ActivationEvent: Equatable, Sendable {
    /// The daemon is up.
    case start
    case setMode(ActivationMode)
    /// Called.
    case activate(ActivationTrigger)
    /// "Stop": silence; where nothing was being said, the end of the conversation; pauses media.
    /// - isSpoken: the word itself may still reach the service, and is no turn.
    case stop(isSpoken: Bool)
    /// The same by a command, which ends media.
    case stopAll
    /// Silence, and nothing else: the conversation and media go on.
    case silence
    /// Ends the conversation, whatever is being said.
    case end
    /// An open conversation ends, whatever is being said, and another begins in its place.
    case reset
    /// The same, and the agent too forgets what was said; what is known of a failure counts no more.
    case startFresh
    /// Has the voice say a text in an open conversation.
    case say(String)
    /// The conversation changed its state.
    case conversation(ConversationState)
    /// A session was refused because its budget is spent.
    case refused
    /// The user's turn began so many milliseconds into the session's audio; 0 where the service does not say.
    case turnBegan(milliseconds: Int)
    /// It ended so many milliseconds into it.
    case turnEnded(milliseconds: Int)
    case mute(Bool)
    case toggleMute
    /// A question that was typed.
    case ask(String)
    /// Quiet hours begin or end.
    case quiet(Bool)
    /// Music or speech of the media player begins or ends to sound.
    case media(Bool)
    /// A timer or an alarm begins or ends to ring.
    case rings(Bool)
    case timer(ActivationTimer)
}

package enum ActivationTimer: Hashable, Sendable {
    /// The session must be ready by now.
    case connect
    /// The user has not gone on.
    case followUp
    /// The session should be closed by now.
    case close
    /// The user's turn has lasted too long: it is no talk to the box.
    case turn
}

/// What is listened for on this machine.
package enum LocalListening: String, Sendable {
    case nothing
    /// The words that open a conversation.
    case wake
    /// Those, and the words that stop it.
    case stop
}

package enum ActivationEffect: Equatable, Sendable {
    /// Open the session; `holdsMicrophone`: from the kept moments before on, everything captured is sent.
    case open(holdsMicrophone: Bool)
    case close
    /// The user takes the word: see `ConversationEvent.interrupt`.
    case interrupt
    /// Nothing of what was asked is said or done: see `ConversationEvent.stop`.
    case silence(isSpoken: Bool)
    /// Put a typed question to the conversation.
    case ask(String)
    /// Have the voice say a text.
    case say(String)
    /// Begin with the greeting, unless the user has asked something by then.
    case greet
    /// Begin a fresh conversation with the agent, and forget what is known of a failure.
    case startFresh
    case play(Earcon)
    case pauseMedia
    /// Ends what plays, or is about to.
    case endMedia
    /// What rings has been heard.
    case stopRinging
    /// Quiet hours begin or end: volume, sounds and announcements follow.
    case quiet(Bool)
    /// Whether a session is to be kept ready for the next call.
    case keepsWarm(Bool)
    /// Whether the moments before an activation are kept.
    case preRoll(Bool)
    case listen(LocalListening)
    /// Open the capture device, or close it.
    case capture(Bool)
    /// Mute and the mode that was set by hand, for the next start.
    case remember(isMuted: Bool, mode: ActivationMode?)
    /// Whether the session opens again by itself when there is a budget again.
    case keepsOpen(Bool)
    case startTimer(ActivationTimer, Duration)
    case cancelTimer(ActivationTimer)
    case phaseChanged(from: ActivationPhase, to: ActivationPhase)
}

/// Activation at one instant.
package struct ActivationStatus: Equatable, Sendable {
    package var mode: ActivationMode
    package var phase: ActivationPhase
    package var isMuted: Bool
    /// Quiet hours.
    package var isQuiet: Bool
    package var listening: LocalListening
    /// The conversation's state, by its name.
    package var conversation: String

    package init(
        mode: ActivationMode,
        phase: ActivationPhase,
        isMuted: Bool,
        isQuiet: Bool,
        listening: LocalListening,
        conversation: String
    ) {
        self.mode = mode
        self.phase = phase
        self.isMuted = isMuted
        self.isQuiet = isQuiet
        self.listening = listening
        self.conversation = conversation
    }
}

/// Where the events of activation are put, in their order, by whoever sees them.
///
/// The bound is far above what minutes bring; what does not fit is lost, the newest first.
package final class ActivationInbox: Sendable {
    package struct Envelope: Sendable {
        package var event: ActivationEvent
        /// To be kept once its effects are on their way; false where it was lost.
        package var isHandled: Promise<Bool>?
    }

    package let envelopes: AsyncStream<Envelope>
    private let continuation: AsyncStream<Envelope>.Continuation

    package init() {
        (envelopes, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(1024))
    }

    package func post(_ event: ActivationEvent) {
        continuation.yield(Envelope(event: event))
    }

    /// Posts it, and waits until its effects are on their way.
    ///
    /// - Returns: false where it was lost, or was not handled within `limit`.
    package func handle(_ event: ActivationEvent, within limit: Duration) async -> Bool {
        let isHandled = Promise<Bool>()
        if case .enqueued = continuation.yield(Envelope(event: event, isHandled: isHandled)) {
            return await TimeLimit.run(limit) { await isHandled.wait() } ?? false
        }
        return false
    }

    package func close() {
        continuation.finish()
    }
}
