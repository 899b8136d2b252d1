import Testing

@testable import VoiceNetwork

struct SHA1Tests {
    private static func hex(_ text: String) -> String {
        SHA1.digest(Array(text.utf8)).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    /// RFC 3174 section 7.3.
    @Test func matchesTheVectorsOfTheRFC() {
        #expect(Self.hex("abc") == "a9993e364706816aba3e25717850c26c9cd0d89d")
        #expect(
            Self.hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")
                == "84983e441c3bd26ebaae4aa1f95129e5e54670f1"
        )
        #expect(
            Self.hex(String(repeating: "01234567", count: 80)) == "dea356a2cddd90c7a7ecedc5ebb563934f460452"
        )
        #expect(Self.hex("") == "da39a3ee5e6b4b0d3255bfef95601890afd80709")
    }

    @Test(arguments: [55, 56, 63, 64, 65, 119, 120]) func padsAtEveryEdgeOfABlock(count: Int) {
        let digest = SHA1.digest([UInt8](repeating: 0x61, count: count))
        #expect(digest.count == 20)
        #expect(digest != SHA1.digest([UInt8](repeating: 0x61, count: count + 1)))
    }
}
