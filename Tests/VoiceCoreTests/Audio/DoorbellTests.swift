import Testing

@testable import VoiceAudio
@testable import VoiceBase

/// None of these tests looks at a clock: what does not wake hangs.
struct DoorbellTests {
    private let bell = Doorbell()

    @Test func ringWakesEveryTaskThatWaits() async {
        let seen = bell.rings
        await withTaskGroup(of: UInt64.self) { group in
            for _ in 0..<5 {
                group.addTask { [bell] in
                    var seen = seen
                    await bell.wait(&seen, until: nil)
                    return seen
                }
            }
            bell.ring()
            for await rings in group { #expect(rings == seen + 1) }
        }
        bell.close()
    }

    @Test func ringBeforeTheWaitIsNotLost() async {
        var seen = bell.rings
        bell.ring()
        bell.ring()
        await bell.wait(&seen, until: nil)
        #expect(seen == 2)
        bell.close()
    }

    @Test func dueTimeEndsTheWaitWithoutARing() async {
        var seen = bell.rings
        await bell.wait(&seen, until: Monotonic.now() - .seconds(1))
        await bell.wait(&seen, until: Monotonic.now() + .milliseconds(1))
        #expect(seen == 0)
        bell.close()
    }

    /// A later wait that is due sooner shortens the sleep of the thread.
    @Test func soonerWaitDoesNotWaitForALaterOne() async {
        let seen = bell.rings
        let patient = Task { [bell] in
            var seen = seen
            await bell.wait(&seen, until: Monotonic.now() + .seconds(86_400))
        }
        var own = seen
        await bell.wait(&own, until: Monotonic.now() + .milliseconds(20))
        #expect(own == seen)
        bell.ring()
        await patient.value
        bell.close()
    }

    @Test func cancelledTaskDoesNotWait() async {
        let task = Task { [bell] in
            var seen = bell.rings
            await bell.wait(&seen, until: nil)
        }
        task.cancel()
        await task.value
        bell.close()
    }

    @Test func closedBellEndsEveryWait() async {
        let task = Task { [bell] in
            var seen = bell.rings
            await bell.wait(&seen, until: nil)
        }
        bell.close()
        await task.value
        var seen = bell.rings
        await bell.wait(&seen, until: Monotonic.now())
    }

    @Test func everybodyLooksOnTheSameSecond() {
        #expect(Doorbell.beat(after: .milliseconds(4_001)) == .seconds(5))
        #expect(Doorbell.beat(after: .milliseconds(4_999)) == .seconds(5))
        #expect(Doorbell.beat(after: .seconds(5)) == .seconds(6))
    }
}
