import FoundationEssentials
import Synchronization
import Testing

@testable import TestSupport
@testable import VoiceAgent
@testable import VoiceConversation
@testable import VoiceCore
@testable import VoiceReply
@testable import VoiceSession

struct AskJarvisToolTests {
    @Test func theQueryIsPassedOnWhole() async {
        let asked = Mutex<[String]>([])
        let tool = Tool.askJarvis(logger: LineLog().logger) { query in
            asked.withLock { $0.append(query) }
            return JarvisAnswer(reply: ShapedReply(spoken: "Two.", full: "Two.", wasCut: false))
        }
        let output = await tool.call(arguments: "{\"query\":\"what's \\u00e9 on?\",\"more\":1}")
        #expect(output == "Two.")
        #expect(asked.withLock { $0 } == ["what's \u{E9} on?"])
    }

    @Test(arguments: [
        "", "{", "null", "[]", "{}", "{\"query\":null}", "{\"query\":3}", "{\"query\":\" \\n\"}", "{\"Query\":\"x\"}",
        "{\"query\":\"\(String(repeating: "x", count: 9000))\"}", String(repeating: "[", count: 100_000),
    ])
    func undeliverableCallNamesTheReason(arguments: String) async {
        let log = LineLog()
        let tool = Tool.askJarvis(logger: log.logger) { _ in
            Issue.record("asked")
            return JarvisAnswer(failure: .busy)
        }
        let output = await tool.call(arguments: arguments)
        #expect(!output.succeeded)
        #expect(output.text.hasSuffix("again.") || output.text.hasSuffix("shorter."))
        #expect(log.lines.count == 1)
    }

    @Test func aFailureIsAnOutputLikeAnyOther() async {
        let tool = Tool.askJarvis(logger: LineLog().logger) { _ in JarvisAnswer(failure: .timedOut) }
        let output = await tool.call(arguments: "{\"query\":\"x\"}")
        #expect(output.text == "I wasn't able to reach Jarvis, the request timed out." && output.isFailure)
    }

    @Test func theParametersAreJSON() throws {
        struct Schema: Decodable {
            let type: String
            let required: [String]
        }
        let tool = Tool.askJarvis(logger: LineLog().logger) { _ in JarvisAnswer(failure: .busy) }
        let schema = try JSONDecoder().decode(Schema.self, from: Data(tool.parameters.utf8))
        #expect(schema.type == "object")
        #expect(schema.required == ["query"])
    }
}
