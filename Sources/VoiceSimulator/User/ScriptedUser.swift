/// Somebody who talks with an assistant all day: asks, listens, and interrupts at moments drawn by lot.
///
///     pausing -> speaking -> waiting -> hearing -> pausing            the answer was heard to its end
///                   ^                      |
///                   +---- interrupts ------+                          an interruption asks the next question
///
/// A pure machine that is told every 10 ms what goes on around it; times are in milliseconds. The same seed and the same
/// surroundings lead to the same conversation.
package struct ScriptedUser: Sendable {
    /// How the user behaves.
    package struct Manners: Sendable {
        /// Silence before a question.
        package var pause = 100...900
        /// How much of an answer is heard before it is interrupted.
        package var interruptsAfter = 150...1800
        /// Share of the answers that are heard to their end, in percent.
        package var hearsOut = 5
        /// For so long from the beginning every answer is heard to its end: the daemon gets to know its echo.
        package var listensFirst = 0
        /// How long an answer is waited for.
        package var patience = 12_000
        /// Within this time an interruption must have silenced the answer.
        package var reaction = 2_500

        package init() {}
    }

    /// What goes on around the user now.
    package struct Environment: Sendable {
        /// The loudspeaker plays something that can be heard.
        package var isSounding: Bool
        /// How many times the daemon has cut its voice so far.
        package var cuts: Int
        /// Whether the daemon listens; what is said to one without a session is not heard.
        package var isReady: Bool

        package init(isSounding: Bool, cuts: Int, isReady: Bool) {
            self.isSounding = isSounding
            self.cuts = cuts
            self.isReady = isReady
        }
    }

    /// What came of it so far.
    package struct Tally: Sendable, Equatable {
        package var questions = 0
        /// Answers heard to their end.
        package var heardOut = 0
        /// Answers that fell silent because the user spoke.
        package var bargeIns = 0
        /// Answers that went on although the user spoke.
        package var missed = 0
        /// Interruptions of answers that ended by themselves, or while there was no session.
        package var void = 0
        /// Questions nobody answered in time.
        package var unanswered = 0
        /// From the user's first sample to the last sound of the answer: the longest, and the sum of all.
        package var longestReaction = 0
        package var totalReaction = 0

        package init() {}
    }

    private enum Phase: Sendable {
        case pausing(until: Int)
        case speaking(until: Int)
        case waiting(since: Int)
        case hearing(interruptAt: Int?)
    }

    /// An interruption that is under way.
    private struct Attempt: Sendable {
        var began: Int
        var cuts: Int
        var lastSound: Int
        var isDisturbed = false
    }

    private static let step = 10
    /// So long a silence ends an answer.
    private static let answerEnd = 900

    package private(set) var tally = Tally()
    private let utterances: [Int]
    private let manners: Manners
    private var random: SplitMix
    private var now = 0
    private var quiet = 0
    private var phase: Phase
    private var attempt: Attempt?
    private var lastSpoke: Int?

    /// - Parameter utterances: the lengths of what the user can say.
    package init(utterances: [Int], manners: Manners = .init(), seed: UInt64) {
        self.utterances = utterances
        self.manners = manners
        random = SplitMix(seed: seed)
        phase = .pausing(until: 500)
    }

    /// Milliseconds since the user last said something; nil before the first word, 0 while speaking.
    package var sinceSpeech: Int? { lastSpoke.map { now - $0 } }

    /// Lets 10 ms pass; returns the utterance that the user begins now.
    package mutating func step(_ around: Environment) -> Int? {
        now += Self.step
        quiet = around.isSounding ? 0 : quiet + Self.step
        judge(around)
        switch phase {
        case .pausing(let until):
            guard now >= until, quiet >= 300, around.isReady, attempt == nil else { return nil }
            return speak()
        case .speaking(let until):
            lastSpoke = now
            if now >= until { phase = .waiting(since: now) }
        case .waiting(let since):
            if around.isSounding, attempt == nil {
                let hearsOut = Int.random(in: 0..<100, using: &random) < manners.hearsOut
                phase = .hearing(
                    interruptAt: hearsOut || now < manners.listensFirst
                        ? nil : now + Int.random(in: manners.interruptsAfter, using: &random)
                )
            } else if now - since > manners.patience {
                tally.unanswered += 1
                pause()
            }
        case .hearing(let interruptAt):
            if let interruptAt, now >= interruptAt, around.isSounding, around.isReady {
                attempt = Attempt(began: now, cuts: around.cuts, lastSound: now)
                return speak()
            }
            if quiet >= Self.answerEnd {
                tally.heardOut += 1
                pause()
            }
        }
        return nil
    }

    /// Sees what becomes of an interruption.
    private mutating func judge(_ around: Environment) {
        guard var attempt else { return }
        if around.isSounding { attempt.lastSound = now }
        if !around.isReady { attempt.isDisturbed = true }
        self.attempt = attempt
        let isCut = around.cuts > attempt.cuts
        if isCut, quiet >= 100 {
            let reaction = attempt.lastSound - attempt.began
            tally.bargeIns += 1
            tally.totalReaction += reaction
            tally.longestReaction = max(tally.longestReaction, reaction)
        } else if now - attempt.began > manners.reaction {
            // An answer that was at its end anyway, or one that goes on.
            if attempt.isDisturbed || !isCut && quiet >= 300 { tally.void += 1 } else { tally.missed += 1 }
        } else {
            return
        }
        self.attempt = nil
    }

    private mutating func speak() -> Int {
        let index = Int.random(in: 0..<max(1, utterances.count), using: &random)
        tally.questions += 1
        lastSpoke = now
        phase = .speaking(until: now + (utterances.isEmpty ? 0 : utterances[index]))
        return index
    }

    private mutating func pause() {
        phase = .pausing(until: now + Int.random(in: manners.pause, using: &random))
    }
}
