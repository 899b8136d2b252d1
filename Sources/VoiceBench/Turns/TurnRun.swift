import VoiceConversation
import VoiceCore

/// When a turn counts as finished, and the consequences.
struct TurnRule {
    var name: String
    var options: LocalTurn.Options
    /// Whether the rule keeps what it has learned of the talker; otherwise every sentence has a new talker.
    var remembers = false
    /// Number of steps from the end of a turn to the first sample of the answer.
    var answersAfter: Int

    /// Silence alone, with the same detector; nothing is joined.
    static func silence(_ milliseconds: Int) -> TurnRule {
        var options = LocalTurn.Options()
        options.hasWords = false
        options.hangover = milliseconds / 10
        options.hangovers = options.hangover...options.hangover
        options.shortMore = 0
        options.mostJoins = 0
        return TurnRule(name: "silence \(milliseconds)", options: options, answersAfter: 10)
    }

    /// The daemon's rule, with answers that begin 100 ms or one second after the turn.
    static var ours: [TurnRule] {
        [10, 100].flatMap { after in
            [false, true].map { remembers in
                TurnRule(
                    name: "ours \(remembers ? "met" : "new") \(after * 10)",
                    options: LocalTurn.Options(),
                    remembers: remembers,
                    answersAfter: after
                )
            }
        }
    }

    static var all: [TurnRule] { [300, 500, 700, 1000].map(silence) + ours }
}

/// The result for one sound.
struct TurnOutcome: Encodable {
    var rule: String
    var voice: String
    var noise: Int
    var pause: Int
    /// Nil if the sound is not speech.
    var sentence: Int?
    /// Number of turns that ended before the last word did.
    var cuts = 0
    /// Whether an answer was heard before the end of the last word.
    var isAnswered = false
    /// Time from the end of the last word to the end of the turn, in ms; nil if no turn ended after it.
    var wait: Int?
    /// The utterances passed on, and why others were dropped.
    var texts: [String] = []
    var drops: [String] = []
    /// How often the box would have said that it did not understand, or that its recogniser makes no words.
    var notices = 0
}

/// Applies one rule to one sound after another.
struct TurnRun {
    private let rule: TurnRule
    /// Number of steps that the recogniser takes.
    private let recognises: Int
    private var turn: LocalTurn
    private var talker = ""
    /// Number of steps that the turn has heard.
    private var position = 0

    init(_ rule: TurnRule, recognises: Int) {
        self.rule = rule
        self.recognises = recognises
        turn = LocalTurn(options: rule.options)
    }

    /// - Parameters:
    ///   - steps: the sound, as the detector heard it.
    ///   - text: returns what is said in these steps of the sound.
    mutating func hear(
        _ sound: TurnSound,
        _ steps: [HeardStep],
        text: (Range<Int>) async throws -> String
    ) async throws -> TurnOutcome {
        if !rule.remembers || talker != sound.talker {
            turn = LocalTurn(options: rule.options)
            position = 0
            talker = sound.talker
        }
        let start = position
        var outcome = TurnOutcome(
            rule: rule.name,
            voice: sound.voice,
            noise: sound.noise,
            pause: sound.pause,
            sentence: sound.sentence
        )
        var pending: (at: Int, event: LocalTurnEvent)?
        var answers: Int?
        var isAnswering = false
        var wordless = WordlessTurns()
        for (index, step) in steps.enumerated() {
            position += 1
            var events: [LocalTurnEvent] = [.heard(step)]
            if let due = pending, index >= due.at {
                pending = nil
                events.append(due.event)
            }
            if let due = answers, index >= due {
                answers = nil
                isAnswering = true
                if index * 10 < sound.end { outcome.isAnswered = true }
                events.append(.answerBegan)
            }
            while !events.isEmpty {
                let effects = turn.handle(events.removeFirst())
                let resumes = effects.contains(.resumeAnswer)
                for effect in effects {
                    switch effect {
                    case .look(let look, let ranges):
                        var texts: [String] = []
                        if rule.options.hasWords {
                            for range in ranges { texts.append(try await text(range.shifted(by: -start))) }
                        }
                        pending = (index + recognises, .transcript(texts.joined(separator: " "), look: look))
                    case .give(let utterance):
                        if index * 10 < sound.end {
                            outcome.cuts += 1
                        } else {
                            outcome.wait = index * 10 - sound.end
                        }
                        outcome.texts.append(utterance.text)
                        wordless.heard()
                        answers = index + rule.answersAfter
                    case .supersede: answers = nil
                    case .drop(let reason):
                        outcome.drops.append(reason.rawValue)
                        let notice = wordless.dropped(reason, isClear: turn.isClear, resumes: resumes, at: position)
                        if notice != nil { outcome.notices += 1 }
                    case .bargeIn where isAnswering:
                        isAnswering = false
                        events.append(.answerEnded)
                    case .began, .goesOn, .bargeIn, .resumeAnswer: break
                    }
                }
            }
        }
        if answers != nil { _ = turn.handle(.answerBegan) }
        _ = turn.handle(.answerEnded)
        return outcome
    }
}

extension Range<Int> {
    fileprivate func shifted(by steps: Int) -> Range<Int> { lowerBound + steps..<upperBound + steps }
}
