import Testing

@testable import VoiceBase
@testable import VoiceConversation

/// What the events of one protocol mean to those who know none.
struct RealtimeTranslatorTests {
    private static func reports(_ event: ServerEvent) -> [ServiceReport] { ConversationEvent.server(event).reports }

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
                .opened(ends: 1_800_000_000), .userStarted(at: 120), .userStopped(at: 900),
                .userTurn(item: "u", after: "before"), .heard(item: "u", part: 0, text: "What", isWhole: false),
                .responseBegan(response: "r"), .speaks(response: "r", item: "i"),
                .said(response: "r", item: "i", part: 0, text: "It", isWhole: false),
                .heard(item: "u", part: 0, text: "What time is it?", isWhole: true),
                .said(response: "r", item: "i", part: 0, text: "It is noon.", isWhole: true),
                .audioEnded(response: "r", item: "i"), .responseEnded(response: "r"), .unknown("something.new"),
            ]
        )
    }

    @Test func aBillToldTwiceIsTheSameBill() {
        let usage = Usage(audioIn: 10, audioOut: 20)
        let done = ServerEvent.responseDone(ResponseOutcome(id: "x", status: .cancelled, usage: usage))
        let bill = ServiceReport.charged(ServiceBill(id: "rx", .response(usage)))
        #expect(Self.reports(done) == [.responseEnded(response: "x"), bill])
        // A turn of the same name as a response is charged for by itself.
        let heard = ServerEvent.heardTranscript(itemID: "x", contentIndex: 0, text: "Hi", usage: .seconds(2))
        #expect(Self.reports(heard).last == .charged(ServiceBill(id: "t0x", .transcription(.seconds(2)))))
    }

    @Test func whatAsksForNothingSaysNothing() {
        let call = FunctionCall(callID: "c", name: "ask_jarvis", arguments: "{}")
        let silent: [ServerEvent] = [
            .sessionUpdated([:]), .outputItemAdded(responseID: "r", itemID: "i", kind: "function_call", call: call),
            .callWritten(responseID: "r", itemID: "i", call: call),
            .functionCall(responseID: "r", call: call, isComplete: true), .ignored(type: "rate_limits.updated"),
        ]
        #expect(silent.flatMap(Self.reports).isEmpty)
        #expect(ConversationEvent.activate.reports.isEmpty)
    }
}
