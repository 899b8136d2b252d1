import FoundationEssentials
import Testing

@testable import TestSupport
@testable import VoiceAgent
@testable import VoiceReply

/// Replies as agents write them, and what must be heard of each.
///
/// The file contains cases: "=== name [words=N]", the reply, "--- spoken", what is heard. With UPDATE_GOLDEN=1 the
/// tests write what is heard now; check the difference before keeping it.
struct GoldenReplyTests {
    private static let path = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "Golden/replies.txt")

    private struct Case {
        var name: String
        var words = 150
        var reply = ""
        var spoken = ""
    }

    @Test func everyReplyIsHeardAsWritten() throws {
        var cases = try Self.cases()
        #expect(cases.count >= 60)
        #expect(Set(cases.map(\.name)).count == cases.count)
        for index in cases.indices {
            let shaped = SpeechShaper(maximumWords: cases[index].words).shape(cases[index].reply)
            let heard = shaped?.spoken ?? "(nothing)"
            if ProcessInfo.processInfo.environment["UPDATE_GOLDEN"] != nil {
                cases[index].spoken = heard
            } else {
                #expect(heard == cases[index].spoken, "\(cases[index].name)")
            }
        }
        if ProcessInfo.processInfo.environment["UPDATE_GOLDEN"] != nil { try Self.write(cases) }
    }

    /// Spoken while it is written, a reply is heard as if it had been spoken at its end.
    @Test func everyReplyIsHeardOnceWhileItIsWritten() throws {
        for example in try Self.cases() {
            let whole = SpeechShaper(maximumWords: example.words).shape(MediaInReply(example.reply).rest)?.spoken ?? ""
            let said = SpeechStreamTests.said(example.reply, words: example.words)
            #expect(said.filter(SaidWords.isOfWord) == whole.filter(SaidWords.isOfWord), "\(example.name): \(said)")
        }
    }

    /// The mark by which an agent shows that it has the prompt for voices.
    @Test func voiceMarkChangesNoReply() throws {
        for example in try Self.cases() {
            let shaper = SpeechShaper(maximumWords: example.words)
            for marked in [AgentBriefing.mark + example.reply, AgentBriefing.mark + "\n\n" + example.reply] {
                let words = AgentBriefing.read(marked).words
                #expect(shaper.shape(words)?.spoken == shaper.shape(example.reply)?.spoken, "\(example.name)")
            }
        }
    }

    /// The answer of an agent that follows the preamble, in plain sentences under 100 words, is heard word for word;
    /// only the media that it adds are removed.
    @Test func answerInThePreambleFormIsHeardUnchanged() throws {
        let item = #"{"type":"radio","title":"News","url":"https://example.org/live.mp3","reason":"you asked for it"}"#
        var count = 0
        for example in try Self.cases() where example.spoken != "(nothing)" {
            let answer = example.spoken
            // One contains literal asterisks, one check marks, which are not plain sentences.
            guard WordCount.words(in: answer) < 100, !answer.hasSuffix("?"), !answer.contains("*"),
                !answer.contains("\u{2705}")
            else { continue }
            count += 1
            #expect(SpeechShaper().shape(answer)?.spoken == answer, "\(example.name)")
            for added in [answer + "\n" + item, answer + "\n\n```json\n\(item)\n```"] {
                let media = MediaInReply(added)
                #expect(media.items.map(\.title) == ["News"], "\(example.name)")
                #expect(SpeechShaper().shape(media.rest)?.spoken == answer, "\(example.name)")
            }
        }
        #expect(count >= 40, "\(count)")
    }

    @Test func marksAreNotHeard() throws {
        for example in try Self.cases() {
            guard let shaped = SpeechShaper(maximumWords: example.words).shape(example.reply) else { continue }
            for mark in ["**", "__", "```", "](", "http", "\n", "\t", "<br", "\u{1F389}", "  ", "| "] {
                #expect(!shaped.full.contains(mark), "\(mark) in \(example.name)")
            }
        }
    }

    @Test func continuedReadingReachesTheEnd() throws {
        for example in try Self.cases() {
            let shaper = SpeechShaper(maximumWords: 20)
            guard let shaped = shaper.shape(example.reply), var place = shaper.place(in: shaped) else { continue }
            var pieces = [shaped.spoken]
            while let piece = place.next() { pieces.append(piece) }
            func plain(_ text: String) -> String { text.filter { $0.isLetter || $0.isNumber } }
            let offer = " " + Offer.after(shaped.full)
            let heard = plain(pieces.map { $0.replacing(offer, with: "") }.joined())
            #expect(heard == plain(shaped.full), "\(example.name)")
        }
    }

    private static func cases() throws -> [Case] {
        let text = try String(decoding: Data(contentsOf: path), as: UTF8.self)
        var cases: [Case] = []
        var isSpoken = false
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("=== ") {
                let parts = line.dropFirst(4).split(separator: " words=")
                cases.append(Case(name: String(parts[0])))
                if parts.count > 1, let words = Int(parts[1]) { cases[cases.count - 1].words = words }
                isSpoken = false
            } else if line == "--- spoken" {
                isSpoken = true
            } else if !cases.isEmpty {
                let last = cases.count - 1
                if isSpoken { cases[last].spoken += line + "\n" } else { cases[last].reply += line + "\n" }
            }
        }
        for index in cases.indices {
            while cases[index].reply.hasSuffix("\n") { cases[index].reply.removeLast() }
            while cases[index].spoken.hasSuffix("\n") { cases[index].spoken.removeLast() }
        }
        return cases
    }

    private static func write(_ cases: [Case]) throws {
        let texts = cases.map { example in
            let words = example.words == 150 ? "" : " words=\(example.words)"
            return "=== \(example.name)\(words)\n\(example.reply)\n--- spoken\n\(example.spoken)\n"
        }
        try Data(texts.joined(separator: "\n").utf8).write(to: path)
    }
}
