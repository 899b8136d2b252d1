import Testing

@testable import TestSupport
@testable import VoiceBase
@testable import VoiceConversation

struct TurnMemoryTests {
    private func memory(turns: Int = 4) -> TurnMemory {
        var memory = TurnMemory(turns: turns)
        memory.began("u1", by: .user)
        memory.began("a1", by: .assistant)
        memory.said("Two meetings.", in: "a1")
        memory.said("What is on?", in: "u1")
        return memory
    }

    @Test func lateTranscriptIsPlacedInOrder() {
        #expect(memory().lines.map(\.text) == ["What is on?", "Two meetings."])
        #expect(
            memory().summary == ["said_last_in_this_conversation": [["user": "What is on?"], ["you": "Two meetings."]]]
        )
    }

    @Test func onlyTheLatestTurnsAreKept() {
        var memory = memory(turns: 2)
        for number in 2...9 {
            memory.began("u\(number)", by: .user)
            memory.began("a\(number)", by: .assistant)
            memory.said("answer \(number)", in: "a\(number)")
        }
        #expect(memory.lines.map(\.text) == ["answer 8", "answer 9"])
        memory.said("too late", in: "u1")
        #expect(memory.lines.count == 2)
    }

    @Test func unheardPartIsNotRemembered() {
        var memory = memory()
        memory.cut("a1", share: 0.25)
        #expect(memory.lines.map(\.heard) == ["What is on?", "Two"])
        memory.cut("a1", share: 0)
        #expect(memory.lines.map(\.heard) == ["What is on?"])
    }

    @Test func emptyMemoryHasNoSummary() {
        var memory = TurnMemory(turns: 4)
        #expect(memory.summary == nil)
        memory.began("u1", by: .user)
        memory.said("words", in: "unknown")
        #expect(memory.summary == nil)
        #expect(memory.words(of: ["u1"]) == nil)
        #expect(memory.words(of: []) == nil)
        memory.said("hello", in: "u1")
        memory.said("hello", in: "u1")
        #expect(memory.words(of: ["u1"]) == "hello")
    }

    @Test func longTextsAreCut() {
        var memory = memory()
        memory.said(String(repeating: "long ", count: 10_000), in: "a1")
        #expect(memory.lines[1].text.count == 600)
        var translator = RealtimeTranslator(Scene.settings)
        let reported = translator.ask(.recall(.summary(memory.summary ?? .null)))
        guard case .functionCallOutput(_, let text, _) = reported.last else {
            Issue.record("\(reported)")
            return
        }
        #expect(text.count < 400)
    }
}
