import Testing

@testable import TestSupport
@testable import VoiceAgent

/// Runs that block a question.
struct StrayRunTests {
    private static let approval = #""pending_approval":{"approval_id":"a","path":"ls"}"#

    @Test(
        arguments: [
            (#"{"active_run":false}"#, true, StrayRun.none),
            (#"{"active_run":true,"active_response_id":"r"}"#, true, .cancel(run: "r")),
            (#"{"active_run":true,"active_response_id":"r"}"#, false, .wait),
            (#"{"active_run":true,"active_response_id":"r",\#(approval)}"#, false, .cancel(run: "r")),
            (#"{"active_run":true}"#, true, .wait),
            (#"{"active_run":true,\#(approval)}"#, false, .wait),
        ] as [(String, Bool, StrayRun)]
    )
    func leftOverRunIsEnded(json: String, isLeftOver: Bool, decision: StrayRun) throws {
        #expect(StrayRun(try #require(JarvisState(.json(json))), isLeftOver: isLeftOver) == decision)
    }

    @Test func allPromptsOfASessionAreSeenOnce() throws {
        let json = """
            {"active_run":true,"pending_approval":{"approval_id":"a"},\
            "pending_approvals":[{"approval_id":"a"},{"approval_id":"b"}],\
            "pending_ask_users":[{"call_id":"c","questions":[{"question":"Which?"}]}]}
            """
        let state = try #require(JarvisState(.json(json)))
        #expect(state.prompts.map(\.id) == ["c", "a", "b"])
        guard case .refuse(let prompts) = StrayRun(state, isLeftOver: true) else {
            Issue.record("a run without an id is refused")
            return
        }
        #expect(prompts.count == 3)
    }

    @Test func outageCountsAfterFiveSeconds() {
        var outage = Outage()
        let first = outage.begin(at: .seconds(10))
        let second = outage.begin(at: .seconds(12))
        #expect(first && !second)
        #expect(!outage.isOver(at: .seconds(14)))
        #expect(outage.isOver(at: .seconds(15)))
        outage.end()
        #expect(!outage.isOver(at: .seconds(99)))
    }
}
