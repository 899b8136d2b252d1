import Testing

@testable import VoiceReply

/// What of a reply is spoken while it is still being written.
struct SpeechStreamTests {
    /// The sentences given, and with which piece of the text each came.
    private struct Given: Equatable {
        var sentences: [String] = []
        var after: [Int] = []
    }

    /// Writes a reply character by character.
    private static func write(_ reply: String, _ stream: inout SpeechStream) -> Given {
        var given = Given()
        var text = ""
        for character in reply {
            text.append(character)
            let new = stream.consume(text)
            given.sentences += new
            given.after += Array(repeating: text.count, count: new.count)
        }
        return given
    }

    private func write(_ reply: String, _ stream: inout SpeechStream) -> Given { Self.write(reply, &stream) }

    private func write(_ reply: String, words: Int = 150) -> Given {
        var stream = SpeechStream(maximumWords: words)
        return Self.write(reply, &stream)
    }

    /// All that is said of a reply: while it is written, and at its end.
    static func said(_ reply: String, words: Int) -> String {
        var stream = SpeechStream(maximumWords: words)
        let given = write(reply, &stream).sentences
        let whole = SpeechShaper(maximumWords: words).shape(MediaInReply(reply).rest)?.spoken ?? ""
        return (given + [SaidWords.rest(of: whole, afterSaying: stream.given)]).filter { !$0.isEmpty }.joined(
            separator: " "
        )
    }

    private func rest(_ reply: String, words: Int = 150) -> (given: [String], rest: String) {
        let given = write(reply, words: words).sentences
        let whole = SpeechShaper(maximumWords: words).shape(MediaInReply(reply).rest)?.spoken ?? ""
        return (given, SaidWords.rest(of: whole, afterSaying: given))
    }

    @Test func aSentenceIsGivenWhenTheNextBegins() {
        let reply = "It rains today. Take a coat. And the umbrella"
        let given = write(reply)
        #expect(given.sentences == ["It rains today.", "Take a coat."])
        // With the first letter of the next word: "3. July" is none.
        #expect(given.after == ["It rains today. T".count, "It rains today. Take a coat. A".count])
        #expect(rest(reply).rest == "And the umbrella")
    }

