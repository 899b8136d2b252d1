import Testing
import VoiceSimulator

struct FaultPlanTests {
    @Test func aSeedAlwaysPlansTheSame() {
        for connection in 1...50 {
            #expect(FaultPlan(seed: 7, connection: connection) == FaultPlan(seed: 7, connection: connection))
        }
        #expect((1...50).contains { FaultPlan(seed: 7, connection: $0) != FaultPlan(seed: 8, connection: $0) })
    }

    @Test func strikesComeInTheirOrderAndEndWithTheSession() {
        for connection in 1...300 {
            let strikes = FaultPlan(seed: 3, connection: connection).strikes
            #expect(!strikes.isEmpty)
            #expect(zip(strikes, strikes.dropFirst()).allSatisfy { $0.event < $1.event })
            #expect(strikes.dropLast().allSatisfy { !$0.kind.endsSession })
        }
    }

    @Test func everyKindOfStrikeAndOpeningIsDrawn() {
        let plans = (1...500).map { FaultPlan(seed: 1, connection: $0) }
        let kinds = Set(plans.flatMap(\.strikes).map(\.kind))
        let wanted: Set<FaultKind> = [
            .droppedBefore, .droppedAfter, .reset, .closed, .halfOpen, .expired, .stalledWriting, .stalledReading,
            .duplicated, .unknown, .malformed, .binary, .incompleteEvent, .wrongTypes, .enormous, .errorEvent,
        ]
        #expect(kinds == wanted)
        for opening in [.sound, .hang(reads: true), .hang(reads: false), .cut, .garbage, .silent] as [FaultPlan.Opening]
        {
            #expect(plans.contains { $0.opening == opening }, "\(opening)")
        }
    }

    @Test func theAgentsTroubleFollowsFromTheSeed() {
        let first = (1...200).map { AgentFaults(seed: 5).behaviour(request: $0) }
        let second = (1...200).map { AgentFaults(seed: 5).behaviour(request: $0) }
        #expect(first.map(\.0) == second.map(\.0))
        #expect((20...90).contains(first.count { $0.1 != nil }))
    }
}
