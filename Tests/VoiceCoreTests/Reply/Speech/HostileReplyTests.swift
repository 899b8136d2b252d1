import Testing

@testable import VoiceReply

/// Replies made to cost time: the work is bounded by their length.
struct HostileReplyTests {
    /// A cost that grew with the square of the length would be minutes here.
    @Test(
        .timeLimit(.minutes(1)),
        arguments: ["\n", " \n", "\r\n", "[", "![", "[[]", "<", "[x]: y\n", "**a", "user\n", "[INST]", "```\n"]
    )
    func repeatedMarkTakesLinearTime(mark: String) {
        let reply = String(repeating: mark, count: SpeechShaper.maximumBytes / mark.utf8.count)
        let written = WrittenReply(reply)
        #expect(!written.hasCall)
        #expect(written.text.utf8.count <= reply.utf8.count)
    }

    @Test func aMarkBehindManyBracketsIsStillFound() {
        #expect(WrittenReply("[[[[ <think>no</think>\n\nIt is ten.").text.hasSuffix("It is ten."))
        #expect(WrittenReply("[[[[ <think>no</think>\n\nIt is ten.").hasThoughts)
        #expect(!WrittenReply("<|im_start|>assistant\nTen.<\u{FF5C}end\u{FF5C}>").text.contains("im_start"))
    }

    @Test func aTurnInventedAfterBlankLinesIsLeftOut() {
        #expect(WrittenReply("Ten.\n\n   \n\n### User:\nAnd now?").text.hasPrefix("Ten."))
        #expect(!WrittenReply("Ten.\n\n   \n\n### User:\nAnd now?").text.contains("And now"))
        #expect(WrittenReply("The user said:\n\n### User:\nAnd now?").text.contains("And now"))
    }
}
