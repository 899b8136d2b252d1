import Synchronization
import Testing

@testable import VoiceBase

struct TimeLimitTests {
    @Test func limitFollowsTheGivenClock() async {
        let asked = Mutex<[Duration]>([])
        let clock: @Sendable (Duration) async -> Void = { limit in asked.withLock { $0.append(limit) } }
        let late: Int? = await TimeLimit.run(.seconds(60), sleep: clock) {
            try? await Task.sleep(for: .seconds(3600))
            return 1
        }
        #expect(late == nil)
        #expect(asked.withLock { $0 } == [.seconds(60)])
    }

    @Test func cancellationEndsTheWaitAndTheWork() async {
        let (began, wasCancelled) = (Promise<Void>(), Promise<Bool>())
        let task = Task {
            await TimeLimit.run(.seconds(3600)) {
                began.give(())
                try? await Task.sleep(for: .seconds(3600))
                wasCancelled.give(Task.isCancelled)
                return 1
            }
        }
        await began.wait()
        task.cancel()
        #expect(await task.value == nil)
        #expect(await wasCancelled.wait())
    }

    /// By then another task may have taken its place.
    @Test func workOfACancelledTaskDoesNotBegin() async {
        let gate = Promise<Void>()
        let hasBegun = Atomic(false)
        let task = Task {
            await gate.wait()
            return await TimeLimit.run(.seconds(3600)) {
                hasBegun.store(true, ordering: .releasing)
                return 1
            }
        }
        task.cancel()
        gate.give(())
        #expect(await task.value == nil)
        let begun = hasBegun.load(ordering: .acquiring)
        #expect(!begun)
    }
}
