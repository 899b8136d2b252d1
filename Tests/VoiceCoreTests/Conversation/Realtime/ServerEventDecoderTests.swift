import Testing

@testable import TestSupport
@testable import VoiceConversation

struct ServerEventDecoderTests {
    private let decoder = ServerEventDecoder()

    @Test func unknownEventsAreNotErrors() throws {
        #expect(try decoder.decode(#"{"type":"response.moonbeam","x":1}"#) == .unknown(type: "response.moonbeam"))
    }

    @Test func namesOfTheBetaAreUnderstood() throws {
        #expect(
            try decoder.decode(#"{"type":"response.audio.done","response_id":"r","item_id":"i"}"#)
                == .audioDone(responseID: "r", itemID: "i", contentIndex: 0)
        )
        #expect(
            try decoder.decode(
                #"{"type":"conversation.item.created","item":{"id":"o","type":"function_call_output","call_id":"c"}}"#
            )
                == .itemAdded(itemID: "o", kind: "function_call_output", callID: "c")
        )
    }

    @Test func bareWordAsStatusDetailIsRead() throws {
        let text =
            #"{"type":"response.done","response":{"id":"r","status":"cancelled","status_details":"turn_detected"}}"#
        let outcome = ResponseOutcome(id: "r", status: .cancelled, reason: "turn_detected")
        #expect(try decoder.decode(text) == .responseDone(outcome))
    }

    @Test func fieldOfAnotherTypeIsSkippedAlone() throws {
        let text = #"{"type":"input_audio_buffer.speech_started","item_id":7,"audio_start_ms":"soon"}"#
        #expect(try decoder.decode(text) == .speechStarted(itemID: "", audioStart: 0))
    }

    @Test(arguments: ["", "{", "[]", "null", "42", #"{"no":"type"}"#, #"{"type":5}"#])
    func malformedEventIsRefused(text: String) {
        #expect(throws: ServerEventDecoder.Failure.malformed) { try decoder.decode(text) }
    }

    @Test func aKnownEventWithoutItsSubjectIsRefused() {
        #expect(throws: ServerEventDecoder.Failure.missing(field: "response", type: "response.done")) {
            try decoder.decode(#"{"type":"response.done"}"#)
        }
    }

    @Test func anIncompleteCallIsMarked() throws {
        let text =
            #"{"type":"response.output_item.done","response_id":"r","item":{"type":"function_call","call_id":"c","name":"n","arguments":"{\"a","status":"incomplete"}}"#
        let call = FunctionCall(callID: "c", name: "n", arguments: #"{"a"#)
        #expect(try decoder.decode(text) == .functionCall(responseID: "r", call: call, isComplete: false))
    }

    @Test func randomBytesDoNotTrap() {
        var generator = SeededGenerator(seed: 3)
        let seed = Array(
            #"{"type":"response.done","response":{"id":"r","status":"failed","status_details":{"error":{"code":"x"}}}}"#
                .utf8
        )
        for _ in 0..<3000 {
            var bytes = seed
            for _ in 0..<Int.random(in: 1...6, using: &generator) {
                let index = Int.random(in: 0..<bytes.count, using: &generator)
                switch Int.random(in: 0..<3, using: &generator) {
                case 0: bytes[index] = UInt8.random(in: 0...255, using: &generator)
                case 1: bytes.remove(at: index)
                default: bytes.insert(UInt8.random(in: 0...255, using: &generator), at: index)
                }
            }
            bytes.withUnsafeBytes { buffer in
                _ = try? decoder.decode(buffer)
                _ = AudioDelta(buffer)
            }
        }
    }
}