    @Test func abbreviationDoesNotEndASentence() {
        #expect(
            write("Dr. Miller calls at 3.30 p.m. today. Then").sentences == ["Dr. Miller calls at 3.30 p.m. today."]
        )
    }

    @Test func aBlankLineEndsABlock() {
        let given = write("# Today\n\nTwo **meetings. Both** are long\n\nThen")
        #expect(given.sentences == ["Today.", "Two meetings.", "Both are long"])
    }

    @Test func openEmphasisWaits() {
        #expect(write("It is **hot. Very** hot. So").sentences == ["It is hot.", "Very hot."])
        #expect(write("It is **hot. Very").sentences.isEmpty)
    }

    @Test func aListIsGivenItemByItem() {
        let reply = "You have this:\n- Milk. It is fresh. Really.\n- Bread\n- Eggs"
        let given = write(reply)
        #expect(given.sentences.joined(separator: " ") == "You have this: Milk. It is fresh. Really. Bread.")
        #expect(rest(reply).rest == "Eggs.")
        // Nothing of an item that is not finished.
        #expect(write("You have this:\n- Milk. It is fresh. Really").sentences == ["You have this:"])
    }

    @Test(arguments: [
        "Here it is.\n\n```sh\nrm -rf /tmp/x. Really. Yes\n\nmore. And more",
        "Here it is.\n\n| a | b |\n|---|---|\n| one. Two | three |\n",
        "Here it is.\n\n<think>No. Not that. Or",
        "Here it is.\n\n{\"type\": \"track\", \"title\": \"A. B. C\", \"url\": \"https://e.org/a.mp3\"}. And",
        "Here it is.\n\n[A. B. C](https://e.org/a",
        "Here it is.\n\n[A. B. C][1] is. It",
        "Here it is.\n\n- A. B: https://e.org/a.mp3\n- Other. One: https://e.org/b.mp3\n- C",
        "Here it is.\n\n<!-- A. B. C",
        "Here it is.\n\nIt costs $x. And y$ of. Or",
    ])
    func unfinishedBlockIsNotSpoken(reply: String) {
        #expect(write(reply).sentences == ["Here it is."])
    }

    @Test func thoughtsAreNotSpoken() {
        #expect(
            write("<think>Let me see. It is hot. So\n</think>It is hot. Very. A").sentences == ["It is hot.", "Very."]
        )
    }

    /// A server may leave the first tag out: what turns out to have been a thought is not part of the answer.
    @Test func lateThoughtTagRestartsTheAnswer() {
        let (given, rest) = rest("Let me see. It is cold. Hm</think>Take a coat. And gloves.")
        #expect(given == ["Let me see.", "It is cold.", "Take a coat."])
        #expect(rest == "Take a coat. And gloves." || rest == "And gloves.")
    }

    /// Whatever the reply is: all of it is said once, in order, with the cut and the offer as without a stream.
    @Test(arguments: [
        "It rains today. Take a coat. And the umbrella.",
        "# Plan\n\nFirst *this*. Then that.\n\n1. Get up.\n2. Go to **work. Early**.\n\n```swift\nlet a = 1. + 2.\n```\n\nDone. Yes.",
        "| a | b |\n|---|---|\n| 1 | 2 |\n\nThat is all. Really.",
        "See [the page. It is long](https://e.org/x.html). Then https://e.org/y.html. Then more.",
        "Play this: https://e.org/a.mp3\n\nIt is good. I like it. Do you?",
        "Es regnet heute. Nimm einen Mantel. Und z. B. Handschuhe am 3. Juli. Gut?",
        "今天下雨。带上雨伞。好吗？",
        "He said \"Stop. Now.\" and left. Then (of course. Sure.) he came back. No. No. No.",
        "<!-- voice -->It is warm. Very warm. Good.",
    ])
    func everyWordIsSpokenOnce(reply: String) {
        for words in [5, 12, 150] {
            let whole = SpeechShaper(maximumWords: words).shape(MediaInReply(reply).rest)?.spoken ?? ""
            let (given, rest) = rest(reply, words: words)
            let said = (given + [rest]).filter { !$0.isEmpty }.joined(separator: " ")
            let letters = said.filter { $0.isLetter || $0.isNumber }
            #expect(letters == whole.filter { $0.isLetter || $0.isNumber }, "\(given) + \(rest) is not \(whole)")
        }
    }

    @Test func streamStopsAtTheLengthLimit() {
        let reply = (1...80).map { "Sentence \($0) has five words." }.joined(separator: " ")
        let (given, rest) = rest(reply)
        #expect(given.count == 30)
        #expect(rest == SpeechShaper.offer)
    }

    // MARK: What is withdrawn

    @Test func repeatedTextIsNotSpokenAgain() {
        var stream = SpeechStream(maximumWords: 150)
        #expect(write("It rains today. Take a coat. And", &stream).sentences == ["It rains today.", "Take a coat."])
        stream.withdrawn()
        #expect(write("It rains today. Take a coat. And gloves. So", &stream).sentences == ["And gloves."])
    }

    @Test func changedTextIsSpokenFromTheChange() {
        var stream = SpeechStream(maximumWords: 150)
        _ = write("It rains today. Take a coat. And", &stream)
        stream.withdrawn()
        #expect(
            write("It rains today. Stay at home. It is cold. S", &stream).sentences == ["Stay at home.", "It is cold."]
        )
        #expect(SaidWords.rest(of: "It rains today. Stay at home. It is cold. So.", afterSaying: stream.given) == "So.")
    }

    @Test func newSegmentStartsAfresh() {
        var stream = SpeechStream(maximumWords: 150)
        #expect(write("I look. One moment. L", &stream).sentences == ["I look.", "One moment."])
        stream.segmentEnded()
        #expect(write("I look. It is hot. V", &stream).sentences == ["I look.", "It is hot."])
    }

    @Test func streamWorkIsBounded() {
        var stream = SpeechStream(maximumWords: 150)
        let line = "let a = \"b. C\"\n"
        var text = "```\n"
        for _ in 0..<5000 {
            text += line
            #expect(stream.consume(text).isEmpty)
        }
    }
}
