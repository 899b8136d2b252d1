import Synchronization
import Testing

@testable import TestSupport
@testable import VoiceAgent
@testable import VoiceConversation
@testable import VoiceCore
@testable import VoiceSession

struct ToolDispatcherTests {
    @Test func aCallReachesItsTool() async {
        let output = await dispatcher().run(name: "get_now_playing", arguments: "{}", authority: .nobody)
        #expect(output == ToolResult("{}"))
    }

    @Test func anUnknownToolIsNamed() async {
        let output = await dispatcher().run(name: "fly", arguments: "{}", authority: .nobody)
        #expect(output == ToolResult(.refusal(.noTool(named: "fly"))))
    }

    @Test func logsUnknownToolsOnceATurn() async {
        let log = LineLog()
        let dispatcher = ToolDispatcher(ToolRegistry([]), logger: log.logger)
        for turn in [1, 1, 1, 2, 2] {
            _ = await dispatcher.run(name: "fly", arguments: "", authority: CallAuthority(.none), turn: turn)
        }
        #expect(log.lines.count == 2)
    }

    @Test func hangingToolTimesOut() async {
        let log = LineLog()
        let dispatcher = ToolDispatcher(
            ToolRegistry([Self.stuck]),
            deadline: .seconds(130),
            sleep: { _ in },
            logger: log.logger
        )
        let output = await dispatcher.run(name: "continue_reading", arguments: "", authority: .nobody)
        #expect(!output.succeeded)
        #expect(output.text == "That took too long, so I stopped waiting for it.")
        #expect(log.lines.count == 1)
    }

    @Test func aCancelledCallStillHasAnOutput() async {
        let dispatcher = ToolDispatcher(ToolRegistry([Self.stuck]), deadline: .seconds(3600), logger: LineLog().logger)
        let call = Task { await dispatcher.run(name: "continue_reading", arguments: "", authority: .nobody) }
        call.cancel()
        #expect(await call.value.succeeded == false)
    }

    @Test func longCallIsAnnouncedOnce() async {
        let time = TestTime()
        let reported = Mutex(0)
        let dispatcher = ToolDispatcher(
            ToolRegistry([Self.stuck]),
            deadline: .seconds(130),
            noticeAfter: .seconds(10),
            sleep: { await time.sleep($0) },
            logger: LineLog().logger
        )
        let call = Task {
            await dispatcher.run(name: "continue_reading", arguments: "", authority: .nobody) { _ in
                reported.withLock { $0 += 1 }
            }
        }
        await time.pass(.seconds(10))
        while reported.withLock({ $0 }) == 0 { await Task.yield() }
        await time.pass(.seconds(130))
        #expect(await call.value.succeeded == false)
        #expect(reported.withLock { $0 } == 1)
    }

    /// Jarvis keeps the deadline of its own answers; the user hears meanwhile that it takes time.
    @Test func toolWithItsOwnDeadlineIsNotTimedOut() async {
        let time = TestTime()
        let notices = Mutex(0)
        let dispatcher = ToolDispatcher(
            ToolRegistry([Self.agent(time)]),
            deadline: .seconds(60),
            noticeAfter: .seconds(100),
            sleep: { await time.sleep($0) },
            logger: LineLog().logger
        )
        let call = Task {
            await dispatcher.run(name: "continue_reading", arguments: "", authority: .nobody) { _ in
                notices.withLock { $0 += 1 }
            }
        }
        await time.pass(.seconds(100))
        while notices.withLock({ $0 }) == 0 { await Task.yield() }
        await time.pass(.seconds(600))
        #expect(await call.value == ToolResult("Two meetings."))
    }

    private func dispatcher() -> ToolDispatcher {
        ToolDispatcher(ToolRegistry([Self.echo]), deadline: .seconds(3600), logger: LineLog().logger)
    }

    private static let echo = Tool("get_now_playing", needs: .none, "", "{}", .plain { ToolResult($0) })

    /// Takes ten minutes.
    private static func agent(_ time: TestTime) -> Tool {
        Tool(
            "continue_reading",
            needs: .none,
            "",
            "{}",
            .asks { _, _, _ in
                await time.sleep(.seconds(600))
                return ToolResult("Two meetings.")
            }
        )
    }

    /// Returns only once it is cancelled.
    private static let stuck = Tool(
        "continue_reading",
        needs: .none,
        "",
        "{}",
        .plain { _ in
            try? await Task.sleep(for: .seconds(3600))
            return ToolResult(.refusal(.because("late")))
        }
    )
}
