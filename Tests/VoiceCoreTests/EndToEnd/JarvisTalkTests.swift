import Testing
import VoiceSimulator

@testable import StageSupport
@testable import TestSupport
@testable import VoiceActivation
@testable import VoiceBase
@testable import VoiceConversation

extension EndToEnd {
    /// Conversations with an agent that takes its time, asks the user, and is asked for more.
    @Suite struct JarvisTalkTests {
        @Test func longRequestIsAnnouncedOnce() async throws {
            let stage = try Stage([.ask("What is on today?")]) { _ in
                .init(.reply("Two meetings."), delayMilliseconds: 3000)
            }
            try await stage.start { $0.jarvis.stillWorkingS = 1 }
            try await stage.reach(.listening)
            stage.say("Hey")
            try await stage.reach(.listening, times: 2)
            try await stage.stop()
            #expect(stage.journal.remarks == [ConversationMachine.delayNotice])
            #expect(stage.journal.outputs.count == 1)
            #expect(stage.journal.outputs.first?.hasSuffix("Two meetings.") == true)
            #expect(stage.journal.outputs.first?.contains("What is on today?") == true, "the answer is late")
            #expect(stage.journal.client("response.create").count == 2)
            #expect(stage.journal.server("error").isEmpty)
        }

        @Test func aQuestionOfTheAgentIsAnsweredByVoice() async throws {
            let prompt: SimulatedJSON = [
                "call_id": "c1",
                "questions": [["question": "Which calendar?", "options": [["label": "Work"], ["label": "Home"]]]],
            ]
            let agent = RunningAgent(token: Stage.token) { _ in [.ask(prompt), .say("Done.")] }
            let port = try await agent.start()
            let answer = ConversationScript.Turn(
                transcript: "home", action: .callOnly(tool: "answer_question", arguments: ["answers": ["home"]])
            )
            let stage = try Stage([.ask("Add a meeting"), answer], speed: 0)
            try await stage.start {
                $0.jarvis.url = "http://127.0.0.1:\(port)/ui"
                $0.jarvis.api = .responses
            }
            try await stage.reach(.listening)
            stage.say("Hey")
            try await stage.reach(.listening, times: 2)
            stage.say("Home")
            try await stage.reach(.listening, times: 3)
            try await stage.stop()
            await agent.stop()
            #expect(stage.journal.outputs.first?.contains("Which calendar?") == true)
            #expect(stage.journal.outputs.last == "Done.")
            #expect(agent.replies == [["call_id": "c1", "answers": [["question_index": 0, "selected": "Home"]]]])
        }

        @Test func moreIsReadWithoutAnotherRequest() async throws {
            let reply = (1...40).map { "This is sentence number \($0)." }.joined(separator: " ")
            let more = ConversationScript.Turn(
                transcript: "tell me more", action: .callOnly(tool: "continue_reading", arguments: [:])
            )
            let stage = try Stage([.ask("Tell me all"), more], speed: 0) { _ in .init(.reply(reply)) }
            try await stage.start { $0.jarvis.maximumSpokenWords = 20 }
            try await stage.reach(.listening)
            stage.say("Hey")
            try await stage.reach(.listening, times: 2)
            stage.say("More")
            try await stage.reach(.listening, times: 3)
            try await stage.stop()
            #expect(stage.agent.requests.count == 1)
            #expect(stage.journal.outputs.count == 2)
            #expect(stage.journal.outputs.last?.hasPrefix("This is sentence number 5.") == true)
        }

        @Test func aGoodbyeClosesTheSession() async throws {
            let goodbye = ConversationScript.Turn(
                transcript: "goodbye", action: .call(filler: "Goodbye.", tool: "end_conversation", arguments: [:])
            )
            let stage = try Stage([goodbye])
            try await stage.start { $0.jarvis.endConversation = .on }
            try await stage.reach(.listening)
            stage.say("Bye")
            try await stage.reach(.idle)
            let (tones, _) = try await stage.stop()
            #expect(tones.spell("Goodbye."), "\(tones)")
            #expect(stage.journal.closeCodes.first == 1000)
        }

        @Test func staySilentIsObeyed() async throws {
            let silent = ConversationScript.Turn(
                transcript: "and then she said", action: .callOnly(tool: "stay_silent", arguments: [:])
            )
            let stage = try Stage([silent], speed: 0)
            try await stage.start()
            try await stage.reach(.listening)
            stage.say("Hey")
            try await stage.reach(.listening, times: 2)
            try await stage.stop()
            #expect(stage.journal.outputs == ["Silent."])
            #expect(stage.journal.client("response.create").isEmpty)
        }
    }
}
