import Testing

@testable import VoiceBase

struct SleepTests {
    /// A flood of events restarts a timer each time.
    @Test func cancelledSleepsLeaveNothingBehind() async {
        let alarms = Alarms()
        for _ in 0..<1000 {
            let sleeper = Task { try await alarms.sleep(for: .seconds(3600)) }
            sleeper.cancel()
            await #expect(throws: CancellationError.self) { try await sleeper.value }
        }
        #expect(alarms.count <= 1, "\(alarms.count)")
        #expect(alarms.sleepers == 0)
    }

    @Test func sleepersWakeInTheOrderOfTheirTimes() async throws {
        let alarms = Alarms()
        let order = WakeOrder()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for length in [150, 50, 100, 50] {
                group.addTask {
                    try await alarms.sleep(for: .milliseconds(length))
                    await order.add(length)
                }
            }
            try await group.waitForAll()
        }
        #expect(await order.all == [50, 50, 100, 150])
        #expect(alarms.sleepers == 0)
    }

    @Test func aShorterSleepIsNotKeptWaitingByALongerOne() async throws {
        let alarms = Alarms()
        let long = Task { try await alarms.sleep(for: .seconds(3600)) }
        while alarms.sleepers == 0 { await Task.yield() }
        try await alarms.sleep(for: .milliseconds(20))
        long.cancel()
        await #expect(throws: CancellationError.self) { try await long.value }
    }

    @Test func cancelledTaskDoesNotSleep() async {
        let sleeper = Task {
            while !Task.isCancelled { await Task.yield() }
            try await Sleep.for(.seconds(3600))
        }
        sleeper.cancel()
        await #expect(throws: CancellationError.self) { try await sleeper.value }
    }
}

private actor WakeOrder {
    private(set) var all: [Int] = []

    func add(_ length: Int) { all.append(length) }
}
