import Testing

@testable import VoiceConversation

struct WordlessTurnsTests {
    private func receive(
        _ turns: inout WordlessTurns,
        _ reason: LocalDropReason = .noWords,
        isClear: Bool = true,
        resumes: Bool = false,
        at now: Int = 100
    ) -> WordlessTurns.Notice? {
        turns.dropped(reason, isClear: isClear, resumes: resumes, at: now)
    }

    /// The recogniser is blamed at the third clear sentence without words; further sentences are not answered.
    @Test func thirdUnclearSentenceNamesTheRecogniser() {
        var turns = WordlessTurns()
        let told = (0..<6).map { _ in receive(&turns) }
        #expect(told == [.unclear, .unclear, .recogniser, nil, nil, nil])
    }

    /// "Thank you." for a whole sentence, and a paragraph that no one said.
    @Test(arguments: [LocalDropReason.phantom, .tooManyWords])
    func phantomTextOfAClearSentenceIsReported(reason: LocalDropReason) {
        var turns = WordlessTurns()
        #expect(receive(&turns, reason) == .unclear)
        #expect(receive(&turns, reason, isClear: false) == nil, "a cough")
    }

    @Test(arguments: LocalDropReason.allCases)
    func noiseIsNotAnswered(reason: LocalDropReason) {
        var turns = WordlessTurns()
        #expect(receive(&turns, reason, isClear: false) == nil)
    }

    /// A faint voice is reported only if there are several.
    @Test func threeMumbledTurnsAreReportedOnce() {
        var turns = WordlessTurns()
        let told = (0..<6).map { _ in receive(&turns, isClear: false) }
        #expect(told == [nil, nil, .recogniser, nil, nil, nil])
    }

    @Test func wordsAndCoughsResetTheCount() {
        var turns = WordlessTurns()
        _ = receive(&turns)
        _ = receive(&turns)
        #expect(receive(&turns, .tooLittleVoice, isClear: false) == nil)
        turns.heard()
        #expect(receive(&turns) == .unclear && turns.count == 1)
    }

    /// A talker who comes back after five minutes is answered again.
    @Test func pauseOfFiveMinutesAllowsAnotherReply() {
        var turns = WordlessTurns()
        for _ in 0..<5 { _ = receive(&turns) }
        #expect(receive(&turns, at: 20_000) == nil)
        #expect(receive(&turns, at: 50_000) == .unclear)
    }

    /// A noise that sounds now and then all day, while no one speaks to the box; before, it was answered every time.
    @Test(arguments: [(6, 3), (11, 4), (25, 5)]) func occasionalNoiseIsRarelyAnswered(minutes: Int, most: Int) {
        var turns = WordlessTurns()
        let told = (0..<24 * 60 / minutes).count { receive(&turns, at: $0 * minutes * 6_000) != nil }
        #expect(told <= most)
        turns.heard()
        let next = receive(&turns, at: 24 * 60 * 6_000)
        let afterIt = receive(&turns, at: 24 * 60 * 6_000 + 500)
        #expect(next == .unclear && afterIt == .unclear, "somebody was understood, so it listens to people again")
    }

    /// The interrupted answer continues; the notice would take its place.
    @Test func resumedAnswerComesFirst() {
        var turns = WordlessTurns()
        let told = [false, true, true, false].map { receive(&turns, resumes: $0) }
        #expect(told == [.unclear, nil, nil, .recogniser])
    }
}
