import Synchronization
import Testing

@testable import TestSupport
@testable import VoiceAgent
@testable import VoiceConversation
@testable import VoiceCore
@testable import VoiceSession

/// The authority that each tool needs, as the dispatcher enforces it.
struct ToolAuthorityTests {
    private static let all: [Tool] = {
        var options = ToolRegistry.Options()
        options.mayEnd = true
        options.playsMedia = true
        options.hasGrammar = true
        return ToolRegistry.standard(ToolContext(logger: LineLog().logger), options: options).tools
    }()

    /// The two that the conversation knows by name are those that pass on an answer.
    @Test func onlyToolsWithAnAnswerNeedOne() {
        for tool in Self.all {
            let answers = if case .answers = tool.body { true } else { false }
            #expect((tool.needs == .answer) == answers, "\(tool.name)")
            #expect((AnswerTool(rawValue: tool.name) != nil) == answers, "\(tool.name)")
        }
    }

    @Test func pageOfTheAgentListsWhatEachToolNeeds() throws {
        let rows = Self.needs.map { needs, words in
            let names = Self.all.filter { $0.needs == needs }.map { "`\($0.name)`" }
            return "| \(words) | \(names.joined(separator: ", ")) |"
        }
        let table = (["| needs | tools |", "|---|---|"] + rows).joined(separator: "\n") + "\n"
        let page = try ProjectFiles.text("docs/jarvis.md")
        let wanted = try #require(
            ServiceTable.filled(
                page, from: "<!-- made of the tools' needs -->", to: "<!-- end of the tools -->", with: table
            ),
            "the page has no place for the table"
        )
        let isCurrent = try ProjectFiles.isGenerated("docs/jarvis.md", wanted)
        #expect(isCurrent, "run the tests once with UPDATE_SAMPLE=1 to write it anew")
    }

    private static let needs: [(ToolAuthority, String)] = [
        (.none, "nothing: they read, or make things quieter"),
        (.turn, "a turn of yours that led to it, also by way of an answer"),
        (.words, "your own words, with no text of Jarvis, no title and nothing else from outside in between"),
        (.answer, "your answer to what was read out"),
    ]

    /// Each tool under each authority: a call with too little never reaches it.
    @Test(arguments: all.map(\.name))
    func tooLittleAuthorityDoesNothing(name: String) async throws {
        let needed = try #require(Self.all.first { $0.name == name }).needs
        for reach in [ToolAuthority.none, .turn, .words] {
            let calls = Mutex(0)
            let probe =
                needed == .answer
                ? Self.answerProbe(name) { _ in calls.withLock { $0 += 1 } }
                : Self.probe(name, needs: needed) { calls.withLock { $0 += 1 } }
            let dispatcher = ToolDispatcher(
                ToolRegistry([probe]), deadline: .seconds(60), logger: LineLog().logger
            )
            let output = await dispatcher.run(name: name, arguments: "{}", authority: CallAuthority(reach))
            let isAllowed = needed == .answer || reach >= needed
            #expect(calls.withLock { $0 } == (isAllowed ? 1 : 0), "\(name) with \(reach)")
            #expect(output.succeeded == isAllowed)
            if !isAllowed {
                #expect(output.wantsReply == (reach > .none), "who has spoken hears why")
                #expect(output.origin == .own)
            }
        }
    }

    @Test func answerNeedsTheHeardQuestion() async {
        let seen = Mutex<[Int?]>([])
        let dispatcher = ToolDispatcher(
            ToolRegistry([Self.answerProbe("approve") { prompt in seen.withLock { $0.append(prompt) } }]),
            deadline: .seconds(60),
            logger: LineLog().logger
        )
        for authority in [CallAuthority.nobody, CallAuthority(.words), CallAuthority(.words, prompt: 3)] {
            _ = await dispatcher.run(name: "approve", arguments: "{}", authority: authority)
        }
        #expect(seen.withLock { $0 } == [nil, nil, 3])
    }

    /// A tool that is declared wrongly is never called: no authority reaches as far as an answer does.
    @Test func toolThatNeedsAnAnswerItCannotTakeDoesNothing() async {
        let dispatcher = ToolDispatcher(
            ToolRegistry([Self.probe("launch", needs: .answer) { Issue.record("called") }]),
            deadline: .seconds(60),
            logger: LineLog().logger
        )
        let output = await dispatcher.run(name: "launch", arguments: "{}", authority: CallAuthority(.words, prompt: 1))
        #expect(!output.succeeded)
    }

    @Test func anOutputIsBounded() {
        let long = ToolResult(String(repeating: "\u{1F468}\u{200D}\u{1F469}", count: 10_000))
        #expect(long.text.utf8.count <= ToolResult.longest)
        #expect(long.text.utf8.count > ToolResult.longest - 8)
        #expect(ToolResult("short").text == "short")
        #expect(ToolResult(String(repeating: "e\u{301}\u{302}", count: 1 << 20)).text.utf8.count <= ToolResult.longest)
    }

    private static func probe(_ name: String, needs: ToolAuthority, called: @escaping @Sendable () -> Void) -> Tool {
        Tool(
            name,
            needs: needs,
            "",
            "{}",
            .plain { _ in
                called()
                return ToolResult("done")
            }
        )
    }

    private static func answerProbe(_ name: String, called: @escaping @Sendable (Int?) -> Void) -> Tool {
        Tool(
            name,
            needs: .answer,
            "",
            "{}",
            .answers { _, prompt, _ in
                called(prompt)
                return ToolResult("done")
            }
        )
    }
}
