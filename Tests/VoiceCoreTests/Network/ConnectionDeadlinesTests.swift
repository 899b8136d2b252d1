import Testing

@testable import TestSupport
@testable import VoiceNetwork

struct ConnectionDeadlinesTests {
    private static let start = ContinuousClock.now
    private static let limits = ConnectionLimits(whole: .seconds(10), firstMessage: .seconds(10))

    /// A connection that has reached these steps at the given times.
    private static func deadlines(_ steps: [(ConnectionTimeout.Step, Double)]) -> ConnectionDeadlines {
        var deadlines = ConnectionDeadlines(host: "api.openai.com", limits: limits, at: start)
        for (step, seconds) in steps { deadlines.reached(step, at: start + .seconds(seconds)) }
        return deadlines
    }

    @Test(
        arguments: [
            ([], 5, "api.openai.com: no answer from the name server within 5 s"),
            ([(.connecting, 1)], 8.5, "api.openai.com: no TCP connection within 7.5 s"),
            ([(.connecting, 1), (.securing, 2)], 7, "api.openai.com: no end of the TLS handshake within 5 s"),
            ([(.asking, 1)], 6, "api.openai.com: connected, but no HTTP answer within 5 s"),
            ([(.asking, 1), (.upgrading, 4)], 9, "api.openai.com: connected, but no whole HTTP answer within 5 s"),
            ([(.asking, 1), (.listening, 2)], 12, "api.openai.com: connected, but no event within 10 s"),
            ([(.connecting, 4)], 10, "api.openai.com: no TCP connection within 10 s in all"),
            ([(.connecting, 4), (.securing, 8)], 10, "api.openai.com: no end of the TLS handshake within 10 s in all"),
        ] as [([(ConnectionTimeout.Step, Double)], Double, String)]
    )
    func everyStepHasItsDeadlineAndItsWords(steps: [(ConnectionTimeout.Step, Double)], at: Double, text: String) {
        let deadlines = Self.deadlines(steps)
        let end = Self.start + .seconds(at)
        #expect(deadlines.next == end)
        #expect(deadlines.expired(at: end - .milliseconds(1)) == nil)
        #expect(deadlines.expired(at: end)?.description == text)
    }

    @Test func provenConnectionHasNoDeadline() {
        let deadlines = Self.deadlines([(.asking, 1), (.listening, 2), (.done, 3)])
        #expect(deadlines.next == nil)
        #expect(deadlines.expired(at: Self.start + .seconds(1000)) == nil)
    }

    @Test func openConnectionHasNoDeadlineIfTheServerMayStaySilent() {
        var deadlines = ConnectionDeadlines(host: "h", limits: ConnectionLimits(whole: .seconds(10)), at: Self.start)
        deadlines.reached(.listening, at: Self.start)
        #expect(deadlines.next == nil)
    }

    @Test func aStepIsNotEnteredTwice() {
        let deadlines = Self.deadlines([(.asking, 1), (.connecting, 4), (.asking, 4)])
        #expect(deadlines.step == .asking)
        #expect(deadlines.expired(at: Self.start + .seconds(6)) != nil)
    }
}
