import Testing
import VoiceSimulator

@testable import StageSupport
@testable import TestSupport
@testable import VoiceConversation

extension EndToEnd {
    @Suite struct SpokenTurnTests {
        @Test func plainTurnIsSpokenWordForWord() async throws {
            let answer = "Good morning, it is nine."
            let stage = try Stage([.say(answer)])
            try await stage.start()
            try await stage.reach(.listening)
            stage.say("Hello you")
            try await stage.reach(.listening, times: 2)
            let (tones, _) = try await stage.stop()
            #expect(
                stage.journal.states == [
                    .connecting, .listening, .userSpeaking, .processing, .aiSpeaking, .listening, .idle,
                ]
            )
            #expect(tones.spell(answer), "\(tones)")
            #expect(stage.journal.server("error").isEmpty)
            #expect(stage.journal.client().map { $0["type"] } == ["session.update"])
        }

        @Test func aQuestionGoesToTheAgentAndItsAnswerIsSpoken() async throws {
            let stage = try Stage([.ask("What is on today?")]) { _ in
                .init(.reply("**Two** meetings."), delayMilliseconds: 1500)
            }
            try await stage.start()
            try await stage.reach(.listening)
            stage.say("Hey")
            try await stage.reach(.listening, times: 2)
            let (tones, _) = try await stage.stop()
            #expect(
                stage.journal.states == [
                    .connecting, .listening, .userSpeaking, .processing, .aiSpeaking, .fillerSpeaking,
                    .waitingForJarvis, .processing, .aiSpeaking, .listening, .idle,
                ]
            )
            #expect(tones.spell("Checking. Two meetings."), "\(tones)")
            #expect(stage.journal.outputs == ["Two meetings."])
            #expect(stage.journal.client("response.create").count == 1)
            #expect(stage.journal.server("error").isEmpty)

            let request = try #require(stage.agent.requests.first)
            #expect(stage.agent.requests.count == 1)
            #expect(stage.log.lines.contains { $0.contains("call answered ") && $0.contains("turn=1") })
            #expect(request.method == "POST")
            #expect(request.target == "/ui/v1/chat/completions")
            #expect(request.header("Authorization") == "Bearer \(Stage.token)")
            #expect(request.header("session_id")?.isEmpty == false)
            #expect(request.json?["messages"] == [["role": "user", "content": "What is on today?"]])
        }

        @Test func questionsOfOneConversationShareTheAgentsSession() async throws {
            let stage = try Stage([.ask("First?"), .ask("Second?")]) { .init(.reply("\($0.query ?? "") Done.")) }
            try await stage.start()
            try await stage.reach(.listening)
            stage.say("First")
            try await stage.reach(.listening, times: 2)
            stage.say("Second")
            try await stage.reach(.listening, times: 3)
            let (tones, _) = try await stage.stop()
            #expect(tones.spell("Checking. First? Done. Checking. Second? Done."), "\(tones)")
            let sessions = stage.agent.requests.map { $0.header("session_id") }
            #expect(sessions.count == 2 && Set(sessions).count == 1)
            #expect(stage.agent.requests.allSatisfy { $0.json?["messages"]?.array?.count == 1 })
        }
    }
}
