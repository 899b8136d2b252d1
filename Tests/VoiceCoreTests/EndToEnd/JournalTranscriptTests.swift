import Testing
import VoiceSimulator

@testable import StageSupport
@testable import TestSupport
@testable import VoiceBase
@testable import VoiceConversation
@testable import VoiceCore
@testable import VoiceSession

extension EndToEnd {
    @Suite struct JournalTranscriptTests {
        @Test func journalRecordsTurnsInOrder() async throws {
            let stage = try Stage([.say("Good morning."), .say("You are welcome.")])
            try await stage.start {
                $0.log.transcripts = true
                $0.realtime.transcription = true
            }
            for turn in 1...2 {
                try await stage.reach(.listening, times: turn)
                stage.say("Hey")
            }
            try await stage.reach(.listening, times: 3)
            try await stage.stop()
            let said = stage.log.lines.filter { $0.contains("said ") }
            #expect(said.map { $0.contains("speaker=user") } == [true, false, true, false])
            #expect(said.allSatisfy { !$0.contains("interrupted") && !$0.contains("late") })
            #expect(said.last?.contains("You are welcome.") == true)
        }

        @Test func reloadSwitchesTranscriptsOnAndOff() async throws {
            let stage = try Stage([.say("Good morning."), .say("You are welcome."), .say("Until then.")])
            try await stage.start { $0.realtime.transcription = true }
            for (turn, areWanted) in [false, true, false].enumerated() {
                try await stage.reach(.listening, times: turn + 1)
                await stage.daemon?.session.setTranscripts(areWanted)
                stage.say("Hey")
            }
            try await stage.reach(.listening, times: 4)
            try await stage.stop()
            let said = stage.log.lines.filter { $0.contains("said ") }
            #expect(said.map { $0.contains("speaker=user") } == [true, false])
            #expect(said.last?.contains("You are welcome.") == true)
        }

        @Test func transcriptsAreNotLoggedUnlessEnabled() async throws {
            let stage = try Stage([.say("Good morning.")])
            try await stage.start { $0.realtime.transcription = true }
            try await stage.reach(.listening)
            stage.say("Hey")
            try await stage.reach(.listening, times: 2)
            try await stage.stop()
            #expect(!stage.log.lines.contains { $0.contains("morning") || $0.contains("Hello") })
        }
    }
}
