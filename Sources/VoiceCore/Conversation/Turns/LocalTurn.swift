internal import VoiceBase

/// Properties of 10 ms of the cleaned microphone signal that matter for turn detection.
package struct HeardStep: Equatable, Sendable {
    /// Whether the detector hears a voice.
    package var isVoice: Bool
    /// Level in dBFS.
    package var level: Float
    /// Level of the room without a voice, in dBFS.
    package var floor: Float
    /// Whether the box is playing sound.
    package var boxSounds = false
    /// Muted or held back by the gate: all samples are zero.
    package var isHeldBack = false

    package init(isVoice: Bool, level: Float = -30, floor: Float = -60) {
        self.isVoice = isVoice
        self.level = level
        self.floor = floor
    }
}

package enum LocalTurnEvent: Equatable, Sendable {
    case heard(HeardStep)
    /// The text recognised in the audio of a look, identified by the number of the look.
    case transcript(String, look: Int)
    /// The audio of the look could not be recognised.
    case failed(look: Int)
    /// Partial text of the current turn from a streaming server; it may only make a look earlier and is never acted on.
    case partial(String)
    /// The first sample of the answer has reached the loudspeaker.
    case answerBegan
    /// The answer was spoken completely, or cut for another reason ("stop").
    case answerEnded
    /// Words spoken by the box, as they are heard.
    case boxSaid(String)
    /// The request of the last turn has begun to change something, so it can no longer be superseded.
    case requestActs
    /// The current turn was discarded.
    case forgotten
    /// The conversation has ended.
    case conversationEnded
}

package enum LocalTurnEffect: Equatable, Sendable {
    /// The user speaks: audio from this step on belongs to the turn. Open the recogniser's connection now.
    case began(from: Int)
    /// Recognise this audio; several ranges are one utterance that was too long for one.
    case look(Int, of: [Range<Int>])
    /// The current look is void: the user continues in the same turn.
    case goesOn
    /// The turn is over, with these words.
    case give(LocalUtterance)
    /// Withdraw the request of the last turn: it was ended too early and will be repeated as a whole.
    case supersede
    case drop(LocalDropReason)
    /// The user interrupts: cut the answer.
    case bargeIn
    /// It was no interruption: continue from the beginning of the sentence that was cut.
    case resumeAnswer
}

/// The words of one turn.
package struct LocalUtterance: Equatable, Sendable {
    package var text: String
    /// The range of steps that holds its audio.
    package var steps: Range<Int>
    /// False if it barely counted as speech: it must not approve or command anything.
    package var isSure: Bool
    /// Whether it interrupted the box.
    package var isBargeIn: Bool
}

package enum LocalDropReason: String, Sendable, CaseIterable {
    case tooLittleVoice = "too little voice"
    case tooSoft = "not louder than the room"
    case heldBack = "mostly held back"
    case noWords = "no words"
    case tooManyWords = "more words than voice"
    case phantom = "typical misrecognition of noise"
    case echo = "echo heard as speech"
    case backchannel = "agreement while the box speaks"
    case notRecognised = "not recognised"
}

