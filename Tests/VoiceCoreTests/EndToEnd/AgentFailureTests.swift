import Testing
import VoiceSimulator

@testable import StageSupport
@testable import TestSupport
@testable import VoiceAgent
@testable import VoiceBase
@testable import VoiceConversation

extension EndToEnd {
    /// Whatever the agent does: one output, something to say, and the daemon still listens.
    @Suite struct AgentFailureTests {
        struct Trouble: Sendable, CustomTestStringConvertible {
            var testDescription: String
            var outcome: AgentBehaviour.Outcome
            /// The failure reported to the model.
            var failure: JarvisFailure
        }

        private static let answers = [
            Trouble(
                testDescription: "401", outcome: .status(401, type: "invalid_api_key", message: "no"),
                failure: .authentication
            ),
            Trouble(
                testDescription: "500", outcome: .status(500, type: "server_error", message: "no"),
                failure: .serverError(status: 500, detail: "no")
            ),
            Trouble(testDescription: "web page", outcome: .html, failure: .wrongBasePath(hint: "")),
            Trouble(
                testDescription: "redirect",
                outcome: .redirect("http://127.0.0.1:1/ui/"),
                failure: .wrongBasePath(hint: "")
            ),
            Trouble(testDescription: "empty", outcome: .emptyReply, failure: .emptyReply),
            Trouble(testDescription: "not JSON", outcome: .notJSON, failure: .badReply(detail: "")),
            Trouble(testDescription: "cut in the middle", outcome: .cutMidBody, failure: .cutOff(detail: "")),
            Trouble(testDescription: "cut", outcome: .cut, failure: .cutOff(detail: "")),
            Trouble(testDescription: "timeout", outcome: .silence, failure: .timedOut),
        ]

        @Test(arguments: answers)
        func everyAgentFailureIsReportedOnce(_ trouble: Trouble) async throws {
            let stage = try Stage([.ask("What is on?", filler: "Hm.")], speed: 0) { _ in .init(trouble.outcome) }
            try await stage.start { $0.jarvis.timeoutS = 1 }
            try await expectOneOutput(stage, trouble.failure.spokenSentence)
            #expect(stage.agent.requests.count == 1)
        }

        @Test func redirectIsNotFollowedWithTheToken() async throws {
            let elsewhere = AgentStandIn(token: Stage.token) { _ in "Hello." }
            let port = try await elsewhere.start()
            let stage = try Stage([.ask("What is on?")], speed: 0) { _ in
                .init(.redirect("http://127.0.0.1:\(port)/ui/v1/chat/completions"))
            }
            try await stage.start()
            try await expectOneOutput(stage, JarvisFailure.wrongBasePath(hint: "").spokenSentence)
            #expect(elsewhere.requests.isEmpty)
            await elsewhere.stop()
        }

        @Test func missingAgentIsReportedOnce() async throws {
            let gone = AgentStandIn(token: Stage.token) { _ in "" }
            let port = try await gone.start()
            await gone.stop()
            let stage = try Stage([.ask("What is on?")])
            try await stage.start { $0.jarvis.url = "http://127.0.0.1:\(port)/ui" }
            try await expectOneOutput(stage, JarvisFailure.offline(detail: "").spokenSentence)
        }

        @Test func wrongTokenIsReportedOnce() async throws {
            let strict = AgentStandIn(token: "another") { _ in "" }
            let port = try await strict.start()
            let stage = try Stage([.ask("What is on?")])
            try await stage.start { $0.jarvis.url = "http://127.0.0.1:\(port)/ui" }
            try await expectOneOutput(stage, JarvisFailure.authentication.spokenSentence)
            await strict.stop()
            #expect(stage.log.lines.contains { $0.contains("jarvis.token_file") })
            #expect(!stage.log.lines.contains { $0.contains(Stage.token) || $0.contains(Stage.key) })
        }

        private static let mistakes: [(tool: String, arguments: SimulatedJSON, reported: String)] = [
            ("water_plants", [:], "There is no tool named water_plants."),
            ("ask_jarvis", ["query": 7], "I did not get that request. Please say it again."),
            ("ask_jarvis", "no object", "I did not get that request. Please say it again."),
            ("ask_jarvis", [:], "The request was empty. Please say it again."),
            ("ask_jarvis", ["query": " \n"], "The request was empty. Please say it again."),
        ]

        @Test(arguments: mistakes)
        func everyModelMistakeIsReportedOnce(
            _ tool: String,
            _ arguments: SimulatedJSON,
            _ reported: String
        ) async throws {
            let stage = try Stage([
                .init(
                    transcript: "What is on?", action: .call(filler: "Hm.", tool: tool, arguments: arguments)
                )
            ])
            try await stage.start()
            try await expectOneOutput(stage, reported)
            #expect(stage.agent.requests.isEmpty)
        }

        /// Asks, lets the sentence begin, and verifies that the daemon listens again.
        private func expectOneOutput(_ stage: Stage, _ sentence: String) async throws {
            try await stage.reach(.listening)
            stage.say("Hey")
            try await stage.journal.wait(for: "the sentence") { entries in
                entries.contains { entry in
                    guard case .wire(.server(_, let event)) = entry else { return false }
                    return event["type"] == "response.output_audio_transcript.done"
                        && event["transcript"]?.string == sentence
                }
            }
            stage.post(.interrupt)
            try await stage.reach(.listening, times: 2)
            try await stage.stop()
            #expect(stage.journal.outputs == [sentence])
            #expect(stage.journal.client("response.create").count == 1)
            let unwanted = stage.journal.server("error").compactMap { $0["error"]?["code"]?.string }
            #expect(unwanted.allSatisfy { $0 == "response_cancel_not_active" }, "\(unwanted)")
        }
    }
}
