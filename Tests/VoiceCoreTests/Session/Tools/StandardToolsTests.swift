import FoundationEssentials
import Synchronization
import Testing

@testable import TestSupport
@testable import VoiceActivation
@testable import VoiceAgent
@testable import VoiceBase
@testable import VoiceConversation
@testable import VoiceCore
@testable import VoiceReply
@testable import VoiceSession

struct StandardToolsTests {
    private static func context() -> ToolContext { ToolContext(logger: LineLog().logger) }

    @Test func toolsHaveUniqueNamesAndSchemas() throws {
        var options = ToolRegistry.Options()
        options.mayEnd = true
        options.playsMedia = true
        options.hasGrammar = true
        let tools = ToolRegistry.standard(Self.context(), options: options).tools
        #expect(Set(tools.map(\.name)).count == tools.count)
        for tool in tools {
            let schema = try JSONDecoder().decode(JSONValue.self, from: Data(tool.parameters.utf8))
            #expect(schema["type"]?.stringValue == "object")
            #expect(!tool.description.isEmpty)
        }
    }

    @Test func settingsDecideWhichToolsAreOffered() {
        var settings = Configuration().jarvis
        func names() -> [String] {
            ToolRegistry.standard(Self.context(), options: .init(settings)).tools.map(\.name)
        }
        #expect(!names().contains("approve"), "chat has no approvals")
        #expect(!names().contains("end_conversation"))
        #expect(names().contains("add_to_request"))
        settings.api = .openai
        #expect(!names().contains("add_to_request"), "any other server takes no remarks")
        settings.api = .responses
        let called = ToolRegistry.Options(settings, mode: .wake)
        #expect(called.mayEnd, "who was called may hang up")
        settings.endConversation = .on
        #expect(names().contains("approve"))
        #expect(names().contains("end_conversation"))
        settings.approval = .deny
        #expect(!names().contains("approve") && names().contains("answer_question"))
    }

    @Test func silenceAndGoodbyesNeedNoReply() async {
        var context = Self.context()
        let ended = Mutex(0)
        context.endConversation = { ended.withLock { $0 += 1 } }
        #expect(await Tool.staySilent.call(arguments: "{}").wantsReply == false)
        #expect(await Tool.endConversation(context).call(arguments: "").wantsReply == false)
        #expect(ended.withLock { $0 } == 1)
    }

    @Test func cancelledRequestIsSpokenAboutOnce() async {
        var context = Self.context()
        context.ask = { _, _, _ in .ended(JarvisAnswer(failure: .cancelled)) }
        context.cancelRequest = { true }
        #expect(await Tool.askJarvis(context).call(arguments: #"{"query":"x"}"#).wantsReply == false)
        #expect(await Tool.cancelRequest(context).call(arguments: "{}").wantsReply)
    }

    @Test func lateAnswerRepeatsItsQuestion() async {
        var context = Self.context()
        context.ask = { query, _, _ in
            var answer = JarvisAnswer(reply: ShapedReply(spoken: "Two.", full: "Two.", wasCut: false))
            answer.took = query == "late" ? .seconds(11) : .seconds(9)
            return .ended(answer)
        }
        let tool = Tool.askJarvis(context)
        #expect(await tool.call(arguments: #"{"query":"soon"}"#).text == "Two.")
        let late = await tool.call(arguments: #"{"query":"late"}"#).text
        #expect(late.contains("\"late\"") && late.hasSuffix("Two."))
    }

    @Test(arguments: ["", "{}", "[]", #"{"answers":[]}"#, #"{"answers":[" "]}"#, #"{"answers":"x"}"#])
    func unreadableAnswerIsAskedForAgain(arguments: String) async {
        var context = Self.context()
        context.answer = { _, _, _ in
            Issue.record("passed on")
            return .ended(JarvisAnswer(failure: .busy))
        }
        #expect(await Tool.answerQuestion(context).call(arguments: arguments).succeeded == false)
    }

    @Test func answersAndPermissionsArePassedOn() async {
        var context = Self.context()
        let seen = Mutex<[String]>([])
        context.answer = { answers, prompt, _ in
            seen.withLock { $0.append((answers?.joined(separator: ",") ?? "dismissed") + " \(prompt ?? 0)") }
            return .ended(JarvisAnswer(failure: .busy))
        }
        context.approve = { command, isAllowed, prompt, _ in
            seen.withLock { $0.append("\(command) \(isAllowed) \(prompt ?? 0)") }
            return .ended(JarvisAnswer(failure: .busy))
        }
        _ = await Tool.answerQuestion(context).call(arguments: #"{"answers":["a","b"]}"#, prompt: 3)
        _ = await Tool.answerQuestion(context).call(arguments: #"{"dismiss":true}"#)
        _ = await Tool.approve(context).call(arguments: #"{"command":"ls","allow":true}"#, prompt: 4)
        _ = await Tool.approve(context).call(arguments: #"{"command":"ls"}"#)
        #expect(seen.withLock { $0 } == ["a,b 3", "dismissed 0", "ls true 4"])
    }

    /// Which failures certainly had no effect: the user's words may still be passed on, and the report is not text from
    /// outside. If the server may have accepted them, neither holds.
    @Test(arguments: [
        (JarvisFailure.otherCommand, false), (.unfitAnswer, false), (.nothingPending, false), (.busy, true),
        (.timedOut, true), (.cancelled, true),
    ])
    func requestThatWasNotSentIsNotCarriedOut(failure: JarvisFailure, isCarriedOut: Bool) async {
        var context = Self.context()
        context.approve = { _, _, _, _ in .ended(JarvisAnswer(failure: failure)) }
        let output = await Tool.approve(context).call(arguments: #"{"command":"ls","allow":true}"#, prompt: 4)
        #expect(output.isCarriedOut == isCarriedOut)
        #expect(output.origin == (isCarriedOut ? .outside : .own))
        let unread = await Tool.approve(context).call(arguments: "{}", prompt: 4)
        #expect(!unread.isCarriedOut && unread.origin == .own)
    }
}
