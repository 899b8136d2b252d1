import Testing

@testable import VoiceAudio

struct PublishedTests {
    private struct Numbers: BitwiseCopyable, Sendable, Equatable {
        let first: UInt64
        let second: UInt64
        let third: UInt64
        let last: UInt16

        init(_ number: UInt64) {
            (first, second, third, last) = (number, number, number, UInt16(truncatingIfNeeded: number))
        }
    }

    private final class Shelf: Sendable {
        let value = Published(Numbers(0))
    }

    @Test func readerNeverSeesAMixedValue() async {
        let shelf = Shelf()
        let end: UInt64 = 50_000
        async let writing: Void = Task.detached { for number in 1...end { shelf.value.value = Numbers(number) } }.value
        var seen = Numbers(0)
        var isWhole = true
        while seen.last != UInt16(truncatingIfNeeded: end), isWhole {
            let value = shelf.value.value
            isWhole = value == Numbers(value.first) && value.first >= seen.first
            seen = value
            await Task.yield()
        }
        #expect(isWhole)
        await writing
    }

    @Test func theSameValueIsReadOnce() {
        let value = Published(Numbers(7))
        var (seen, read) = (UInt64(0), Numbers(0))
        #expect(!value.read(into: &read, newerThan: &seen), "the initial value counts as read")
        value.value = Numbers(8)
        #expect(value.read(into: &read, newerThan: &seen) && read == Numbers(8))
        #expect(!value.read(into: &read, newerThan: &seen))
    }
}
