import Testing
import VoiceSimulator

@testable import StageSupport
@testable import TestSupport
@testable import VoiceBase
@testable import VoiceConversation
@testable import VoiceCore
@testable import VoiceNetwork
@testable import VoiceSession

extension EndToEnd {
    /// The dialects that a server of the GA protocol understands too, run against one.
    @Suite struct DialectTurnTests {
        @Test(arguments: [
            Dialect.Name.openAI, .azure, .localAI, .huggingFace,
        ])
        func aQuestionIsAnswered(dialect: Dialect.Name) async throws {
            let stage = try Stage([.ask("What is on today?")]) { _ in .init(.reply("Two meetings.")) }
            try await stage.start(
                adjust: {
                    $0.realtime.dialect = .chosen(dialect)
                    // The simulated server demands one; a server of one's own gets none by default.
                    $0.realtime.model = "gpt-realtime"
                },
                // The simulated server expects its key where OpenAI has it.
                tune: { $0.service.request?.headers = Dialect.openAI.headers(key: Secret(Stage.key)) }
            )
            try await stage.reach(.listening)
            stage.say("Hey")
            try await stage.reach(.listening, times: 2)
            let (tones, _) = try await stage.stop()
            #expect(tones.spell("Checking. Two meetings."), "\(tones)")
            #expect(stage.journal.outputs == ["Two meetings."])
            #expect(stage.journal.client("response.create").count == 1)
            #expect(stage.journal.server("error").isEmpty)
        }
    }
}
