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
}
