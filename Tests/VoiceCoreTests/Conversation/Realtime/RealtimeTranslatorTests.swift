import Testing

@testable import TestSupport
@testable import VoiceBase
@testable import VoiceConversation

/// What the events of the protocol mean in terms independent of it.
struct RealtimeTranslatorTests {
    private static func reports(_ event: ServerEvent) -> [ServiceReport] {
        var translator = RealtimeTranslator(Scene.settings)
        return translator.receive(event)
    }

    @Test func turnIsReportedWithoutWireDetails() {
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

    @Test func billIsNamedAfterItsResponseOrTurn() {
        let usage = Usage(audioIn: 10, audioOut: 20)
        let done = ServerEvent.responseDone(ResponseOutcome(id: "x", status: .cancelled, usage: usage))
        let bill = ServiceReport.charged(ServiceBill(id: "rx", .response(usage)))
        #expect(Self.reports(done) == [.responseEnded(ResponseEnd(response: "x", status: .cancelled)), bill])
        // A turn with the same id as a response is charged separately.
        let heard = ServerEvent.heardTranscript(itemID: "x", contentIndex: 0, text: "Hi", usage: .seconds(2))
        #expect(Self.reports(heard).last == .charged(ServiceBill(id: "t0x", .transcription(.seconds(2)))))
    }

    @Test func callsAreReportedWithoutWireDetails() {
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
    func errorsAreReportedByMeaning(code: String, meaning: ErrorClass) {
        let error = ServerError(type: "error", code: code, message: "no", param: "session.voice", eventID: "ask-1")
        let reported = ServiceError(meaning, name: code, text: "no", setting: "session.voice", request: "ask-1")
        #expect(Self.reports(.error(error)) == [.trouble(reported)])
        let failed = ResponseOutcome(id: "r", status: .failed, reason: code)
        let end = ResponseEnd(response: "r", status: .failed, reason: code, failure: meaning)
        #expect(Self.reports(.responseDone(failed)) == [.responseEnded(end)])
    }

    // MARK: Fields that a server refuses

    private static func unsupported(_ field: String) -> ServerError {
        let text =
            "Specifying `\(field)` is not supported. The server either does not support this field or it is fixed."
        return ServerError(type: "invalid_request_error", code: nil, message: text)
    }

    @Test(arguments: [
        (unsupported("session.audio.input.turn_detection.prefix_padding_ms"), Dialect.huggingFace),
        (ServerError(type: "x", code: "unknown_parameter", message: "Unknown.", param: "session.tracing"), .openAI),
        (ServerError(type: "x", code: "invalid_value", message: "?", param: "session.audio.output.voice"), .openAI),
        (unsupported("response.metadata"), .openAI), (unsupported("response.tool_choice"), .huggingFace),
    ])
    func leavesARefusedFieldOutFromThenOn(error: ServerError, dialect: Dialect) throws {
        var settings = Scene.settings
        settings.dialect = dialect
        var translator = RealtimeTranslator(settings)
        func sent(_ field: String) -> Bool {
            let request: ServiceRequest =
                field.hasPrefix("session") ? .open(history: []) : .respond(id: "r", mayCall: false)
            let event = translator.ask(request).first?.json(for: translator.settings.dialect)
            return field.split(separator: ".").reduce(event) { $0?[String($1)] } != nil
        }
        let field = error.param ?? error.message.split(separator: "`").dropFirst().first.map(String.init) ?? ""
        #expect(sent(field))
        guard case .trouble(let reported)? = translator.receive(.error(error)).first else {
            Issue.record("not reported")
            return
        }
        #expect(reported.meaning == .field && reported.setting == field)
        #expect(!sent(field))
        #expect(translator.receive(.error(error)).isEmpty, "one report is enough")
    }

    @Test(arguments: ["session.instructions", "session.tools", "session.type", "session.unheard_of"])
    func requiredFieldsAreNotLeftOut(field: String) {
        var translator = RealtimeTranslator(Scene.settings)
        let error = ServerError(type: "x", code: "invalid_value", message: "", param: field)
        #expect(translator.receive(.error(error)) == [.trouble(ServiceError(error))])
    }

    @Test(arguments: [
        ("The model `gpt-x` does not exist or you do not have access to it.", true),
        ("Invalid model name passed in model=gpt-x. Call `/v1/models` to view available models.", true),
        ("model gpt-x not found, try pulling it first", true), ("The model gpt-x is overloaded.", false),
        ("You are not allowed to use the model gpt-x", true), ("gpt-x is a retired model", true),
        ("The API deployment gpt-x for this resource doesn't exist", true),
        ("The model gpt-x is not loaded yet; try again later", false),
        ("Invalid value for temperature.", false),
    ])
    func namesTheSettingIfTheModelIsRefused(text: String, isRefusal: Bool) {
        var settings = Scene.settings
        settings.model = "gpt-x"
        var translator = RealtimeTranslator(settings)
        let error = ServerError(type: "invalid_request_error", code: nil, message: text)
        guard case .trouble(let reported)? = translator.receive(.error(error)).first else {
            Issue.record("not reported")
            return
        }
        #expect((reported.meaning == .configuration) == isRefusal)
        #expect(reported.line.contains("realtime.model") == isRefusal)
    }

    @Test(
        arguments: [
            (
                "Unsupported parameter: 'reasoning.effort' is not supported with the 'gpt-x' model.",
                "session.reasoning.effort"
            ),
            ("Unknown field audio.input.noise_reduction for model gpt-x", nil),
            ("Invalid value for model gpt-x", "max_output_tokens"),
        ] as [(String, String?)]
    )
    func leavesOutAFieldUnknownToTheModel(text: String, param: String?) {
        var settings = Scene.settings
        settings.model = "gpt-x"
        settings.reasoningEffort = "minimal"
        var translator = RealtimeTranslator(settings)
        let error = ServerError(
            type: "invalid_request_error", code: "unsupported_parameter", message: text, param: param
        )
        guard case .trouble(let reported)? = translator.receive(.error(error)).first else {
            Issue.record("not reported")
            return
        }
        #expect(reported.meaning == .field)
    }

    // MARK: Words for one response

    @Test(arguments: Dialect.Name.allCases) func remarkIsForOneResponseOnly(name: Dialect.Name) {
        var settings = Scene.settings
        settings.dialect = .named(name)
        var translator = RealtimeTranslator(settings)
        #expect(translator.ask(.tell("Dinner is ready.", .exactly)).isEmpty, "no item, which would stay")
        guard case .responseCreate("q1", false, let words?)? = translator.ask(.respond(id: "q1", mayCall: false)).first
        else {
            Issue.record("no request with words")
            return
        }
        #expect(words.hasPrefix(settings.instructions) && words.hasSuffix("Dinner is ready."))
        #expect(translator.ask(.respond(id: "q2", mayCall: true)) == [.responseCreate(eventID: "q2")])
    }

    /// Data from outside and the history are calls, or at least end visibly.
    @Test(arguments: Dialect.Name.allCases) func noteDoesNotMergeWithTheNextTurn(name: Dialect.Name) {
        var settings = Scene.settings
        settings.dialect = .named(name)
        var translator = RealtimeTranslator(settings)
        let report = ForeignReport(name: "ask_jarvis", arguments: "{}", output: "Two meetings.")
        for request in [ServiceRequest.inform(id: "n", report), .recall(.summary(["said": "much"]))] {
            for case .userMessage(let text, _) in translator.ask(request) {
                #expect(
                    text.hasPrefix("[A note of this box, not said by the user.") && text.hasSuffix("[End of the note.]")
                )
            }
        }
    }
}
