import Testing

@testable import VoiceConversation
@testable import VoiceCore

/// The result of an order at the command line.
struct OpeningWatchTests {
    private static func trouble(_ number: Int, _ kind: LinkFailure.Kind = .permanent) -> ServiceTrouble {
        ServiceTrouble(number: number, reason: "no", kind: kind)
    }

    @Test func oldRefusalIsNotReportedForANewOrder() {
        let old = Self.trouble(1)
        var watch = OpeningWatch(before: .error("no"), old)
        for _ in 0..<50 { #expect(watch.see(.error("no"), old) == nil) }
        #expect(watch.see(.connecting, old) == nil)
        #expect(watch.end(old) == .underWay)
        #expect(watch.see(.error("no"), Self.trouble(2)) == .failed(Self.trouble(2)))
        #expect(watch.see(.listening, nil) == .open)
        // An order beside another one that has just been answered.
        #expect(!OpeningWatch(before: .connecting, old).isTrying)
    }

    @Test func missingServiceIsReportedWithItsReason() {
        let away = Self.trouble(3, .transient)
        var watch = OpeningWatch(before: .connecting, away)
        #expect(watch.isTrying)
        #expect(watch.see(.connecting, away) == nil)
        #expect(watch.end(away) == .failed(away))
    }

    @Test func endDuringTheWaitIsReported() {
        var watch = OpeningWatch(before: .idle, nil)
        for _ in 0..<50 { #expect(watch.see(.idle, nil) == nil, "it has not begun") }
        #expect(watch.see(.connecting, nil) == nil)
        let seen = (0..<10).map { _ in watch.see(.idle, nil) }
        #expect(seen == Array(repeating: nil, count: 9) + [.ended])
    }

    @Test func switchOfAssistantsIsNotAnEnd() {
        var watch = OpeningWatch(before: .connecting, nil)
        for _ in 0..<5 {
            #expect(watch.see(.connecting, nil) == nil)
            #expect(watch.see(.idle, nil) == nil)
        }
        #expect(watch.see(.listening, nil) == .open)
        #expect(watch.end(nil) == .underWay)
    }

    @Test func failureIsNotReportedAsAnEndByHand() {
        var watch = OpeningWatch(before: .idle, nil)
        #expect(watch.see(.connecting, nil) == nil)
        #expect(watch.see(.idle, Self.trouble(1)) == .failed(Self.trouble(1)))
    }

    @Test func reachedLimitIsNotReportedAsAMissingService() {
        let spent = ServiceTrouble(number: 1, reason: "the quota is used up: wait", kind: .limited)
        let problem = ControlProblem(spent, meanwhile: "it will be said")
        #expect(
            problem.message == "the voice service has reached its limit: the quota is used up: wait; it will be said"
        )
    }
}
