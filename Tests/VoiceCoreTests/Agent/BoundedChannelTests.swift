import Testing

@testable import VoiceAgent

struct BoundedChannelTests {
    @Test func whatIsSentComesInOrder() async {
        let channel = BoundedChannel<Int>()
        for number in 1...3 { channel.send(number) }
        #expect(await channel.hasNext(), "a look takes nothing")
        #expect(await [channel.next(), channel.next(), channel.next()] == [1, 2, 3])
    }

    @Test func whoWaitsGetsWhatComesLater() async {
        let channel = BoundedChannel<Int>()
        let waiter = Task { await channel.next() }
        await Task.yield()
        channel.send(1)
        #expect(await waiter.value == 1)
    }

    @Test func moreThanItHoldsIsDropped() async {
        let channel = BoundedChannel<Int>()
        for number in 1...100 { channel.send(number) }
        let reader = Task {
            var received: [Int] = []
            while let number = await channel.next() { received.append(number) }
            return received
        }
        reader.cancel()
        #expect(await reader.value == Array(1...64))
    }

    @Test func aWaitThatIsCancelledBeforeItBeginsEndsNoOther() async {
        for _ in 0..<100 {
            let channel = BoundedChannel<Int>()
            let early = Task { await channel.hasNext() }
            early.cancel()
            let waiter = Task { await channel.next() }
            #expect(await early.value == false)
            channel.send(1)
            #expect(await waiter.value == 1)
        }
    }
}
