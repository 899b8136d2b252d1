import Testing

@testable import VoiceBase

struct PromiseTests {
    @Test func firstValueCountsForAllWaiters() async {
        let promise = Promise<Int>()
        #expect(promise.value == nil)
        async let one = promise.wait()
        async let two = promise.wait()
        #expect(promise.give(1))
        #expect(!promise.give(2))
        #expect(await [one, two, promise.wait()] == [1, 1, 1])
        #expect(promise.value == 1)
    }

    /// The promised value may be nil.
    @Test func nilIsAValue() async {
        let promise = Promise<Int?>()
        #expect(promise.give(nil))
        #expect(!promise.give(1))
        #expect(await promise.wait() == nil)
    }
}
