import Testing

@testable import VoiceCore

struct LineBufferTests {
    @Test(arguments: [1, 2, 3, 7, 100])
    func linesAreWholeHoweverTheyArrive(piece: Int) {
        var buffer = LineBuffer(longest: 8)
        var lines: [String] = []
        var rest = Array("one\ntwo\r\n\nfour\n12345678\r\nsix".utf8)
        while !rest.isEmpty {
            let count = min(piece, rest.count, buffer.room)
            buffer.append(rest.prefix(count))
            rest.removeFirst(count)
            while let line = buffer.next() { lines.append(String(decoding: line, as: UTF8.self)) }
            guard count > 0 else { break }
        }
        // "12345678\r" is one byte too long.
        #expect(lines == ["one", "two", "", "four"])
        #expect(buffer.hasOverflowed && buffer.rest() == nil && buffer.room == 0)
    }

    @Test func restIsALineAtTheEnd() {
        var buffer = LineBuffer(longest: 8)
        buffer.append("a\nb".utf8)
        #expect(buffer.next() == [0x61])
        #expect(buffer.next() == nil)
        #expect(buffer.rest() == [0x62])
        #expect(buffer.rest() == nil)
    }

    @Test func bufferKeepsAtMostTheLongestLine() {
        var buffer = LineBuffer(longest: 8)
        buffer.append("ab\n".utf8)
        #expect(buffer.room == 6)
        buffer.append("0123456789".utf8)
        #expect(buffer.next() == [0x61, 0x62])
        #expect(!buffer.hasOverflowed)
        #expect(buffer.next() == nil)
        #expect(buffer.hasOverflowed)
    }
}
