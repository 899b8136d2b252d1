import Testing

@testable import VoiceConversation

struct WordlessTurnsTests {
    @Test func theUserIsToldOnceAfterThreeTurns() {
        var turns = WordlessTurns()
        let told = (0..<6).map { _ in turns.dropped(.noWords, resumes: false) }
        #expect(told == [false, false, true, false, false, false])
    }

    @Test func wordsAndCoughsCountAnew() {
        var turns = WordlessTurns()
        _ = turns.dropped(.noWords, resumes: false)
        _ = turns.dropped(.noWords, resumes: false)
        let isToldOfACough = turns.dropped(.tooLittleVoice, resumes: false)
        turns.heard()
        let isToldLater = turns.dropped(.noWords, resumes: false)
        #expect(!isToldOfACough && !isToldLater && turns.count == 1)
    }

    /// The interrupted answer goes on; the notice would take its place.
    @Test func anAnswerThatResumesComesFirst() {
        var turns = WordlessTurns()
        let told = [false, true, true, false].map { turns.dropped(.noWords, resumes: $0) }
        #expect(told == [false, false, false, true])
    }
}
