import Synchronization
import Testing

@testable import TestSupport
@testable import VoiceAgent
@testable import VoiceConversation
@testable import VoiceCore
@testable import VoiceSession

/// The table of the authority that each tool needs, as the dispatcher enforces it.
struct ToolAuthorityTests {
    private static let all: [Tool] = {
        var options = ToolRegistry.Options()
        options.mayEnd = true
        options.playsMedia = true
        options.hasGrammar = true
        return ToolRegistry.standard(ToolContext(logger: LineLog().logger), options: options).tools
    }()

    @Test func everyToolIsInTheTable() {
        #expect(Set(Self.all.map(\.name)) == Set(ToolAuthority.table.keys))
        for tool in Self.all {
            let answers = if case .answers = tool.body { true } else { false }
            #expect((ToolAuthority.needed(by: tool.name) == .answer) == answers, "\(tool.name)")
        }
    }

    /// Each tool under each authority: a call with too little never reaches it.
    @Test(arguments: ToolAuthority.table.keys.sorted())
    func tooLittleAuthorityDoesNothing(name: String) async {
        for reach in [ToolAuthority.none, .turn, .words] {
            let calls = Mutex(0)
            let needed = ToolAuthority.needed(by: name)
            let probe =
                needed == .answer
                ? Self.answerProbe(name) { _ in calls.withLock { $0 += 1 } }
                : Self.probe(name) { calls.withLock { $0 += 1 } }
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

    @Test func toolMissingFromTheTableDoesNothing() async {
        let dispatcher = ToolDispatcher(
            ToolRegistry([Self.probe("launch") { Issue.record("called") }]),
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

    private static func probe(_ name: String, called: @escaping @Sendable () -> Void) -> Tool {
        Tool(
            name,
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
            "",
            "{}",
            .answers { _, prompt, _ in
                called(prompt)
                return ToolResult("done")
            }
        )
    }
}
