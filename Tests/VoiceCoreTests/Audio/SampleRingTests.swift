import Glibc
import Testing

@testable import VoiceAudio
@testable import VoiceBase

struct SampleRingTests {
    @Test func samplesAreReadInOrderAcrossTheEnd() {
        let ring = SampleRing<Int16>(capacity: 8, filling: 0)
        var out = [Int16](repeating: 0, count: 8)
        var next: Int16 = 0
        for _ in 0..<10 {
            let input = (0..<5).map { next + Int16($0) }
            let written = ring.write(input, count: 5)
            #expect(written == 5)
            let read = ring.read(into: &out, count: 8)
            #expect(read == 5)
            #expect(Array(out[..<5]) == input)
            next += 5
        }
        #expect(ring.writePosition == 50)
        #expect(ring.readPosition == 50)
    }

    @Test func writeTakesOnlyWhatFits() {
        let ring = SampleRing<Int16>(capacity: 4, filling: 0)
        let written = ring.write([1, 2, 3, 4, 5, 6], count: 6)
        #expect(written == 4)
        let more = ring.write([7], count: 1)
        #expect(more == 0)
        let (readable, writable) = (ring.availableToRead, ring.availableToWrite)
        #expect(readable == 4)
        #expect(writable == 0)
    }

    @Test func skipStaysWithinTheWrittenSamples() {
        let ring = SampleRing<Int16>(capacity: 8, filling: 0)
        ring.write([1, 2, 3, 4], count: 4)
        ring.skip(to: 2)
        var position = ring.readPosition
        #expect(position == 2)
        ring.skip(to: 1)
        position = ring.readPosition
        #expect(position == 2)
        ring.skip(to: 100)
        position = ring.readPosition
        #expect(position == 4)
    }

    @Test func ringKeepsItsSamplesBetweenTwoThreads() throws {
        let test = RingStress()
        let thread = try OwnThread("ring-test") { test.produce() }
        let wrong = test.consume()
        thread.join()
        #expect(wrong == 0)
    }
}

private final class RingStress: Sendable {
    static let total = 2_000_000
    let ring = SampleRing<Int32>(capacity: 256, filling: 0)

    func produce() {
        var next: Int32 = 0
        var block = [Int32](repeating: 0, count: 97)
        while Int(next) < Self.total {
            let size = min(1 + Int(next) % 97, Self.total - Int(next))
            for index in 0..<size { block[index] = next + Int32(index) }
            let written = ring.write(block, count: size)
            next += Int32(written)
            if written == 0 { sched_yield() }
        }
    }

    /// Reads everything; returns the number of misplaced samples.
    func consume() -> Int {
        var expected: Int32 = 0
        var wrong = 0
        var block = [Int32](repeating: 0, count: 61)
        while Int(expected) < Self.total {
            let count = ring.read(into: &block, count: 1 + Int(expected) % 61)
            for index in 0..<count {
                if block[index] != expected { wrong += 1 }
                expected += 1
            }
            if count == 0 { sched_yield() }
        }
        return wrong
    }
}
