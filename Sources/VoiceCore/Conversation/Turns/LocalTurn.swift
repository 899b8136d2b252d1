internal import VoiceBase
internal import VoiceConfiguration

/// Ten milliseconds of the cleaned microphone, as far as turns are concerned.
package struct HeardStep: Equatable, Sendable {
    /// The detector hears a voice in it.
    package var isVoice: Bool
    /// In dBFS.
    package var level: Float
    /// Of the room without a voice, in dBFS.
    package var floor: Float
    /// The box itself sounds.
    package var boxSounds = false
    /// By how much it is louder than what may be left of the echo, in dB.
    package var overResidue: Float = 20
    /// The gate or mute held it back: it is zero.
    package var isHeldBack = false

    package init(isVoice: Bool, level: Float = -30, floor: Float = -60) {
        self.isVoice = isVoice
        self.level = level
        self.floor = floor
    }
}

package enum LocalTurnEvent: Equatable, Sendable {
    case heard(HeardStep)
    /// What the recogniser made of the sound of a look, by its number.
    case transcript(String, look: Int)
    /// It could not be recognised.
    case failed(look: Int)
    /// Words of a server that streams, of the turn under way: they may hasten a look and are never acted on.
    case partial(String)
    /// The answer's first sample is at the loudspeaker.
    case answerBegan
    /// The answer was said to its end, or cut from elsewhere ("stop").
    case answerEnded
    /// What the box says, as it is heard.
    case boxSaid(String)
    /// The request of the last turn has begun to change something: it is not superseded any more.
    case requestActs
    /// What is heard of the turn under way was taken back.
    case forgotten
    /// The conversation is over.
    case conversationEnded
}

package enum LocalTurnEffect: Equatable, Sendable {
    /// The user speaks: sound from this step on belongs to the turn. A recogniser's connection is opened now.
    case began(from: Int)
    /// Have this sound recognised: several ranges are one utterance that was too long for one.
    case look(Int, of: [Range<Int>])
    /// The look under way is void: he goes on, in the same turn.
    case goesOn
    /// The turn is over, and this was said in it.
    case give(LocalUtterance)
    /// What was asked with the last turn is taken back: it was cut too early, and comes again as a whole.
    case supersede
    case drop(LocalDropReason)
    /// Media and voice make way for who may be about to speak, or come back.
    case duck(Bool)
    /// The user takes the word: cut what is being said.
    case bargeIn
    /// He has not: go on from the beginning of the sentence that was cut.
    case resumeAnswer
}

/// What was said in one turn.
package struct LocalUtterance: Equatable, Sendable {
    package var text: String
    /// The steps of its sound.
    package var steps: Range<Int>
    /// False where it only just counted as speech: nothing that is approved or commanded comes of it.
    package var isSure: Bool
    /// It took the word from the box.
    package var isBargeIn: Bool
}

package enum LocalDropReason: String, Sendable, CaseIterable {
    case tooLittleVoice = "too little voice"
    case tooSoft = "not louder than the room"
    case heldBack = "mostly held back"
    case noWords = "no words"
    case tooManyWords = "more words than voice"
    case phantom = "words that recognisers make of noise"
    case echo = "echo heard as speech"
    case backchannel = "agreement while the box speaks"
    case notRecognised = "not recognised"
}

