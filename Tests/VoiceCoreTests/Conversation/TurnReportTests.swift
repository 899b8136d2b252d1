import Testing

@testable import VoiceConversation

struct TurnReportTests {
    @Test func segmentsAddUpToTheWait() {
        var report = TurnReport(number: 1, calls: 1)
        report.dispatched = .microseconds(274_400)
        report.answered = .microseconds(1_177_500)
        report.firstDelta = .microseconds(1_267_300)
        report.firstSample = .microseconds(1_294_600)
        #expect(report.waited == "1295 ms: 274 request, 904 agent, 89 voice, 28 sound")
        #expect(report.segments.map(\.milliseconds).reduce(0, +) == 1295)
    }

    /// An agent whose answer is spoken while it is written answers after its first word was heard.
    @Test func workAfterTheFirstSampleIsNotAWait() {
        var report = TurnReport(number: 1, calls: 1)
        report.dispatched = .milliseconds(200)
        report.answered = .milliseconds(3000)
        report.firstDelta = .milliseconds(900)
        report.firstSample = .milliseconds(950)
        #expect(report.waited == "950 ms: 200 request, 750 agent, 0 voice, 0 sound")
    }

    @Test func unansweredTurnHasNoWait() {
        #expect(TurnReport(number: 1).waited == nil && TurnReport(number: 1).segments.isEmpty)
    }

    @Test func answerAfterAFailureCountsAsAnswered() {
        var clock = TurnClock(number: 1, ended: .zero)
        clock.answered(isFailure: true, at: .seconds(1))
        #expect(clock.report.failure == .agent)
        clock.answered(at: .seconds(2))
        #expect(clock.report.failure == nil)
    }
}
