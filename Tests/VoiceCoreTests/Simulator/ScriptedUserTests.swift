import Testing
import VoiceSimulator

struct ScriptedUserTests {
    /// An assistant that answers each question for `length` ms, 300 ms after it, and falls silent when interrupted.
    private struct Assistant {
        var length: Int
        var obeys = true
        var answerAt: Int?
        var cuts = 0
        var now = 0
        var user: ScriptedUser

        mutating func run(milliseconds: Int) {
            for _ in 0..<milliseconds / 10 {
                now += 10
                let isSounding = answerAt.map { ($0..<$0 + length).contains(now) } ?? false
                guard user.step(.init(isSounding: isSounding, cuts: cuts, isReady: true)) != nil else { continue }
                if isSounding {
                    guard obeys else { continue }
                    cuts += 1
                }
                answerAt = now + 500 + 300
            }
        }
    }

    @Test func interruptsAndHearsOutAsTheManners() {
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

    @Test func anAssistantThatTalksOnIsNoticed() {
        var stage = Assistant(length: 8000, obeys: false, user: ScriptedUser(utterances: [500], seed: 1))
        stage.run(milliseconds: 100_000)
        #expect(stage.user.tally.missed > 3)
        #expect(stage.user.tally.bargeIns == 0)
    }

    @Test func anAnswerThatWasOverAnywayIsNoBargeIn() {
        var stage = Assistant(length: 900, obeys: false, user: ScriptedUser(utterances: [500], seed: 1))
        stage.run(milliseconds: 300_000)
        #expect(stage.user.tally.void > 0)
        #expect(stage.user.tally.missed == 0 && stage.user.tally.bargeIns == 0)
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