/// Whose turn it is, decided here: recognisers of the house know words and no turns. No I/O, clock or task; time is the
/// sound itself, in steps of 10 ms.
///
///     idle --voice--> collecting --silence--> looking --text--> waiting --silence--> given --answer heard--> idle
///                         ^------------ voice ----'----------------'-- voice: joined, --'
///
/// A look asks for the text while it goes on waiting: recognising takes about as long as the wait, so the text is there when the turn
/// is over, and says how long to wait. Who goes on after all is recognised again as a whole: the sound of the parts is
/// joined, never their texts, since a recogniser completes what was cut with what nobody said.
package struct LocalTurn: Sendable {
    package struct Options: Equatable, Sendable {
        /// All in steps of 10 ms. Voice begins with so many of so many steps...
        package var startVoice = 20
        package var startWindow = 30
        /// ...and while the box sounds with so many, so much louder than the residue of its echo.
        package var bargeInVoice = 30
        package var bargeInWindow = 40
        package var bargeInMargin: Float = 6
        package var duckVoice = 10
        /// Sound from before the voice that belongs to the turn.
        package var preRoll = 40
        /// Silence after which the text is asked for: so much sooner than the turn can be over that recognising adds nothing to
        /// the wait, and longer than the pauses within words, each of which would cost a recognition for nothing.
        package var look = 16
        package var hangover = Configuration.Local().hangoverMS / 10
        package var hangovers = 40...150
        /// Behind a question. Not behind a full stop: recognisers set one behind whatever they are given.
        package var finishedLess = 20
        package var unfinishedMore = 60
        package var shortMore = 20
        /// Less voice is a short turn.
        package var short = 60
        package var longest = 3000
        package var mostJoins = 3
        /// Sound that is sent: so much before the voice, so much behind it.
        package var marginBefore = 30
        package var marginAfter = 20
        /// How long a barge-in may stay without words.
        package var wordless = 150
        /// Who speaks again so soon after his last word, though an answer has begun, had not finished: he paused.
        package var pause = 150
        /// What was learned of a talker is forgotten so long after the conversation.
        package var forgetAfter = 60_000
        /// A recogniser tells the words; without one a turn is over by its silence alone.
        package var hasWords = true

        package init() {}
    }

    package enum Phase: Equatable, Sendable {
        case idle
        case collecting
        /// Silence; the text is on its way.
        case looking
        /// Silence; the text is there.
        case waiting
        /// Given; the answer has not been heard yet.
        case given
    }

    package private(set) var phase = Phase.idle
    /// How many turns were dropped, by reason.
    package private(set) var dropped: [LocalDropReason: Int] = [:]
    /// Turns that had been given too early and were joined.
    package private(set) var joined = 0
    private let options: Options
    private var pace: TalkPace
    private var voices = VoiceWindow()
    private var levels = LevelWindow()
    private var position = 0
    private var evidence = VoiceEvidence()
    private var start = 0
    private var voiceStart = 0
    private var lastVoice = 0
    private var lookNumber = 0
    private var text: String?
    private var isCut = false
    private var joins = 0
    private var mayJoin = true
    private var partial = ""
    private var partialSince = 0
    private var isAnswering = false
    private var isDucked = false
    private var isBargeIn = false
    private var bargedAt = 0
    private var spoken = SpokenEcho()
    /// The last voice of the turn that was given last, and the pause that the turn under way began with, if it was one.
    private var givenVoice: Int?
    private var pauseBefore: Int?
    private var isFirst = true
    private var endedAt: Int?

    package init(options: Options = Options()) {
        self.options = options
        pace = TalkPace(base: options.hangover, range: options.hangovers)
    }

    /// What was heard of the turn under way is speech by all that is known: what only looks like it is dropped in the end.
    package var isSpeech: Bool { evidence.weakness == nil }

    /// The wait after the last word of an ordinary sentence, in steps.
    package var hangover: Int { pace.hangover }

    package mutating func handle(_ event: LocalTurnEvent) -> [LocalTurnEffect] {
        switch event {
        case .heard(let step): return hear(step)
        case .transcript(let words, let look):
            guard look == lookNumber, phase == .looking else { return [] }
            text = words
            phase = .waiting
            return settle()
        case .failed(let look):
            guard look == lookNumber, phase == .looking else { return [] }
            return drop(.notRecognised)
        case .partial(let words):
            if words != partial { (partial, partialSince) = (words, position) }
        case .answerBegan:
            isAnswering = true
            if phase == .given { phase = .idle }
        case .answerEnded:
            isAnswering = false
            if phase == .given { phase = .idle }
        case .boxSaid(let words): spoken.say(words, at: position)
        case .requestActs: mayJoin = false
        case .forgotten:
            lookNumber += 1
            text = nil
            isBargeIn = false
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
        let counts = step.isVoice && !step.isHeldBack && (!step.boxSounds || step.overResidue >= options.bargeInMargin)
        voices.add(counts)
        levels.add(step.level)
        forgetTalker()
        switch phase {
        case .idle: return wait(step)
        case .given: return evidence.isDue(voices, options, boxSounds: step.boxSounds) ? join(step) : []
        case .collecting: return collect(step)
        case .looking, .waiting:
            evidence.add(step, isVoice: counts)
            if voices.isVoice, !isCut {
                // He goes on.
                pace.paused(position - lastVoice)
                lastVoice = position
                lookNumber += 1
                text = nil
                phase = .collecting
                return [.goesOn] + collect(step)
            }
            return settle()
        }
    }

    /// Nobody speaks yet; or the box does.
    private mutating func wait(_ step: HeardStep) -> [LocalTurnEffect] {
        var effects: [LocalTurnEffect] = []
        if isAnswering {
            let isNear = voices.count(in: options.duckVoice * 2) >= options.duckVoice
            if isNear, !isDucked {
                isDucked = true
                effects.append(.duck(true))
            } else if isDucked, voices.count(in: options.bargeInWindow) == 0 {
                isDucked = false
                effects.append(.duck(false))
            }
        }
        guard evidence.isDue(voices, options, boxSounds: step.boxSounds) else { return effects }
        isBargeIn = isAnswering
        bargedAt = position
        if isAnswering { effects.append(.bargeIn) }
        joins = 0
        return effects + begin(step)
    }

    private mutating func begin(_ step: HeardStep) -> [LocalTurnEffect] {
        let window = step.boxSounds ? options.bargeInWindow : options.startWindow
        evidence = VoiceEvidence()
        evidence.began(voices, window: window, step)
        voiceStart = max(0, position - window)
        start = max(0, voiceStart - options.preRoll)
        pauseBefore = givenVoice.map { voiceStart - $0 }.flatMap { $0 <= options.pause ? $0 : nil }
        givenVoice = nil
        lastVoice = position
        text = nil
        partial = ""
        isCut = false
        mayJoin = true
        endedAt = nil
        phase = .collecting
        return [.began(from: start)]
    }

    private mutating func collect(_ step: HeardStep) -> [LocalTurnEffect] {
        if phase == .collecting { evidence.add(step, isVoice: voices.last) }
        if voices.isVoice { lastVoice = position }
        if position - start >= options.longest { return cut() }
        let silence = position - lastVoice
        let isPromised =
            SpokenEnd(partial).isWhole && position - partialSince >= options.look && silence >= options.look / 2
        guard silence >= options.look || isPromised else { return [] }
        lookNumber += 1
        phase = .looking
        return [.look(lookNumber, of: [sound])]
    }

    /// The sound of the turn with its margins.
    private var sound: Range<Int> {
        let from = max(start, voiceStart - options.marginBefore)
        return min(from, lastVoice)..<max(lastVoice, min(position, lastVoice + options.marginAfter))
    }

    /// Longer than a recogniser looks: cut where it is quietest, and over.
    private mutating func cut() -> [LocalTurnEffect] {
        let place = max(start + 1, min(position - 1, position - levels.quietest(of: 20)))
        isCut = true
        lookNumber += 1
        phase = .looking
        return [.look(lookNumber, of: [start..<place, place..<position])]
    }

    // MARK: The end of a turn

    private mutating func settle() -> [LocalTurnEffect] {
        let silence = position - lastVoice
        guard options.hasWords else { return settleWithoutWords(silence) }
        if isBargeIn, phase == .looking, position - bargedAt >= options.wordless, silence >= options.wordless {
            return drop(.noWords)
        }
        guard let text else {
            // What is no speech need not be waited for.
            if silence >= pace.hangover, let reason = evidence.weakness { return drop(reason) }
            return []
        }
        if let reason = judge(text) { return drop(reason) }
        guard isCut || silence >= wait(for: text) else { return [] }
        return give(text)
    }

    private mutating func settleWithoutWords(_ silence: Int) -> [LocalTurnEffect] {
        let more = evidence.voiced < options.short ? options.shortMore : 0
        guard isCut || silence >= pace.hangover + more else { return [] }
        if let reason = evidence.weakness { return drop(reason) }
        return give("")
    }

    private mutating func give(_ text: String) -> [LocalTurnEffect] {
        let turn = LocalUtterance(
            text: text,
            steps: start..<position,
            isSure: evidence.isStrong(words: Self.words(text).count),
            isBargeIn: isBargeIn
        )
        phase = .given
        // Only now: what was dropped was nobody who went on.
        if let pauseBefore { pace.paused(pauseBefore) }
        pauseBefore = nil
        givenVoice = lastVoice
        pace.turnEnded()
        isFirst = false
        isDucked = false
        isAnswering = false
        return [.give(turn)]
    }

    /// How long the silence has to be after these words, in steps.
    func wait(for text: String) -> Int {
        var wait = pace.hangover
        switch SpokenEnd(text) {
        case .finished: wait -= options.finishedLess
        case .unfinished: wait += options.unfinishedMore
        case .stopped, .unknown: break
        }
        if evidence.voiced < options.short { wait += options.shortMore }
        return max(wait, options.look)
    }

    /// Why a turn is none; nil where it is one. No words without a voice.
    private func judge(_ text: String) -> LocalDropReason? {
        if let weakness = evidence.weakness { return weakness }
        let words = Self.words(text)
        if words.isEmpty { return .noWords }
        // 7 words a second of voice, and two.
        if words.count * 100 > 7 * evidence.voiced + 200 { return .tooManyWords }
        let isPhantom = PhantomWords.contains(words)
        if isPhantom, isFirst || evidence.voiced < 15 * PhantomWords.syllables(words) { return .phantom }
        if evidence.overBox, spoken.holds(words, at: position) { return .echo }
        if isBargeIn, PhantomWords.isAgreement(words) { return .backchannel }
        return nil
    }

    private mutating func drop(_ reason: LocalDropReason) -> [LocalTurnEffect] {
        dropped[reason, default: 0] += 1
        var effects: [LocalTurnEffect] = [.drop(reason)]
        if isBargeIn { effects.append(.resumeAnswer) }
        if isDucked { effects.append(.duck(false)) }
        lookNumber += 1
        text = nil
        isDucked = false
        isBargeIn = false
        phase = .idle
        voices = VoiceWindow()
        return effects
    }

    // MARK: A turn that was cut too early

    private mutating func join(_ step: HeardStep) -> [LocalTurnEffect] {
        guard mayJoin, joins < options.mostJoins, position - start < options.longest else {
            joins = 0
            isBargeIn = false
            return begin(step)
        }
        joins += 1
        joined += 1
        pace.paused(position - lastVoice)
        lastVoice = position
        lookNumber += 1
        text = nil
        phase = .collecting
        evidence.add(step, isVoice: voices.last)
        return [.supersede, .goesOn]
    }

    private mutating func forgetTalker() {
        guard let ended = endedAt, position - ended >= options.forgetAfter else { return }
        endedAt = nil
        pace = TalkPace(base: options.hangover, range: options.hangovers)
    }

    /// Words in small letters, without what stands around them.
    static func words(_ text: String) -> [String] {
        text.lowercased().split { !$0.isLetter && !$0.isNumber && $0 != "'" && $0 != "\u{2019}" }
            .map { String($0.replacing("\u{2019}", with: "'")) }.filter { $0.contains { $0.isLetter || $0.isNumber } }
    }
}
