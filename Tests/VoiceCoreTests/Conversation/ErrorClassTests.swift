import Testing

@testable import TestSupport
@testable import VoiceConversation

struct ErrorClassTests {
    @Test(arguments: [
        ("invalid_api_key", ErrorClass.account), ("insufficient_quota", .account), ("account_deactivated", .account),
        ("billing_hard_limit_reached", .account), ("beta_api_shape_disabled", .configuration),
        ("missing_model", .configuration), ("invalid_model", .configuration), ("model_not_found", .configuration),
        ("session_expired", .expired), ("rate_limit_exceeded", .limited), ("inference_rate_limit_exceeded", .limited),
        ("server_error", .service), ("conversation_already_has_active_response", .activeResponse),
        ("response_cancel_not_active", .noActiveResponse), ("cannot_update_voice", .settings),
        ("item_truncate_invalid_item_id", .race), ("item_retrieve_invalid_item_id", .race),
        ("input_audio_buffer_commit_empty", .race), ("invalid_json", .other), ("something_new", .other),
    ])
    func everyCodeMeansTheSameEverywhere(code: String, meaning: ErrorClass) {
        #expect(ErrorClass(ServerError(type: "invalid_request_error", code: code, message: "")) == meaning)
        #expect(ErrorClass(code: code) == meaning)
        #expect(ErrorClass(closeReason: "invalid_request_error.\(code)") == meaning)
        let body = ErrorClass(body: #"{"error":{"code":"\#(code)","message":"x"}}"#)
        #expect(body == (meaning.isFatal ? meaning : .other))
    }

    @Test(arguments: [
        ("missing_required_parameter", "session.type", ErrorClass.settings),
        ("unknown_parameter", "session.temperature", .settings),
        ("invalid_value", "session.audio.output.voice", .settings),
        ("invalid_value", "audio", .other), ("missing_required_parameter", "item.content", .other),
    ])
    func namedParameterTellsRejectedSettings(code: String, param: String, meaning: ErrorClass) {
        let error = ServerError(type: "invalid_request_error", code: code, message: "", param: param)
        #expect(ErrorClass(error) == meaning)
    }

    @Test func lateTruncationsAreRaces() {
        let short = "Audio content of 900ms is already shorter than 1000ms"
        #expect(ErrorClass(ServerError(type: "invalid_request_error", code: "invalid_value", message: short)) == .race)
        let text = "Only model output audio messages can be truncated"
        #expect(ErrorClass(ServerError(type: "invalid_request_error", code: nil, message: text)) == .race)
    }

    @Test func typeReplacesAMissingCode() {
        #expect(ErrorClass(ServerError(type: "server_error", code: nil, message: "")) == .service)
        #expect(ErrorClass(ServerError(type: "rate_limit_error", code: "tokens", message: "")) == .limited)
    }
}
