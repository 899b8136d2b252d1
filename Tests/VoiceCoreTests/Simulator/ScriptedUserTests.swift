import Testing
import VoiceSimulator

struct ScriptedUserTests {
    /// An assistant that answers each question for `length` ms, `delay` ms after it, and falls silent when interrupted.
    private struct Assistant {
        var length: Int
        var delay = 300
        var obeys = true
        /// Whether what is said into an answer is answered, though it does not cut it.
        var hears = false
        var answers: [Int] = []
        var cuts = 0
        var now = 0
        var user: ScriptedUser

        mutating func run(milliseconds: Int) {
            for _ in 0..<milliseconds / 10 {
                now += 10
                let isSounding = answers.contains { ($0..<$0 + length).contains(now) }
                guard user.step(.init(isSounding: isSounding, cuts: cuts, isReady: true)) != nil else { continue }
                if isSounding {
                    guard obeys || hears else { continue }
                    if obeys { (cuts, answers) = (cuts + 1, []) }
                }
                answers = answers.suffix(1) + [now + 500 + delay]
            }
        }
    }

    @Test func userInterruptsAsItsMannersSay() {
        var manners = ScriptedUser.Manners()
        manners.hearsOut = 20
        var stage = Assistant(length: 4000, user: ScriptedUser(utterances: [500], manners: manners, seed: 1))
        stage.run(milliseconds: 1_000_000)
        let tally = stage.user.tally
        #expect(tally.bargeIns > 200)
        #expect(tally.bargeIns == stage.cuts)
        #expect(tally.heardOut > 20 && tally.heardOut < tally.bargeIns / 2)
        #expect(tally.missed == 0 && tally.unanswered == 0 && tally.void == 0)
        #expect(tally.longestReaction < 50)
    }

    @Test func endlessTalkOfTheAssistantIsNoticed() {
        var stage = Assistant(length: 8000, obeys: false, user: ScriptedUser(utterances: [500], seed: 1))
        stage.run(milliseconds: 100_000)
        #expect(stage.user.tally.missed > 3)
        #expect(stage.user.tally.bargeIns == 0)
    }

    @Test func interruptionAfterTheAnswerIsNotABargeIn() {
        var stage = Assistant(length: 900, obeys: false, user: ScriptedUser(utterances: [500], seed: 1))
        stage.run(milliseconds: 300_000)
        #expect(stage.user.tally.void > 0)
        #expect(stage.user.tally.missed == 0 && stage.user.tally.bargeIns == 0)
    }

    /// The question that an answer did not live to hear has an answer of its own, which may be over before the user would have
    /// given up on silencing the first.
    @Test func interruptedLastWordsStillGetTheNextAnswer() {
        let user = ScriptedUser(utterances: [500], seed: 1)
        var stage = Assistant(length: 700, delay: 1200, obeys: false, hears: true, user: user)
        stage.run(milliseconds: 300_000)
        #expect(stage.user.tally.void > 10)
        #expect(stage.user.tally.unanswered == 0 && stage.user.tally.missed == 0)
    }

    @Test func silenceIsWaitedForWithPatience() {
        var user = ScriptedUser(utterances: [500], seed: 1)
        for _ in 0..<6000 { _ = user.step(.init(isSounding: false, cuts: 0, isReady: true)) }
        #expect(user.tally.unanswered == 4)
    }

    @Test func theSameSeedIsTheSameConversation() {
        func tally(_ seed: UInt64) -> ScriptedUser.Tally {
            var stage = Assistant(length: 3000, user: ScriptedUser(utterances: [500, 900], seed: seed))
            stage.run(milliseconds: 200_000)
            return stage.user.tally
        }
        #expect(tally(7) == tally(7))
        #expect(tally(7) != tally(8))
    }
}
