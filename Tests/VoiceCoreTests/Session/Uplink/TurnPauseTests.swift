import Testing

@testable import VoiceSession

struct TurnPauseTests {
    /// Feeds 20 ms steps; `voice` tells at which ms a voice is heard. Returns the changes with their times in ms.
    private static func changes(until end: Int, from start: UInt64 = 0, voice: (Int) -> Bool) -> [String] {
        var pause = TurnPause()
        var voiceUntil: UInt64 = 0
        var changes: [String] = []
        for time in stride(from: 20, through: end, by: 20) {
            if voice(time) { voiceUntil = UInt64(time * 24) }
            switch pause.step(to: UInt64(time * 24), voiceUntil: voiceUntil, since: start) {
            case .paused(let ago): changes.append("paused \(ago) at \(time)")
            case .resumed: changes.append("resumed at \(time)")
            case nil: break
            }
        }
        return changes
    }

    @Test func aSecondWithoutAVoiceIsAPause() {
        let changes = Self.changes(until: 10_000) { $0 <= 2000 }
        #expect(changes == ["paused 1.0 seconds at 3000"])
    }

    @Test func shortGapsAreNotAPause() {
        #expect(Self.changes(until: 10_000) { $0 % 1000 < 40 }.isEmpty)
    }

    @Test func aVoiceEndsThePauseAndANoiseDoesNot() {
        let changes = Self.changes(until: 8000) { $0 <= 1000 || $0 == 4000 || (6000...6500).contains($0) }
        #expect(changes == ["paused 1.0 seconds at 2000", "resumed at 6080", "paused 1.0 seconds at 7500"])
    }

    @Test func undetectedTalkerDoesNotPause() {
        #expect(Self.changes(until: 8000) { _ in false }.isEmpty)
        #expect(Self.changes(until: 8000, from: 4000 * 24) { $0 < 3000 }.isEmpty, "that was another turn")
    }
}