/// Turn detection for local recognisers, which report words but no turns. Without I/O, clock or task; time is counted
/// in steps of 10 ms of audio.
///
///     idle --voice--> collecting --silence--> looking --text--> waiting --silence--> given --answer heard--> idle
///                         ^------------ voice ----'----------------'-- voice: joined, --'
///
/// A look requests the text during the wait for the end of the turn: recognition takes about as long as the wait, so
/// the text is available when the turn ends, and it determines how long to wait. If the user continues after all, the
/// turn is recognised again as a whole: the audio of the parts is joined, never their texts, because a recogniser
/// completes truncated speech with words no one said.
package struct LocalTurn: Sendable {
    package struct Options: Equatable, Sendable {
        /// All in steps of 10 ms. A voice begins with `startVoice` voiced steps within `startWindow`...
        package var startVoice = 20
        package var startWindow = 30
        /// ...and while the box is playing with `bargeInVoice` steps within `bargeInWindow`. The gate has judged by then
        /// whether they are residual echo.
        package var bargeInVoice = 30
        package var bargeInWindow = 40
        /// Audio before the voice that belongs to the turn.
        package var preRoll = 40
        /// Silence after which the text is requested: early enough before the end of the turn that recognition adds
        /// nothing to the wait, and longer than pauses within words, which would cause a useless recognition each.
        package var look = 16
        package var hangover = Configuration.Local().hangoverMS / 10
        package var hangovers = 40...150
        /// Shortens the wait after a question, but not after a full stop, which recognisers add to any text.
        package var finishedLess = 20
        package var unfinishedMore = 60
        package var shortMore = 20
        /// A turn with less voice is short.
        package var short = 60
        package var longest = 3000
        package var mostJoins = 3
        /// Margins of the audio sent to the recogniser, before and after the voice.
        package var marginBefore = 30
        package var marginAfter = 20
        /// How long a short barge-in may stay without words. A longer one is not a cough: its text is waited for as long as the
        /// recogniser takes, which may be seconds on a busy machine.
        package var wordless = 150
        /// A user who speaks again within this time, even if an answer has begun, only paused.
        package var pause = 150
        /// Time after the conversation until the learned pace of the talker is forgotten.
        package var forgetAfter = 60_000
        /// Whether a recogniser reports the words; otherwise only silence ends a turn.
        package var hasWords = true

        package init() {}
    }

    package enum Phase: Equatable, Sendable {
        case idle
        case collecting
        /// Silence; the text has been requested.
        case looking
        /// Silence; the text is available.
        case waiting
        /// The turn is over; its answer has not been heard yet.
        case given
    }

    /// The current turn, or the last one once it is given. Places are in steps.
    private struct Turn {
        /// Where its audio begins, and the voice in it.
        var start = 0
        var voiceStart = 0
        var lastVoice = 0
        var evidence = VoiceEvidence()
        /// The text of the latest look.
        var text: String?
        /// It is too long for one utterance, and ends without silence.
        var isCut = false
        var isBargeIn = false
        var bargedAt = 0
        /// How often it was given too early, and whether its request can still be withdrawn.
        var joins = 0
        var mayJoin = true
        var partial = ""
        var partialSince = 0
        /// The pause before it, if the user had only paused.
        var pauseBefore: Int?
    }

    /// The beginning of the next turn, which follows a cut without a gap.
    private struct Overrun {
        var from: Int
        var lastVoice: Int
        var evidence = VoiceEvidence()
    }

    package private(set) var phase = Phase.idle
    /// Number of dropped turns, by reason.
    package private(set) var dropped: [LocalDropReason: Int] = [:]
    /// Number of turns that were ended too early and joined.
    package private(set) var joined = 0
    private let options: Options
    private var pace: TalkPace
    private var voices = VoiceWindow()
    private var levels = LevelWindow()
    private var position = 0
    private var turn = Turn()
    private var lookNumber = 0
    /// What is said while the text of a turn that was cut is awaited.
    private var overrun: Overrun?
    private var isAnswering = false
    private var spoken = SpokenEcho()
    /// The last voice of the last completed turn.
    private var givenVoice: Int?
    private var isFirst = true
    private var endedAt: Int?

    package init(options: Options = Options()) {
        self.options = options
        pace = TalkPace(base: options.hangover, range: options.hangovers)
    }

    /// Whether the current turn is speech, as far as is known; a turn that only resembles speech is dropped at its end.
    package var isSpeech: Bool { turn.evidence.weakness == nil }

    /// Whether the current or last turn is a sentence whose talker expects an answer, whether or not its words are recognised.
    package var isClear: Bool { turn.evidence.isClear }

    /// The wait after an ordinary sentence, in steps.
    package var hangover: Int { pace.hangover }

    package mutating func handle(_ event: LocalTurnEvent) -> [LocalTurnEffect] {
        switch event {
        case .heard(let step): return hear(step)
        case .transcript(let words, let look):
            guard look == lookNumber, phase == .looking else { return [] }
            turn.text = words
            phase = .waiting
            return settle()
        case .failed(let look):
            guard look == lookNumber, phase == .looking else { return [] }
            return drop(.notRecognised)
        case .partial(let words):
            if words != turn.partial { (turn.partial, turn.partialSince) = (words, position) }
        case .answerBegan:
            isAnswering = true
            if phase == .given { phase = .idle }
        case .answerEnded:
            isAnswering = false
            if phase == .given { phase = .idle }
        case .boxSaid(let words): spoken.say(words, at: position)
        case .requestActs: turn.mayJoin = false
        case .forgotten:
            lookNumber += 1
            turn.text = nil
            overrun = nil
            turn.isBargeIn = false
            phase = .idle
            voices = VoiceWindow()
        case .conversationEnded:
            endedAt = position
            givenVoice = nil
            isFirst = true
            isAnswering = false
            if phase == .given { phase = .idle }
        }
        return []
    }

    // MARK: Sound

    private mutating func hear(_ step: HeardStep) -> [LocalTurnEffect] {
        position += 1
        let counts = step.isVoice && !step.isHeldBack
        voices.add(counts)
        levels.add(step.level)
        forgetTalker()
        switch phase {
        case .idle: return wait(step)
        case .given: return turn.evidence.isDue(voices, options, boxSounds: step.boxSounds) ? join(step) : []
        case .collecting: return collect(step)
        case .looking, .waiting:
            turn.evidence.add(step, isVoice: counts)
            overrun?.evidence.add(step, isVoice: counts)
            if voices.isVoice { overrun?.lastVoice = position }
            if voices.isVoice, !turn.isCut {
                // The user continues.
                pace.paused(position - turn.lastVoice)
                turn.lastVoice = position
                lookNumber += 1
                turn.text = nil
                phase = .collecting
                return [.goesOn] + collect(step)
            }
            return settle()
        }
    }

    /// Handles a step while no one is speaking, or only the box.
    private mutating func wait(_ step: HeardStep) -> [LocalTurnEffect] {
        guard turn.evidence.isDue(voices, options, boxSounds: step.boxSounds) else { return [] }
        return (isAnswering ? [.bargeIn] : []) + begin(step, isBargeIn: isAnswering)
    }

    private mutating func begin(_ step: HeardStep, isBargeIn: Bool) -> [LocalTurnEffect] {
        let window = step.boxSounds ? options.bargeInWindow : options.startWindow
        let voiceStart = max(0, position - window)
        var next = Turn(start: max(0, voiceStart - options.preRoll), voiceStart: voiceStart, lastVoice: position)
        next.evidence.began(voices, window: window, step)
        (next.isBargeIn, next.bargedAt) = (isBargeIn, position)
        next.pauseBefore = givenVoice.map { voiceStart - $0 }.flatMap { $0 <= options.pause ? $0 : nil }
        return begin(next)
    }

    private mutating func begin(_ next: Turn) -> [LocalTurnEffect] {
        turn = next
        givenVoice = nil
        endedAt = nil
        phase = .collecting
        return [.began(from: turn.start)]
    }

    private mutating func collect(_ step: HeardStep) -> [LocalTurnEffect] {
        if phase == .collecting { turn.evidence.add(step, isVoice: voices.last) }
        if voices.isVoice { turn.lastVoice = position }
        if position - turn.start >= options.longest { return cut() }
        let silence = position - turn.lastVoice
        let isPromised =
            SpokenEnd(turn.partial).isWhole && position - turn.partialSince >= options.look
            && silence >= options.look / 2
        guard silence >= options.look || isPromised else { return [] }
        lookNumber += 1
        phase = .looking
        return [.look(lookNumber, of: [sound])]
    }

    /// The audio of the turn, with its margins.
    private var sound: Range<Int> {
        let from = max(turn.start, turn.voiceStart - options.marginBefore)
        return min(from, turn.lastVoice)..<max(turn.lastVoice, min(position, turn.lastVoice + options.marginAfter))
    }

    /// The turn exceeds the limit of a recogniser: ends it and splits it at the quietest place.
    private mutating func cut() -> [LocalTurnEffect] {
        let place = max(turn.start + 1, min(position - 1, position - levels.quietest(of: 20)))
        turn.isCut = true
        overrun = Overrun(from: position, lastVoice: position)
        lookNumber += 1
        phase = .looking
        return [.look(lookNumber, of: [turn.start..<place, place..<position])]
    }

    // MARK: The end of a turn

    private mutating func settle() -> [LocalTurnEffect] {
        let silence = position - turn.lastVoice
        guard options.hasWords else { return settleWithoutWords(silence) }
        let isBrief = turn.evidence.voiced < options.short
        if turn.isBargeIn, isBrief, phase == .looking, position - turn.bargedAt >= options.wordless,
            silence >= options.wordless
        {
            return drop(.noWords)
        }
        guard let text = turn.text else {
            // There is no need to wait for text without speech.
            if silence >= pace.hangover, let reason = turn.evidence.weakness { return drop(reason) }
            return []
        }
        if let reason = judge(text) { return drop(reason) }
        guard turn.isCut || silence >= wait(for: text) else { return [] }
        return give(text)
    }

    private mutating func settleWithoutWords(_ silence: Int) -> [LocalTurnEffect] {
        let more = turn.evidence.voiced < options.short ? options.shortMore : 0
        guard turn.isCut || silence >= pace.hangover + more else { return [] }
        if let reason = turn.evidence.weakness { return drop(reason) }
        return give("")
    }

    private mutating func give(_ text: String) -> [LocalTurnEffect] {
        let utterance = LocalUtterance(
            text: text, steps: turn.start..<position, isSure: turn.evidence.isStrong(words: Self.words(text).count),
            isBargeIn: turn.isBargeIn
        )
        phase = .given
        // Only now, because a dropped turn was not a user who continued.
        if let pause = turn.pauseBefore { pace.paused(pause) }
        turn.pauseBefore = nil
        givenVoice = turn.lastVoice
        pace.turnEnded()
        isFirst = false
        isAnswering = false
        return [.give(utterance)] + goOn()
    }

    /// The required silence after these words, in steps.
    func wait(for text: String) -> Int {
        var wait = pace.hangover
        switch SpokenEnd(text) {
        case .finished: wait -= options.finishedLess
        case .unfinished: wait += options.unfinishedMore
        case .stopped, .unknown: break
        }
        if turn.evidence.voiced < options.short { wait += options.shortMore }
        return max(wait, options.look)
    }

    /// Why this is not a turn; nil if it is. Words without a voice do not count.
    private func judge(_ text: String) -> LocalDropReason? {
        if let weakness = turn.evidence.weakness { return weakness }
        let words = Self.words(text)
        if words.isEmpty { return .noWords }
        // At most 7 words per second of voice, plus two.
        if words.count * 100 > 7 * turn.evidence.voiced + 200 { return .tooManyWords }
        if PhantomWords.asksNothing(words) { return .phantom }
        if PhantomWords.contains(words), isFirst || PhantomWords.repeats(words) || !fits(words) { return .phantom }
        if turn.evidence.overBox, spoken.holds(words, at: position) { return .echo }
        if turn.isBargeIn, PhantomWords.isAgreement(words) { return .backchannel }
        return nil
    }

    /// Whether the voice is about as long as it takes to say the words: 150 to 800 ms for each syllable.
    private func fits(_ words: [String]) -> Bool {
        let syllables = PhantomWords.syllables(words)
        return (15 * syllables...80 * syllables).contains(turn.evidence.voiced)
    }

    private mutating func drop(_ reason: LocalDropReason) -> [LocalTurnEffect] {
        dropped[reason, default: 0] += 1
        var effects: [LocalTurnEffect] = [.drop(reason)]
        if turn.isBargeIn { effects.append(.resumeAnswer) }
        lookNumber += 1
        turn.text = nil
        turn.isBargeIn = false
        phase = .idle
        voices = VoiceWindow()
        return effects + goOn()
    }

    /// Begins the next turn with the speech since a cut, if it is speech, perhaps over by now.
    private mutating func goOn() -> [LocalTurnEffect] {
        guard let more = overrun else { return [] }
        overrun = nil
        guard more.evidence.voiced >= options.startVoice else { return [] }
        // The recogniser may have taken longer than the longest turn.
        let start = max(more.from, position - options.longest + options.look)
        return begin(Turn(start: start, voiceStart: start, lastVoice: more.lastVoice, evidence: more.evidence))
    }

    // MARK: A turn that was cut too early

    private mutating func join(_ step: HeardStep) -> [LocalTurnEffect] {
        guard turn.mayJoin, turn.joins < options.mostJoins, position - turn.start < options.longest else {
            return begin(step, isBargeIn: false)
        }
        turn.joins += 1
        joined += 1
        pace.paused(position - turn.lastVoice)
        turn.lastVoice = position
        lookNumber += 1
        turn.text = nil
        phase = .collecting
        turn.evidence.add(step, isVoice: voices.last)
        return [.supersede, .goesOn]
    }

    private mutating func forgetTalker() {
        guard let ended = endedAt, position - ended >= options.forgetAfter else { return }
        endedAt = nil
        pace = TalkPace(base: options.hangover, range: options.hangovers)
    }

    /// Lower-case words, without surrounding punctuation.
    static func words(_ text: String) -> [String] {
        text.lowercased().split { !$0.isLetter && !$0.isNumber && $0 != "'" && $0 != "\u{2019}" }
            .map { String($0.replacing("\u{2019}", with: "'")) }.filter(\.isSayable)
    }
}
