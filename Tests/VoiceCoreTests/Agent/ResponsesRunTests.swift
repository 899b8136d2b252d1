import Testing

@testable import TestSupport
@testable import VoiceAgent
@testable import VoiceConversation

struct ResponsesRunTests {
    @Test func onlyTheLastSegmentIsTheAnswer() {
        let run = Self.run([
            ("response.created", #"{"response":{"id":"resp_a"}}"#),
            ("response.output_text.delta", #"{"delta":"Let me ","assistant_segment_ordinal":0}"#),
            ("response.output_text.delta", #"{"delta":"look.","assistant_segment_ordinal":0}"#),
            ("response.tool_exec.start", #"{"tool_name":"shell"}"#),
            ("response.heartbeat", "{}"),
            ("response.output_text.new_segment", "{}"),
            ("response.output_text.delta", #"{"delta":"Two meetings."}"#),
            ("response.completed", #"{"response":{"id":"resp_msg_7"}}"#),
        ])
        #expect(run.outcome == .success("Two meetings."))
        #expect(run.runID == "resp_a")
        #expect(run.continuation == "resp_msg_7")
        #expect(run.showedWork)
        #expect(run.changes.contains(.progress("Let me look.")))
    }

    @Test func newOrdinalBeginsASegment() {
        let run = Self.run([
            ("response.output_text.delta", #"{"delta":"Looking.","assistant_segment_ordinal":0}"#),
            ("response.output_text.delta", #"{"delta":"Done.","assistant_segment_ordinal":1}"#),
            ("response.completed", "{}"),
        ])
        #expect(run.outcome == .success("Done."))
    }

    @Test func textBeforeToolsIsTheAnswerIfNoneFollows() {
        let run = Self.run([
            ("response.output_text.delta", #"{"delta":"I switched it off."}"#),
            ("response.output_text.new_segment", "{}"),
            ("response.output_text.delta", #"{"delta":" \n"}"#),
            ("response.completed", "{}"),
        ])
        #expect(run.outcome == .success("I switched it off."))
    }

    @Test func aDiscardedAttemptIsForgotten() {
        let run = Self.run([
            ("response.output_text.delta", #"{"delta":"Two mee"}"#),
            ("response.attempt.discard", "{}"),
            ("response.retry", #"{"attempt":1,"max_attempts":0}"#),
            ("response.output_text.delta", #"{"delta":"Two meetings."}"#),
            ("response.completed", "{}"),
        ])
        #expect(run.outcome == .success("Two meetings."))
    }

    @Test func outputOfToolsIsNotHeard() {
        let run = Self.run([
            ("response.output_item.added", #"{"item":{"type":"function_call","name":"shell","arguments":"{}"}}"#),
            ("response.tool_exec.end", #"{"tool_name":"draw","success":true,"images":["/images/x.png"]}"#),
            ("response.interjection", #"{"text":"also the weather"}"#),
            ("response.phase", #"{"phase":"thinking","delta":"hm"}"#),
            ("response.output_text.delta", #"{"delta":"<think>hm</think>Done."}"#),
            ("response.completed", "{}"),
        ])
        #expect(run.outcome == .success("<think>hm</think>Done."), "the shaper takes thoughts away")
        #expect(run.showedWork)
    }

    @Test func repeatedEventsChangeNothing() {
        var run = ResponsesRun()
        for _ in 0..<3 {
            _ = run.handle(Self.event("response.output_text.delta", #"{"delta":"Yes.","sequence_number":4}"#, 4))
        }
        _ = run.handle(Self.event("response.completed", #"{"sequence_number":5}"#, 5))
        #expect(run.outcome == .success("Yes."))
        #expect(run.lastSequence == 5)
    }

    @Test(
        arguments: [
            ("response.completed", "{}", .failure(.emptyReply)),
            ("response.incomplete", "{}", .failure(.onlyThoughts(reachedLimit: true))),
            (
                "response.completed",
                #"{"response":{"id":"r","output":[{"type":"message","content":[{"type":"output_text","text":"Yes."}]}]}}"#,
                .success("Yes.")
            ),
            ("response.cancelled", "{}", .failure(.cancelled)),
            ("response.failed", #"{"error":{"type":"conflict_error","message":"busy"}}"#, .failure(.busy)),
            ("response.failed", #"{"response":{"error":{"type":"timeout_error"}}}"#, .failure(.serverLimit)),
            (
                "response.failed", #"{"error":{"type":"invalid_request_error","message":"upstream says no"}}"#,
                .failure(.runFailed(detail: "upstream says no"))
            ),
        ] as [(String, String, Result<String, JarvisFailure>)]
    )
    func everyEndIsRead(name: String, payload: String, outcome: Result<String, JarvisFailure>) {
        #expect(Self.run([(name, payload)]).outcome == outcome)
    }

    @Test func endOfTheStreamIsNotTheEndOfTheRun() {
        var run = ResponsesRun()
        let changes = [
            run.handle(ServerSentEvent(data: "[DONE]")), run.handle(Self.event("response.stream_error", "{}", 1)),
        ]
        #expect(changes == [.streamEnded, .streamEnded])
        #expect(run.outcome == nil)
    }

    @Test func repeatedPromptIsReportedOnce() {
        let question = #"{"call_id":"c","questions":[{"question":"Which?","options":[{"label":"Work"}]}]}"#
        let approval = #"{"approval_id":"a","path":"ls","is_shell":true,"options":[{"index":1,"choice":"once"}]}"#
        let run = Self.run([
            ("response.ask_user.prompt", question), ("response.ask_user.prompt", question),
            ("response.approval.prompt", approval), ("response.approval.prompt", approval),
        ])
        let prompts = run.changes.compactMap { if case .prompt(let prompt) = $0 { prompt.id } else { nil } }
        #expect(prompts == ["c", "a"])
    }

    @Test func aSnapshotEndsARun() {
        var run = ResponsesRun(runID: "resp_a")
        let isEarlyEnd = run.receive(snapshot: Array(#"{"status":"in_progress"}"#.utf8))
        #expect(!isEarlyEnd)
        let snapshot = """
            {"status":"completed","continuation_response_id":"resp_msg_9","recovery":{"messages":[\
            {"role":"user","content":"Q"},{"role":"assistant","content":"Two meetings."}]}}
            """
        let isEnd = run.receive(snapshot: Array(snapshot.utf8))
        #expect(isEnd)
        #expect(run.outcome == .success("Two meetings."))
        #expect(run.continuation == "resp_msg_9")
    }

    @Test func aRunWithoutEndIsRefused() {
        var run = ResponsesRun()
        let piece = String(repeating: "word ", count: 100_000)
        for number in 1...10 where run.outcome == nil {
            _ = run.handle(Self.event("response.output_text.delta", "{\"delta\":\"\(piece)\"}", number))
        }
        #expect(run.outcome == .failure(.tooLarge))
    }

    /// Whatever arrives from outside, a failure is always an outcome.
    @Test func oddEventsDoNoHarm() {
        var random = SeededGenerator(seed: 7)
        let names = [
            "response.created", "response.output_text.delta", "response.output_text.new_segment", "message", "x",
            "response.attempt.discard", "response.ask_user.prompt", "response.approval.prompt", "response.failed",
        ]
        let payloads = [
            "{}", "[]", "null", "{", "", "1", #"{"delta":3}"#, #"{"delta":"\u0000"}"#, #"{"questions":[]}"#,
            #"{"sequence_number":-9223372036854775808}"#, #"{"sequence_number":1e99}"#, #"{"response":[]}"#,
            #"{"approval_id":"a"}"#, #"{"call_id":"c","questions":[{}]}"#, #"{"error":"no"}"#, #"{"type":7}"#,
        ]
        for _ in 0..<500 {
            var run = ResponsesRun()
            for _ in 0..<20 {
                let name = names.randomElement(using: &random) ?? ""
                let payload = payloads.randomElement(using: &random) ?? ""
                _ = run.handle(
                    ServerSentEvent(id: "\(UInt8.random(in: 0...9, using: &random))", name: name, data: payload)
                )
            }
            if case .success(let text)? = run.outcome { #expect(!text.isEmpty) }
        }
    }

    private static func event(_ name: String, _ payload: String, _ number: Int) -> ServerSentEvent {
        ServerSentEvent(id: "\(number)", name: name, data: payload)
    }

    @dynamicMemberLookup private struct Finished {
        var run: ResponsesRun
        var changes: [ResponsesRun.Change]
        subscript<Value>(dynamicMember path: KeyPath<ResponsesRun, Value>) -> Value { run[keyPath: path] }
    }

    private static func run(_ events: [(String, String)]) -> Finished {
        var run = ResponsesRun()
        let changes = events.enumerated().map { run.handle(event($1.0, $1.1, $0 + 1)) }
        return Finished(run: run, changes: changes)
    }
}
