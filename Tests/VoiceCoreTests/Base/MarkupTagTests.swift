import Testing

@testable import VoiceBase

/// What the parser gets of a start tag.
struct MarkupTagTests {
    /// nil if the tag has no end.
    private func read(_ text: String) -> String? {
        var tag = MarkupTag()
        for byte in text.utf8.dropFirst() where !tag.isComplete && !tag.isTooLong { tag.add(byte) }
        return tag.isComplete ? String(decoding: tag.bytes, as: UTF8.self) : nil
    }

    @Test(arguments: [
        ("<a>", "<a>"), ("<br/>", "<br>"), ("<a b=\"c d\" e='f'>", "<a b=\"c d\" e=\"f\">"),
        ("<a b=c/d e>", "<a b=\"c/d\" e=\"\">"), ("<a\n b = \"c\" />", "<a b=\"c\">"), ("<a b='\"'>", "<a b='\"'>"),
        ("<a b=\"x>y\">", "<a b=\"x>y\">"), ("<a b=\"c\"d=\"e\">", "<a b=\"c\" d=\"e\">"),
        ("<a 5=\"b c\" d=e>", "<a d=\"e\">"),
        ("<a xml:base=b-c>", "<a xml:base=\"b-c\">"), ("<a b='\"' c=\"'\">", "<a b='\"' c=\"'\">"),
        ("<a b=\"c>", nil),
    ])
    func attributesAreNamesWithQuotedValues(text: String, tag: String?) {
        #expect(read(text) == tag)
    }

    @Test(arguments: [" a%=1", " a%", " 5=\"a a%\"", "/a%", " a%='", "'a%", " a%=\"b\""])
    func keepsThe64FirstAttributes(piece: String) throws {
        var tag = MarkupTag()
        for index in 0..<5000 {
            for byte in (index == 0 ? "x" : piece.replacing("%", with: "\(index)")).utf8 { tag.add(byte) }
        }
        #expect(tag.attributes <= MarkupTag.mostAttributes)
    }

    @Test func givesUpATagWithoutEnd() {
        #expect(read("<x a=\"" + String(repeating: "b ", count: 50_000)) == nil)
        #expect(read("<x a=\"" + String(repeating: "b>", count: 50_000)) == nil)
    }
}
