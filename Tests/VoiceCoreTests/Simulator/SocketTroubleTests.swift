import Testing

@testable import VoiceBase
@testable import VoiceSimulator

/// The plans of faults themselves.
struct SocketTroubleTests {
    /// A plan of passing faults alone would keep a session for minutes.
    @Test func everyFaultyConnectionEnds() {
        for seed in 1...200 as ClosedRange<UInt64> {
            var trouble = SocketTrouble(seed: seed)
            trouble.mix.gap = 3...60
            for connection in 1...20 {
                let strikes = trouble.plan(connection)?.strikes ?? []
                #expect(strikes.last?.kind.endsSession == true)
                #expect((strikes.last?.event ?? .max) <= trouble.longest)
            }
        }
    }

    /// A service that stalls is late with everything and loses nothing.
    @Test func stalledOutputIsSentLater() {
        var plan = FaultPlan(seed: 1, connection: 1)
        plan.strikes = [.init(event: 1, kind: .stalledWriting, extent: 100)]
        plan.opening = .sound
        var faults = SocketFaults(plan, errors: [])
        let events = (1...3).map { SocketOutput.send(["number": .int($0)]) }
        #expect(faults.write(events, at: 0).isEmpty)
        #expect(faults.write([], at: 99).isEmpty)
        #expect(faults.write([], at: 100) == events)
    }
}
