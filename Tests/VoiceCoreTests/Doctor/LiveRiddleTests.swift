import Testing

@testable import TestSupport
@testable import VoiceBase
@testable import VoiceConversation
@testable import VoiceCore

struct LiveRiddleTests {
    private let riddle: LiveRiddle
    private let password: String

    init() throws {
        var generator = SeededGenerator(seed: 7)
        riddle = LiveRiddle(&generator)
        let before = try #require(riddle.question.firstRange(of: "say the word ")).upperBound
        password = String(riddle.question[before...].prefix { $0 != "," })
    }

    private func verdict(_ change: (inout LiveRiddle.Seen) -> Void) -> DoctorFinding.Verdict {
        var seen = LiveRiddle.Seen(
            queries: ["Which are they?"], answers: ["They are \(riddle.solution[0]) and \(riddle.solution[1])."],
            spoken: "\(riddle.solution[0]) and \(riddle.solution[1]). And \(password)!", firstSample: .seconds(2)
        )
        change(&seen)
        return riddle.judge(seen, rewords: true, hasText: true).verdict
    }

    @Test func passesAnUnderstoodTurn() {
        #expect(verdict { _ in } == .ok)
        #expect(riddle.solution.allSatisfy(riddle.question.contains))
    }

    @Test func failsAnEchoAFixedAnswerAndSilence() {
        #expect(verdict { $0.answers = [riddle.question] } == .fail)
        #expect(verdict { $0.answers = ["Nothing on today."] } == .fail)
        #expect(verdict { $0.answers = [] } == .fail)
        #expect(verdict { $0.queries = [] } == .fail)
        #expect(verdict { $0.firstSample = nil } == .fail)
        #expect(verdict { $0.spoken = $0.answers[0] } == .fail, "the voice model has added nothing")
        #expect(verdict { $0.spoken = password } == .fail, "the answer was not said")
    }

    @Test func warnsIfTheServiceOnlyRepeatsWords() {
        #expect(verdict { $0.queries = [riddle.question] } == .warn)
    }

    @Test func asksNoModelOfAServiceWithoutOne() {
        let seen = LiveRiddle.Seen(
            queries: [riddle.question], answers: [riddle.solution.joined(separator: ", ")],
            spoken: riddle.solution.joined(separator: ", "), firstSample: .seconds(1)
        )
        #expect(riddle.judge(seen, rewords: false, hasText: true).verdict == .ok)
    }
}
