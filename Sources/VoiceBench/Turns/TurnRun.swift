import VoiceConversation
import VoiceCore

/// When a turn is taken for over, and what follows from it.
struct TurnRule {
    var name: String
    var options: LocalTurn.Options
    /// It goes on with what it has learned of the talker; otherwise he is a stranger in every sentence.
    var remembers = false
    /// Steps from the end of a turn to the first sample of the answer.
    var answersAfter: Int

    /// Silence alone, by the same detector; nothing is joined.
    static func silence(_ milliseconds: Int) -> TurnRule {
        var options = LocalTurn.Options()
        options.hasWords = false
        options.hangover = milliseconds / 10
        options.hangovers = options.hangover...options.hangover
        options.shortMore = 0
        options.mostJoins = 0
        return TurnRule(name: "silence \(milliseconds)", options: options, answersAfter: 10)
    }

    /// As the daemon has it, with an agent that answers at once, or after most of a second.
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

/// What became of one sound.
struct TurnOutcome: Encodable {
    var rule: String
    var voice: String
    var noise: Int
    var pause: Int
    /// Nil for what is no speech.
    var sentence: Int?
    /// Turns that were over before the last word was.
    var cuts = 0
    /// An answer was heard before the last word.
    var isAnswered = false
    /// From the end of the last word to the end of the turn, in ms; nil where none ended after it.
    var wait: Int?
    /// What was given, and why others were dropped.
    var texts: [String] = []
    var drops: [String] = []
}

/// One rule over one sound after another.
struct TurnRun {
    private let rule: TurnRule
    /// Steps that the recogniser takes.
    private let recognises: Int
    private var turn: LocalTurn
    private var talker = ""
    /// Steps that the turns have heard.
    private var position = 0

    init(_ rule: TurnRule, recognises: Int) {
        self.rule = rule
        self.recognises = recognises
        turn = LocalTurn(options: rule.options)
    }

    /// - Parameters:
    ///   - steps: the sound, as the detector heard it.
    ///   - text: what is said in these steps of the sound.
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
                for effect in turn.handle(events.removeFirst()) {
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
                        answers = index + rule.answersAfter
                    case .supersede: answers = nil
                    case .drop(let reason): outcome.drops.append(reason.rawValue)
                    case .bargeIn where isAnswering:
                        isAnswering = false
                        events.append(.answerEnded)
                    case .began, .goesOn, .duck, .bargeIn, .resumeAnswer: break
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
