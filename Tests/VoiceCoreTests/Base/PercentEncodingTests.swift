import Testing

@testable import VoiceBase

struct PercentEncodingTests {
    @Test(arguments: [
        ("quiet%20evening", "quiet evening"), ("gr%C3%BCn", "gr\u{FC}n"), ("100%", "100%"), ("%4", "%4"),
        ("%zz", "%zz"),
        ("%+1", "%+1"), ("%25%41", "%A"), ("", ""), ("%FF", "\u{FFFD}"),
    ])
    func escapesAreRead(text: String, decoded: String) {
        #expect(PercentEncoding.decoded(text) == decoded)
    }

    @Test(arguments: [
        ("quiet evening", "quiet%20evening"), ("gr\u{FC}n", "gr%C3%BCn"), ("a-b._~9", "a-b._~9"),
        ("a/b?c=d&e", "a%2Fb%3Fc%3Dd%26e"),
        ("100%", "100%25"), ("\n", "%0A"), ("", ""),
    ])
    func reservedBytesAreEscaped(text: String, encoded: String) {
        #expect(PercentEncoding.encoded(text) == encoded)
        #expect(PercentEncoding.decoded(encoded) == text)
    }

    @Test func keptBytesAreNotEscaped() {
        #expect(
            PercentEncoding.encoded("a b/c") { $0 == UInt8(ascii: "/") || PercentEncoding.isUnreserved($0) }
                == "a%20b/c"
        )
    }
}
