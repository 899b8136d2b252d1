import Testing

@testable import VoiceNetwork

struct WebSocketEncoderTests {
    private static func frame(_ payload: [UInt8], key: UInt32) -> [UInt8] {
        var buffer = RawBuffer()
        payload.withUnsafeBytes { WebSocketEncoder.append(.text, $0, key: key, to: &buffer) }
        return Array(buffer.bytes)
    }

    /// RFC 6455 section 5.7.
    @Test func writesTheMaskedExampleOfTheRFC() {
        let expected: [UInt8] = [0x81, 0x85, 0x37, 0xfa, 0x21, 0x3d, 0x7f, 0x9f, 0x4d, 0x51, 0x58]
        #expect(Self.frame(Array("Hello".utf8), key: 0x37fa_213d) == expected)
    }

    /// Section 5.2: the shortest of the three lengths.
    @Test(arguments: [
        (0, 6), (1, 6), (125, 6), (126, 8), (65_535, 8), (65_536, 14), (70_001, 14),
    ]) func lengthsAreInTheirShortestForm(count: Int, header: Int) {
        let payload = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        let frame = Self.frame(payload, key: 0x0102_0304)
        #expect(frame.count == count + header)
        #expect(frame[1] == 0x80 | UInt8(header == 6 ? count : header == 8 ? 126 : 127))
        #expect(Array(frame[(header - 4)..<header]) == [1, 2, 3, 4])
        // Unmasked byte by byte, as in section 5.3.
        let key: [UInt8] = [1, 2, 3, 4]
        #expect(frame.dropFirst(header).enumerated().map { $1 ^ key[$0 % 4] } == payload)
    }

    /// A frame written in place with room to spare equals one of known length.
    @Test(arguments: [(0, 200), (100, 126), (125, 70_000), (126, 70_000), (65_535, 65_536), (10, 10)])
    func writingInPlaceGivesTheSameFrame(count: Int, room: Int) {
        let payload = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
        var buffer = RawBuffer()
        WebSocketEncoder.append(.text, maximumCount: room, key: 0xdead_beef, to: &buffer) { place in
            #expect(place.count == room)
            place.copyBytes(from: payload)
            return count
        }
        #expect(Array(buffer.bytes) == Self.frame(payload, key: 0xdead_beef))
    }
}
