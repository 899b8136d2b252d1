import Testing

@testable import VoiceBase

struct LossMeterTests {
    @Test func stallIsReportedOnceAfterItsEnd() {
        var meter = LossMeter()
        for millisecond in 0..<3000 {
            meter.add(1, at: .milliseconds(millisecond))
            #expect(meter.dequeue(at: .milliseconds(millisecond), isOver: false) == nil)
        }
        #expect(meter.dequeue(at: .milliseconds(3000), isOver: true) == 3000)
        #expect(meter.dequeue(at: .milliseconds(3001), isOver: true) == nil)
    }

    @Test func lastingLossIsReportedOccasionally() {
        var meter = LossMeter()
        var reported: [Int] = []
        for second in 0..<60 {
            meter.add(1, at: .seconds(second))
            if let amount = meter.dequeue(at: .seconds(second), isOver: false) { reported.append(amount) }
        }
        #expect(reported.count == 5)
        #expect(reported.reduce(meter.unreported, +) == 60)
    }

    @Test func manyShortTroublesAreSummedUp() {
        var meter = LossMeter()
        var reported: [Int] = []
        for second in 0..<60 {
            meter.add(2, at: .seconds(second))
            if let amount = meter.dequeue(at: .seconds(second), isOver: true) { reported.append(amount) }
        }
        #expect(reported.count == 6)
        #expect(reported.first == 2)
        #expect(meter.total == 120)
    }

    @Test func absentLossIsNotReported() {
        var meter = LossMeter()
        #expect(meter.dequeue(at: .seconds(1), isOver: true) == nil)
        meter.add(0, at: .seconds(1))
        #expect(meter.dequeue(at: .seconds(20), isOver: true) == nil)
    }
}
