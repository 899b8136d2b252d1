import Testing

@testable import VoiceBase
@testable import VoiceConversation

/// The user's turns at a service that marks none.
struct HeardTurnsTests {
    private static func voice(_ stretches: [(milliseconds: Int, isVoice: Bool)]) -> HeardVoice {
        var voice = HeardVoice()
        for stretch in stretches {
            for _ in 0..<stretch.milliseconds / 20 {
                _ = voice.sent(480, isVoice: stretch.isVoice, overSpeech: false)
            }
        }
        return voice
    }

    private static func text(_ reports: [ServiceReport]) -> [String] {
        reports.compactMap { report in
            guard case .heard(let item, _, let text, let isWhole) = report else { return nil }
            return "\(item) \(text) \(isWhole)"
        }
    }

    @Test func wordsWithoutAVoiceBelongNowhere() {
        let turns = HeardTurns()
        #expect(turns.place(Self.voice([(2000, false)]), isSpeaking: false) == .nowhere)
        #expect(turns.place(Self.voice([(400, true), (16_000, false)]), isSpeaking: false) == .nowhere)
    }

    @Test func wordsOfAShortVoiceBeginATurnUnlessTheServiceSpeaks() {
        let turns = HeardTurns()
        let voice = Self.voice([(1000, false), (60, true), (200, false)])
        #expect(turns.place(voice, isSpeaking: false) == .newTurn)
        #expect(turns.place(voice, isSpeaking: true) == .knownTurn)
    }

    @Test func wordsJoinTheOpenTurnAndThenTheLast() {
        var turns = HeardTurns()
        turns.began("u1")
        #expect(Self.text(turns.add("What ", at: .zero)) == ["u1 What  false"])
        #expect(turns.ended(at: 900, now: .seconds(1)) == "u1")
        #expect(turns.ended(at: 900, now: .seconds(1)) == nil)
        #expect(Self.text(turns.add("is on?", at: .seconds(1))) == ["u1 is on? false"])
        #expect(turns.report(at: .seconds(2)).isEmpty, "more words may come")
        #expect(Self.text(turns.report(at: .milliseconds(2300))) == ["u1 What is on? true"])
        #expect(turns.report(at: .seconds(9)).isEmpty, "it was reported")
    }

    @Test func lateWordsAreReportedWithTheWholeTurnAgain() {
        var turns = HeardTurns()
        turns.began("u1")
        _ = turns.add("Stop", at: .zero)
        _ = turns.ended(at: 500, now: .zero)
        #expect(turns.report(at: .zero, isDue: true).count == 1)
        #expect(Self.text(turns.add(" it.", at: .seconds(1))) == ["u1  it. false", "u1 Stop it. true"])
    }

    @Test func correctedWordsAreReportedOnce() {
        var turns = HeardTurns()
        turns.began("u1")
        _ = turns.ended(at: 500, now: .zero)
        turns.correct("Nothing was heard of it.")
        #expect(turns.report(at: .zero, isDue: true).isEmpty)
        _ = turns.add("wether", at: .zero)
        _ = turns.report(at: .zero, isDue: true)
        turns.correct("weather")
        #expect(Self.text(turns.report(at: .zero, isDue: true)) == ["u1 weather true"])
    }

    @Test func wordsBeyond16000BytesAreLeftOut() {
        var turns = HeardTurns()
        turns.began("u1")
        _ = turns.add(String(repeating: "a", count: 16_000), at: .zero)
        #expect(turns.add("b", at: .zero).isEmpty)
        _ = turns.ended(at: 500, now: .zero)
        let whole = Self.text(turns.report(at: .zero, isDue: true)).first
        #expect(whole?.utf8.count == "u1  true".utf8.count + 8000)
    }
}
