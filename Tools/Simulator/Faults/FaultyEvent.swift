/// Messages that no service should send, but some do.
enum FaultyEvent {
    /// The text to send for a strike; nil for kinds that are not messages.
    static func text(_ strike: FaultPlan.Strike) -> String? {
        switch strike.kind {
        case .unknown: pick(unknown, strike)
        case .malformed: pick(malformed, strike)
        case .incompleteEvent: pick(incomplete, strike)
        case .wrongTypes: pick(wrong, strike)
        case .enormous: enormous(strike.extent)
        case .errorEvent: pick(errors, strike)
        default: nil
        }
    }

    private static func pick(_ texts: [String], _ strike: FaultPlan.Strike) -> String {
        texts[strike.extent % texts.count]
    }

    private static let unknown = [
        #"{"type":"something.new","event_id":"e","detail":{"of":[1,null,"x"]}}"#,
        #"{"type":"response.thought.delta","response_id":"r","delta":"hm"}"#,
        #"{"type":"","event_id":"e"}"#,
        #"{"type":"conversation.created","conversation":{"id":"conv"}}"#,
        #"{"type":"ping"}"#,
    ]

    private static let malformed = [
        "", "{", "null", "[]", "7", #""text""#, #"{"type":"response.done""#, #"{"type":"error",}"#,
        "{\"type\":\"a\u{0}\"",
        #"{"event_id":"no type"}"#, #"{"type":"\ud800"}"#, String(repeating: "[", count: 3000),
    ]

    private static let incomplete = [
        #"{"type":"session.updated"}"#, #"{"type":"response.created"}"#, #"{"type":"response.done"}"#,
        #"{"type":"error"}"#, #"{"type":"response.output_audio.delta"}"#, #"{"type":"response.output_item.done"}"#,
        #"{"type":"response.output_audio.delta","response_id":"nobody","item_id":"nothing","delta":""}"#,
        #"{"type":"conversation.item.added"}"#, #"{"type":"response.output_audio.done"}"#,
        #"{"type":"conversation.item.input_audio_transcription.completed"}"#,
        #"{"type":"response.output_item.done","response_id":"nobody","item":{"type":"function_call"}}"#,
    ]

    private static let wrong = [
        #"{"type":7}"#, #"{"type":"response.done","response":[]}"#, #"{"type":"response.created","response":"r"}"#,
        #"{"type":"error","error":"bad"}"#, #"{"type":"error","error":{"code":5,"message":{}}}"#,
        #"{"type":"session.updated","session":null}"#, #"{"type":"session.updated","session":[1]}"#,
        #"{"type":"response.output_audio.delta","response_id":1,"item_id":{},"delta":[]}"#,
        #"{"type":"response.output_audio.delta","response_id":"r","item_id":"i","delta":"not base64!"}"#,
        #"{"type":"response.output_item.done","response_id":"r","item":7}"#,
        #"{"type":"response.done","response":{"id":"nobody","status":"strange","output":{},"usage":"much"}}"#,
        #"{"type":"rate_limits.updated","rate_limits":{"name":3}}"#,
    ]

    private static let errors = [
        #"{"type":"error","error":{"type":"server_error","code":null,"message":"The server had an error."}}"#,
        #"{"type":"error","error":{"type":"invalid_request_error","code":"rate_limit_exceeded","message":"Slow down."}}"#,
        #"{"type":"error","error":{"type":"invalid_request_error","code":"response_cancel_not_active","message":"No."}}"#,
        #"{"type":"error","error":{"type":"invalid_request_error","code":"invalid_value","message":"Audio content of 10ms is already shorter than 20ms"}}"#,
        #"{"type":"error","error":{"type":"invalid_request_error","code":"item_truncate_invalid_item_id","message":"?"}}"#,
    ]

    private static func enormous(_ size: Int) -> String {
        let filling = String(repeating: "wide \\u00e4 ", count: max(1, size / 12))
        return #"{"type":"conversation.item.retrieved","item":{"id":"x","content":[{"transcript":""# + filling
            + #""}]}}"#
    }
}
