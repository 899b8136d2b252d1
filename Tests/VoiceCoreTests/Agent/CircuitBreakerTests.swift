import Testing

@testable import TestSupport
@testable import VoiceAgent

struct CircuitBreakerTests {
    private enum Event {
        case failure(JarvisFailure)
        case success
        case pass
        case tryOut
        case refuse(JarvisFailure)
    }

    private typealias Row = (at: Int, event: Event)

    /// Events with their seconds, and the breaker's decisions.
    private static let tables: [(name: String, rows: [Row])] = [
        (
            "three failures in a row open it for half a minute",
            [
                (0, .pass), (0, .failure(.timedOut)), (1, .pass), (1, .failure(.timedOut)), (2, .pass),
                (10, .failure(.lost)), (10, .refuse(.lost)), (39, .refuse(.lost)), (40, .tryOut),
            ]
        ),
        (
            "a success in between counts from the beginning",
            [
                (0, .failure(.timedOut)), (0, .failure(.timedOut)), (1, .success), (2, .failure(.timedOut)),
                (2, .failure(.timedOut)), (2, .pass),
            ]
        ),
        (
            "one trial at a time, whose success closes it",
            [
                (0, .failure(.timedOut)), (0, .failure(.timedOut)), (0, .failure(.timedOut)), (30, .tryOut),
                (31, .refuse(.timedOut)), (32, .success), (33, .pass), (33, .failure(.timedOut)), (34, .pass),
            ]
        ),
        (
            "a failed trial doubles the pause, up to five minutes",
            [
                (0, .failure(.timedOut)), (0, .failure(.timedOut)), (0, .failure(.timedOut)), (30, .tryOut),
                (30, .failure(.timedOut)), (89, .refuse(.timedOut)), (90, .tryOut), (90, .failure(.timedOut)),
                (209, .refuse(.timedOut)), (210, .tryOut), (210, .failure(.timedOut)), (450, .tryOut),
                (450, .failure(.timedOut)), (749, .refuse(.timedOut)), (750, .tryOut), (750, .failure(.timedOut)),
                (1049, .refuse(.timedOut)), (1050, .tryOut), (1050, .success), (1051, .pass),
            ]
        ),
        (
            "a trial that the user takes back leaves the next one to try",
            [
                (0, .failure(.timedOut)), (0, .failure(.timedOut)), (0, .failure(.timedOut)), (30, .tryOut),
                (31, .failure(.cancelled)), (31, .tryOut), (32, .failure(.superseded)), (33, .tryOut),
            ]
        ),
        (
            "what was turned down here changes nothing",
            [
                (0, .failure(.timedOut)), (0, .failure(.timedOut)), (0, .failure(.tooManyQuestions)),
                (0, .failure(.cancelled)), (0, .failure(.timedOut)), (1, .refuse(.timedOut)),
            ]
        ),
        (
            "an answer that is no trouble closes it: the server lives",
            [
                (0, .failure(.timedOut)), (0, .failure(.timedOut)), (0, .failure(.timedOut)), (30, .tryOut),
                (30, .failure(.emptyReply)), (30, .pass), (31, .failure(.authentication)), (31, .pass),
                (31, .failure(.busy)), (31, .failure(.wrongBasePath(hint: "x"))), (31, .pass),
            ]
        ),
    ]

    /// A failure that a check sees counts immediately, and is over when a check succeeds; one of the model takes three questions.
    @Test func breakerTellsWhyTheAgentCannotBeAsked() {
        var breaker = CircuitBreaker()
        breaker.checked(.offline(detail: "x"))
        #expect(breaker.trouble == .offline(detail: "x"))
        breaker.checked(nil)
        #expect(breaker.trouble == nil)
        for _ in 0..<2 { breaker.record(.runFailed(detail: ""), at: .zero) }
        #expect(breaker.trouble == nil)
        breaker.record(.runFailed(detail: ""), at: .zero)
        #expect(breaker.trouble == .runFailed(detail: ""))
        breaker.checked(nil)
        #expect(breaker.trouble == .runFailed(detail: ""), "a check says nothing of the model")
        breaker.record(nil, at: .seconds(40))
        #expect(breaker.trouble == nil)
        breaker.record(.authentication, at: .seconds(41))
        #expect(breaker.trouble == .authentication && breaker.decide(at: .seconds(41)) == .pass)
        breaker.record(.cancelled, at: .seconds(42))
        #expect(breaker.trouble == .authentication, "a question that was withdrawn says nothing of the server")
    }

    /// After an outage, the next question need not wait for the pause once a check has found the server.
    /// Three answers of a server without credit are no good health, though it is there.
    @Test(arguments: [JarvisFailure.noCredit, .authentication]) func refusalIsTroubleUntilASuccess(
        failure: JarvisFailure
    ) {
        var breaker = CircuitBreaker()
        for second in 0..<3 {
            breaker.record(failure, at: .seconds(second))
            breaker.checked(nil)
            #expect(breaker.trouble == failure)
            #expect(breaker.decide(at: .seconds(second)) == .pass, "it may have been topped up")
        }
        breaker.record(nil, at: .seconds(4))
        #expect(breaker.trouble == nil)
    }

    @Test func successfulCheckEndsThePause() {
        var breaker = CircuitBreaker()
        for _ in 0..<3 { breaker.record(.offline(detail: "x"), at: .zero) }
        #expect(breaker.decide(at: .seconds(1)) == .refuse(.offline(detail: "x")))
        breaker.checked(nil)
        #expect(breaker.decide(at: .seconds(1)) == .pass)
    }

    @Test func breakerFollowsItsTables() {
        for (name, rows) in Self.tables {
            var breaker = CircuitBreaker()
            for (index, row) in rows.enumerated() {
                let now = Duration.seconds(row.at)
                switch row.event {
                case .failure(let failure): breaker.record(failure, at: now)
                case .success: breaker.record(nil, at: now)
                case .pass: #expect(breaker.decide(at: now) == .pass, "\(name), row \(index)")
                case .tryOut: #expect(breaker.decide(at: now) == .tryOut, "\(name), row \(index)")
                case .refuse(let failure):
                    #expect(breaker.decide(at: now) == .refuse(failure), "\(name), row \(index)")
                }
            }
        }
    }
}
