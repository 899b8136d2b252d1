import Testing
import VoiceSimulator

@testable import StageSupport
@testable import VoiceConversation
@testable import VoiceCore

extension EndToEnd {
    @Suite struct RotationStageTests {
        @Test func nextSessionTakesOverUnnoticed() async throws {
            let stage = try Stage([.ask("What is on?")])
            try await stage.start(tune: {
                $0.conversation.sessions.age = .milliseconds(1500)
                $0.conversation.swapQuiet = .milliseconds(200)
            })
            try await stage.reach(.listening)
            stage.say("Hey")
            try await stage.reach(.listening, times: 2)
            try await stage.journal.wait(for: "the next session") { entries in
                entries.contains { if case .effect(.promote, _) = $0 { true } else { false } }
            }
            stage.say("Hey")
            try await stage.reach(.listening, times: 3)
            let (tones, _) = try await stage.stop()
            #expect(tones.spell("Checking. Nothing today. Checking. Nothing today."), "\(tones)")
            #expect(stage.journal.states.count { $0 == .connecting } == 1, "\(stage.journal.states)")
            #expect(stage.journal.closeCodes.first == 1000)
            let recalled = stage.journal.outputs.filter { $0.contains("said_last_in_this_conversation") }
            #expect(recalled.count == 1 && recalled[0].contains(#"{"you":"Nothing today."}"#))
            #expect(stage.agent.requests.count == 2)
            #expect(Set(stage.agent.requests.map { $0.header("session_id") }).count == 1, "one Jarvis session")
            #expect(stage.journal.outputs.count == 3)
        }
    }
}
