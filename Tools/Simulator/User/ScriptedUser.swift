/// A user who talks with an assistant all day: asks, listens, and interrupts at random moments.
///
///     pausing -> speaking -> waiting -> hearing -> pausing            the answer was heard to its end
///                   ^                      |
///                   +---- interrupts ------+                          an interruption asks the next question
///
/// A pure machine that is informed of its surroundings every 10 ms; times are in milliseconds. The same seed and the
/// same surroundings yield the same conversation.
package struct ScriptedUser: Sendable {
    /// How the user behaves.
    package struct Manners: Sendable {
        /// Silence before a question.
        package var pause = 100...900
        /// How much of an answer is heard before it is interrupted.
        package var interruptsAfter = 150...1800
        /// Share of answers that are heard to their end, in percent.
        package var hearsOut = 5
        /// Time from the start in which every answer is heard to its end, so that the daemon can adapt to its echo.
        package var listensFirst = 0
        /// How long the user waits for an answer.
        package var patience = 12_000
        /// Time within which an interruption must silence the answer.
        package var reaction = 2_500

        package init() {}
    }

    /// The surroundings of the user.
    package struct Environment: Sendable {
        /// Whether the loudspeaker plays something audible.
        package var isSounding: Bool
        /// Number of times the daemon has cut its voice so far.
        package var cuts: Int
        /// Whether the daemon listens; without a session it does not hear the user.
        package var isReady: Bool

        package init(isSounding: Bool, cuts: Int, isReady: Bool) {
            self.isSounding = isSounding
            self.cuts = cuts
            self.isReady = isReady
        }
    }

    /// The counts so far.
    package struct Tally: Sendable, Equatable {
        package var questions = 0
        /// Answers heard to their end.
        package var heardOut = 0
        /// Answers that fell silent because the user spoke.
        package var bargeIns = 0
        /// Answers that went on although the user spoke.
        package var missed = 0
        /// Interruptions of answers that ended by themselves, or during which there was no session.
        package var void = 0
        /// Questions that were not answered in time.
        package var unanswered = 0
        /// Time from the user's first sample to the last audio of the answer: the longest, and the sum of all.
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

    /// An interruption in progress.
    private struct Attempt: Sendable {
        var began: Int
        var cuts: Int
        var lastSound: Int
        var isDisturbed = false
    }

    private static let step = 10
    /// Silence that ends an answer.
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

    /// - Parameter utterances: durations of the utterances.
    package init(utterances: [Int], manners: Manners = .init(), seed: UInt64) {
        self.utterances = utterances
        self.manners = manners
        random = SplitMix(seed: seed)
        phase = .pausing(until: 500)
    }

    /// Time since the user last spoke; nil before the first word, 0 while speaking.
    package var sinceSpeech: Int? { lastSpoke.map { now - $0 } }

    /// Advances by 10 ms; returns the index of the utterance that begins now, if any.
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

    /// Decides whether an interruption succeeded.
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
        } else if now - attempt.began > manners.reaction || !isCut && quiet >= Self.answerEnd {
            // Either the answer was about to end anyway, or it continues. If it has ended, what sounds next is another.
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
