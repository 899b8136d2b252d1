import Testing

@testable import VoiceCore

struct CircuitBreakerTests {
    private let trouble = Result<String, JarvisFailure>.failure(.timedOut)

    @Test func threeFailuresOpenItForAWhile() {
        var breaker = CircuitBreaker()
        for _ in 0..<2 { breaker.record(trouble, at: .zero) }
        #expect(breaker.failure(at: .zero) == nil)
        breaker.record(trouble, at: .seconds(10))
        #expect(breaker.failure(at: .seconds(10)) == .timedOut)
        #expect(breaker.failure(at: .seconds(39)) == .timedOut)
        #expect(breaker.failure(at: .seconds(40)) == nil)
    }

    @Test func theProbeDecides() {
        var breaker = CircuitBreaker()
        for _ in 0..<3 { breaker.record(trouble, at: .zero) }
        breaker.record(.failure(.offline(detail: "x")), at: .seconds(31))
        #expect(breaker.failure(at: .seconds(32)) == .offline(detail: "x"))
        breaker.record(.success("Yes."), at: .seconds(70))
        #expect(breaker == CircuitBreaker())
    }

    @Test func onlyTroubleOfTheServerCounts() {
        var breaker = CircuitBreaker()
        for _ in 0..<2 { breaker.record(trouble, at: .zero) }
        breaker.record(.failure(.cancelled), at: .zero)
        breaker.record(trouble, at: .zero)
        #expect(breaker.failure(at: .zero) == .timedOut)
        for failure in [JarvisFailure.authentication, .busy, .emptyReply, .wrongBasePath(hint: "x")] {
            breaker.record(.failure(failure), at: .zero)
            #expect(breaker.failure(at: .zero) == nil)
        }
    }
}
