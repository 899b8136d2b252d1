internal import Glibc
internal import Synchronization
import VoiceAudio
import VoiceBase
import VoiceConversation
import VoiceCore
import VoiceSession
import VoiceSimulator

/// The user in the room of a soak, and the pace of its time.
///
/// The card calls once per period. Its time is held while the service is more than 100 ms of audio behind the
/// microphone, and until the conversation has learned of speech (0.3 s at most), so that a soak at twenty times real
/// time on a busy machine differs from a conversation only in its speed. The network thread is woken for each chunk, as
/// it would wake at the usual pace.
final class SoakRoom: Sendable {
    struct Figures: Sendable {
        var tally = ScriptedUser.Tally()
        /// When the service detected speech although no one spoke, in ms of audio.
        var selfInterruptions: [Int] = []
        /// Trace of the daemon before its first failures.
        var trace: [String] = []
        /// When interruptions were missed and when sessions began, in ms of audio.
        var misses: [Int] = []
        var sessionStarts: [Int] = []
        var seconds = 0.0
        var sessions = 0
        /// How many samples at 24 kHz the service is further behind the microphone than at its nearest in this session:
        /// the samples lost on the way.
        var uplinkDrift = 0
        var uplinkLost = 0
        /// Duration heard of an answer according to the daemon, minus the duration that sounded, in ms.
        var heardErrors: [Int] = []
        var errors: [String] = []
        var isOver = false
    }

    private struct State {
        var echo = EchoStatus()
        var user: ScriptedUser
        var feed: ServiceFeed
        var daemon: VoiceDaemon?
        var figures = Figures()
        var periods = 0
        var cuts = 0
        /// The microphone's position at which the service's count for this session began.
        var base: Int?
        var session = 0
        /// The smallest distance from the microphone to the service in these ten seconds.
        var least = Int.max
        var sound: (first: Int, last: Int)?
        var isReady = false
        /// Until when to wait for the daemon to learn of speech, in monotonic time.
        var learnsUntil: Duration?
        var trace = FailureTrace()
    }

    /// Number of samples beyond which the card waits for the service.
    private static let lead = 2400
    /// Time after the user's speech in which the service may still detect it, in ms.
    private static let afterglow = 600
    /// Threshold of audible sound (-50 dBFS).
    private static let audible: Float = 0.003

    private let utterances: [[Float]]
    private let state: Mutex<State>
    private let isPaced: Bool

    init(seed: UInt64, isPaced: Bool, feed: ServiceFeed) {
        let texts = ["Stop that now", "Tell me something else", "What is on today", "No wait a moment"]
        // A talker at about -28 dBFS, with a little silence after the words.
        utterances = texts.map { text in
            SpokenQuestion.samples48k(text, leadMilliseconds: 0, tailMilliseconds: 20).map { Float($0) / 32768 * 0.6 }
        }
        self.isPaced = isPaced
        var manners = ScriptedUser.Manners()
        manners.listensFirst = 30_000
        let user = ScriptedUser(utterances: utterances.map { $0.count / 48 }, manners: manners, seed: seed)
        state = Mutex(State(user: user, feed: feed))
    }

    /// Sets the daemon in this room; called before it starts.
    func attach(_ daemon: VoiceDaemon) {
        state.withLock { $0.daemon = daemon }
    }

    var figures: Figures {
        state.withLock { state in
            state.figures.tally = state.user.tally
            state.figures.seconds = Double(state.periods) / 100
            state.figures.sessions = state.feed.sessions
            state.figures.errors = state.feed.errors
            state.figures.isOver = state.feed.isOver
            state.figures.trace = state.trace.lines
            return state.figures
        }
    }

    /// Follows the daemon's effects.
    func note(_ effect: ConversationEffect) {
        state.withLock { state in
            state.trace.note("\(effect)", at: state.periods * 10)
            switch effect {
            case .stopVoice: state.cuts += 1
            case .stateChanged(_, let next):
                switch next {
                case .connecting, .idle, .error: state.isReady = false
                case .userSpeaking:
                    state.isReady = true
                    state.learnsUntil = nil
                default: state.isReady = true
                }
            case .send(.truncate(_, _, let heard, _)):
                guard let sound = state.sound, state.figures.heardErrors.count < 100_000 else { return }
                state.figures.heardErrors.append(heard - (sound.last - sound.first + 10))
            default: break
            }
        }
    }

