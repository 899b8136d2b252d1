import Testing

@testable import VoiceBase
@testable import VoiceConversation

/// What the events of the protocol mean in terms independent of it.
struct RealtimeTranslatorTests {
    private static func reports(_ event: ServerEvent) -> [ServiceReport] {
        var translator = RealtimeTranslator(Scene.settings)
        return translator.take(event)
    }

    @Test func aTurnIsToldWithoutTheWire() {
        let events: [ServerEvent] = [
            .sessionCreated(id: "s", expiresAt: 1_800_000_000), .speechStarted(itemID: "u", audioStart: 120),
            .speechStopped(itemID: "u", audioEnd: 900), .committed(itemID: "u", previous: "before"),
            .heardDelta(itemID: "u", contentIndex: 0, text: "What"), .responseCreated(id: "r", clientEventID: nil),
            .outputItemAdded(responseID: "r", itemID: "i", kind: "message"),
            .spokenDelta(responseID: "r", itemID: "i", contentIndex: 0, text: "It"),
            .heardTranscript(itemID: "u", contentIndex: 0, text: "What time is it?"),
            .spokenTranscript(responseID: "r", itemID: "i", text: "It is noon."),
            .audioDone(responseID: "r", itemID: "i", contentIndex: 0),
            .responseDone(ResponseOutcome(id: "r", status: .completed)), .unknown(type: "something.new"),
        ]
        #expect(
            events.flatMap(Self.reports) == [
                .opened(id: "s", ends: 1_800_000_000), .userStarted(item: "u", at: 120), .userStopped(at: 900),
                .userTurn(item: "u", after: "before"), .heard(item: "u", part: 0, text: "What", isWhole: false),
                .responseBegan(response: "r", request: nil), .speaks(response: "r", item: "i"),
                .said(response: "r", item: "i", part: 0, text: "It", isWhole: false),
                .heard(item: "u", part: 0, text: "What time is it?", isWhole: true),
                .said(response: "r", item: "i", part: 0, text: "It is noon.", isWhole: true),
                .audioEnded(response: "r", item: "i"), .responseEnded(ResponseEnd(response: "r", status: .completed)),
                .unknown("something.new"),
            ]
        )
    }

    @Test func aBillToldTwiceIsTheSameBill() {
        let usage = Usage(audioIn: 10, audioOut: 20)
        let done = ServerEvent.responseDone(ResponseOutcome(id: "x", status: .cancelled, usage: usage))
        let bill = ServiceReport.charged(ServiceBill(id: "rx", .response(usage)))
        #expect(Self.reports(done) == [.responseEnded(ResponseEnd(response: "x", status: .cancelled)), bill])
        // A turn with the same id as a response is charged separately.
        let heard = ServerEvent.heardTranscript(itemID: "x", contentIndex: 0, text: "Hi", usage: .seconds(2))
        #expect(Self.reports(heard).last == .charged(ServiceBill(id: "t0x", .transcription(.seconds(2)))))
    }

    @Test func callsAreToldWithoutTheWire() {
        let call = FunctionCall(callID: "c", name: "ask_jarvis", arguments: "{}")
        let events: [ServerEvent] = [
            .outputItemAdded(responseID: "r", itemID: "i", kind: "function_call", call: call),
            .callWritten(responseID: "r", itemID: "i", call: call),
            .functionCall(responseID: "r", call: call, isComplete: true),
            .itemAdded(itemID: "o", kind: "function_call_output", callID: "c"),
            .outputItemAdded(responseID: "r", itemID: "t", kind: "reasoning"), .ignored(type: "rate_limits.updated"),
        ]
        #expect(
            events.flatMap(Self.reports) == [
                .callBegan(response: "r", item: "i", call: call), .callWritten(response: "r", item: "i", call: call),
                .call(response: "r", call: call, isComplete: true), .placed(item: "o", after: nil),
                .answerPlaced(call: "c"), .responseGoesOn(response: "r"),
            ]
        )
    }

    @Test func settingsAreCompared() {
        #expect(Self.reports(.sessionUpdated(Scene.settings.json)) == [.ready(ServiceReadiness())])
        let refused = Self.reports(.sessionUpdated(["type": "realtime"]))
        guard case .ready(let readiness) = refused.first else {
            Issue.record("\(refused)")
            return
        }
        #expect(readiness.refused == "session.instructions")
        #expect(readiness.differing.contains("session.tools"))
    }

    @Test(arguments: [
        ("insufficient_quota", ErrorClass.account), ("model_not_found", .configuration), ("session_expired", .expired),
        ("rate_limit_exceeded", .limited), ("server_error", .service), ("something_new", .other),
    ])
    func errorsAreToldByWhatTheyMean(code: String, meaning: ErrorClass) {
        let error = ServerError(type: "error", code: code, message: "no", param: "session.voice", eventID: "ask-1")
        let reported = ServiceError(meaning, name: code, text: "no", setting: "session.voice", request: "ask-1")
        #expect(Self.reports(.error(error)) == [.trouble(reported)])
        let failed = ResponseOutcome(id: "r", status: .failed, reason: code)
        let end = ResponseEnd(response: "r", status: .failed, reason: code, failure: meaning)
        #expect(Self.reports(.responseDone(failed)) == [.responseEnded(end)])
    }

    /// A service that confirms nothing is assumed to have accepted the settings.
    @Test func settingsThatNobodyConfirmsAreInForce() {
        var translator = RealtimeTranslator(RealtimeSettings(instructions: "", tools: [], dialect: .huggingFace))
        let reports = translator.take(.sessionCreated(id: "s", expiresAt: nil))
        #expect(reports == [.opened(id: "s", ends: nil), .ready(ServiceReadiness(isConfirmed: false))])
    }
}
