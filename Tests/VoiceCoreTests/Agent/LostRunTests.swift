import Testing

@testable import TestSupport
@testable import VoiceAgent

/// The fate of a question whose run is gone.
struct LostRunTests {
    /// A server's steps for one question, in order. It stores before it acts.
    private enum Step: CaseIterable {
        case begin, storeQuestion, speak, storeCall, showCall, act, storeResult, showSegment, finish
    }

    /// Wherever the server dies and whichever events arrived, a tool runs at most once, with and without tool events,
    /// with and without a stored history.
    @Test(arguments: [true, false], [true, false])
    func aSideEffectHappensAtMostOnce(hidesTools: Bool, keepsHistory: Bool) {
        var askedAgain = 0
        for death in 0...Step.allCases.count {
            let done = Step.allCases.prefix(death)
            for seen in 0...done.count {
                let events = done.prefix(seen)
                let shows: [Step] = hidesTools ? [.showSegment] : [.showCall, .showSegment]
                let record: JarvisRecord =
                    if !keepsHistory {
                        .unknown
                    } else if done.contains(.storeQuestion) {
                        .turn(question: "wipe the table", worked: done.contains(.storeCall))
                    } else {
                        .empty
                    }
                let lost = LostRun(
                    question: "wipe the table",
                    hadBegun: events.contains(.begin),
                    showedWork: events.contains { shows.contains($0) },
                    record: record,
                    activeRun: nil
                )
                let effects = done.contains(.act) ? 1 : 0
                if lost.decision == .askAgain {
                    askedAgain += 1
                    #expect(effects == 0, "died after \(death) steps, \(seen) seen")
                }
            }
        }
        #expect((askedAgain > 0) == keepsHistory, "what nothing came of is asked again, where the server can tell")
    }

    @Test func unknownOutcomeIsReportedNotRepeated() {
        func decision(
            _ record: JarvisRecord, begun: Bool = true, work: Bool = false, active: String? = nil
        )
            -> LostRun.Decision
        {
            LostRun(question: "a b", hadBegun: begun, showedWork: work, record: record, activeRun: active).decision
        }
        #expect(decision(.unknown) == .report)
        #expect(decision(.unknown, begun: false) == .report)
        #expect(decision(.empty) == .report, "the server knew the run and has nothing of it: it keeps no history")
        #expect(decision(.empty, begun: false) == .askAgain)
        #expect(decision(.turn(question: "a  b\n", worked: false)) == .askAgain)
        #expect(decision(.turn(question: "a b", worked: false), work: true) == .report)
        #expect(decision(.turn(question: "a b", worked: true)) == .report)
        #expect(decision(.turn(question: "other", worked: true)) == .report)
        #expect(decision(.turn(question: "other", worked: true), begun: false) == .askAgain)
        #expect(decision(.turn(question: "a b", worked: true), begun: false, active: "r") == .join("r"))
        #expect(decision(.turn(question: "other", worked: false), begun: false, active: "r") == .report)
        #expect(decision(.turn(question: "a b", worked: false), active: "r") == .report)
    }

    @Test(
        arguments: [
            (#"{"messages":[]}"#, .empty),
            (
                #"{"messages":[{"role":"user","parts":[{"type":"text","text":"Q"}]}]}"#,
                .turn(question: "Q", worked: false)
            ),
            (
                """
                {"messages":[{"role":"user","parts":[{"type":"text","text":"Q"}]},\
                {"role":"assistant","parts":[{"type":"text","text":"Doing it. "}]}]}
                """, .turn(question: "Q", worked: false)
            ),
            (
                """
                {"messages":[{"role":"user","parts":[{"type":"text","text":"Q"}]},\
                {"role":"assistant","parts":[{"type":"text","text":"Doing it. "},{"type":"tool_call"}]}]}
                """, .turn(question: "Q", worked: true)
            ),
            (
                """
                {"messages":[{"role":"user","parts":[{"type":"text","text":"Q"}]},\
                {"role":"event","parts":[{"type":"error","text":"no"}]}]}
                """, .turn(question: "Q", worked: false)
            ),
            (
                """
                {"messages":[{"role":"user","parts":[{"type":"text","text":"old"}]},{"role":"tool","parts":[]},\
                {"role":"user","parts":[{"type":"text","text":"Q"}]}]}
                """, .turn(question: "Q", worked: false)
            ),
            (
                #"{"messages":[{"role":"user","parts":[]},{"role":"assistant","parts":[{"type":"unheard_of"}]}]}"#,
                .turn(question: "", worked: true)
            ),
            (#"{"messages":[{"role":"tool","parts":[]}]}"#, .unknown), ("[]", .unknown), ("", .unknown),
        ] as [(String, JarvisRecord)]
    )
    func theRecordOfAConversationIsRead(json: String, record: JarvisRecord) {
        #expect(JarvisRecord(.json(json)) == record)
    }

    @Test func otherReplyMeansAnUnknownRecord() {
        #expect(JarvisRecord(.status(404)) == .unknown)
        #expect(JarvisRecord(.failure(.timedOut)) == .unknown)
    }
}