    /// One period of the room: see `FileRoom.Listener`.
    func listen(_ room: FileRoom, _ played: UnsafeBufferPointer<Float>) {
        let utterance: Int? = state.withLock { state in
            state.periods += 1
            state.feed.read()
            follow(&state)
            let isSounding = played.contains { abs($0) > Self.audible }
            hear(isSounding, &state)
            let said = state.user.step(
                .init(isSounding: isSounding, cuts: state.cuts, isReady: state.isReady && state.base != nil)
            )
            if state.user.tally.missed > state.figures.misses.count { state.figures.misses.append(state.periods * 10) }
            if state.feed.takeStarts() > 0 {
                state.learnsUntil = Monotonic.now() + .milliseconds(300)
                if (state.user.sinceSpeech ?? .max) > Self.afterglow {
                    state.figures.selfInterruptions.append(state.periods * 10)
                }
            }
            if said != nil { state.trace.note("the user speaks", at: state.periods * 10) }
            noteEcho(&state)
            state.trace.look(
                [
                    state.user.tally.missed, state.user.tally.unanswered, state.feed.errors.count,
                    state.figures.selfInterruptions.count,
                ],
                at: state.periods * 10
            )
            return said
        }
        if let utterance { room.say(utterances[utterance]) }
        guard isPaced else { return }
        let daemon: VoiceDaemon? = state.withLock { $0.periods.isMultiple(of: 2) ? $0.daemon : nil }
        daemon?.pump.perform { _ in }
        for _ in 0..<2000 where !mustWait() { return }
        // After two seconds the samples are considered lost.
        state.withLock { state in
            state.figures.uplinkLost += 1
            state.base = nil
        }
    }

    /// Traces changes of the duplex mode and of the echo's delay, which help to explain a missed interruption.
    private func noteEcho(_ state: inout State) {
        guard let ports = state.daemon?.ports else { return }
        let echo = ports.gauges.echo
        let isMoved = ((echo.delay ?? 0) - (state.echo.delay ?? 0)).magnitude > 2
        if echo.state != state.echo.state || echo.isAligned != state.echo.isAligned || echo.jumps != state.echo.jumps
            || isMoved
        {
            state.trace.note(
                "echo: \(echo.state.reason), linear ERLE \(echo.figures.linearERLE ?? 0) dB, at \(echo.delay ?? 0) ms, "
                    + "\(echo.isAligned ? "" : "not ")aligned, drift \(echo.drift ?? 0) ppm, \(echo.jumps) jumps",
                at: state.periods * 10
            )
        }
        state.echo = echo
    }

    /// Whether the service is too far behind; waits briefly if so.
    private func mustWait() -> Bool {
        state.withLock { state in
            guard behind(state) > Self.lead || learns(state) else { return false }
            state.feed.read(waiting: 1)
            follow(&state)
            return behind(state) > Self.lead || learns(state)
        }
    }

    /// Whether the conversation has yet to learn that the service detected speech.
    private func learns(_ state: State) -> Bool {
        guard let until = state.learnsUntil else { return false }
        return Monotonic.now() < until
    }

    private func behind(_ state: State) -> Int {
        guard let base = state.base, state.feed.isConnected else { return 0 }
        return state.periods * AudioFormat.wirePeriodSamples - base - state.feed.received - withheld(state)
    }

    /// Samples that a closed gate may hold back, which are not late.
    private func withheld(_ state: State) -> Int {
        guard let daemon = state.daemon, !daemon.ports.gauges.echo.isOpen else { return 0 }
        return UplinkLine.capacity * AudioFormat.wirePeriodSamples
    }

    /// Compares the microphone's position with the service's.
    private func follow(_ state: inout State) {
        if state.session != state.feed.sessions || !state.feed.isConnected {
            if state.session != state.feed.sessions { state.figures.sessionStarts.append(state.periods * 10) }
            state.session = state.feed.sessions
            state.base = nil
            state.least = .max
        }
        guard state.feed.isConnected, state.feed.received > 0 else { return }
        // The smallest distance so far belongs to a chunk that was delivered immediately.
        let distance = state.periods * AudioFormat.wirePeriodSamples - state.feed.received
        let base = min(state.base ?? .max, distance)
        state.base = base
        state.least = min(state.least, distance)
        guard state.periods.isMultiple(of: 1000) else { return }
        state.figures.uplinkDrift = state.least - base
        state.least = .max
    }

    /// Records when the current answer was first and last audible, in ms.
    private func hear(_ isSounding: Bool, _ state: inout State) {
        guard isSounding else { return }
        let now = state.periods * 10
        if let sound = state.sound, now - sound.last < 400 {
            state.sound?.last = now
        } else {
            state.sound = (now, now)
        }
    }
}
