import Testing

@testable import TestSupport
@testable import VoiceConversation

/// The user speaks over the voice, or silences it.
struct InterruptionTests {
    @Test func bargeInStopsTheVoiceAndReportsTheHeardPart() {
        var scene = Scene.listening()
        scene.userTurn()
        scene.begin("r1")
        scene.speak("r1", item: "i1")
        scene.server(.speechStarted(itemID: "u2", audioStart: 0))
        #expect(scene.latest.contains(.stopVoice(responseIDs: ["r1"])))
        #expect(scene.state == .userSpeaking)
        scene.on(
            .voiceStopped([
                HeardPart(
                    part: SpokenPart(responseID: "r1", itemID: "i1", contentIndex: 0), heard: 640, received: 2000
                ),
                HeardPart(part: SpokenPart(responseID: "r1", itemID: "i2", contentIndex: 0), heard: 0, received: 500),
            ])
        )
        #expect(
            scene.sent(scene.latest) == [
                .truncate(itemID: "i1", contentIndex: 0, audioEnd: 640, eventID: "truncate-1"),
                .deleteItem(itemID: "i2", eventID: "delete-2"),
            ]
        )
        scene.done("r1", .cancelled, reason: "turn_detected")
        #expect(scene.state == .userSpeaking)
        #expect(!scene.sent().contains { if case .responseCancel = $0 { true } else { false } }, "the server does")
        #expect(scene.reports.first?.interrupted == true)
    }

    @Test func truncationStaysBelowTheCountOfTheServer() {
        var scene = Scene.listening()
        scene.userTurn()
        scene.begin("r1")
        scene.speak("r1", item: "i1")
        scene.server(.speechStarted(itemID: "u2", audioStart: 0))
        let part = SpokenPart(responseID: "r1", itemID: "i1", contentIndex: 0)
        scene.on(.voiceStopped([HeardPart(part: part, heard: 1990, received: 2000)]))
        #expect(
            scene.sent(scene.latest)
                == [.truncate(itemID: "i1", contentIndex: 0, audioEnd: 1900, eventID: "truncate-1")]
        )
    }

    @Test func newSessionGetsNoItemsOfTheOldOne() {
        var scene = Scene.listening()
        scene.userTurn()
        scene.begin("r1")
        scene.speak("r1", item: "i1")
        scene.server(.error(ServerError(type: "invalid_request_error", code: "session_expired", message: "60 min")))
        scene.on(.timer(.reconnect))
        scene.open()
        #expect(scene.state == .aiSpeaking, "what came in is played to its end")
        scene.server(.speechStarted(itemID: "u2", audioStart: 0))
        #expect(scene.latest.contains { if case .stopVoice = $0 { true } else { false } })
        let part = SpokenPart(responseID: "r1", itemID: "i1", contentIndex: 0)
        scene.on(.voiceStopped([HeardPart(part: part, heard: 640, received: 2000)]))
        #expect(scene.sent(scene.latest).isEmpty)
    }

    @Test func speechOverAFinishedResponseStopsItsPlayback() {
        var scene = Scene.listening()
        scene.userTurn()
        scene.begin("r1")
        scene.speak("r1")
        scene.done("r1")
        scene.server(.speechStarted(itemID: "u2", audioStart: 0))
        #expect(scene.latest.contains(.stopVoice(responseIDs: ["r1"])))
    }

    @Test func speechIntoSilenceTruncatesNothing() {
        var scene = Scene.listening()
        scene.userTurn()
        #expect(!scene.effects.contains { if case .stopVoice = $0 { true } else { false } })
        #expect(scene.sent().isEmpty)
    }

    @Test func lateAudioIsNotSpeech() {
        var scene = Scene.listening()
        scene.userTurn()
        scene.begin("r1")
        scene.speak("r1")
        scene.server(.speechStarted(itemID: "u2", audioStart: 0))
        scene.on(.voiceReceived(responseID: "r1", itemID: "i1"))
        scene.server(.speechStopped(itemID: "u2", audioEnd: 0))
        #expect(scene.state == .processing)
    }

    @Test func speechBeforeTheFirstAudioRefusesTheResponse() {
        var scene = Scene.listening()
        scene.userTurn()
        scene.begin("r1")
        scene.server(.speechStarted(itemID: "u2", audioStart: 0))
        #expect(scene.latest.contains(.stopVoice(responseIDs: ["r1"])))
    }

    @Test func callContinuesWhenTheUserSpeaks() {
        var scene = Scene.listening()
        scene.userTurn()
        scene.begin("r1")
        scene.speak("r1")
        scene.call("c1", in: "r1")
        scene.done("r1")
        scene.server(.speechStarted(itemID: "u2", audioStart: 0))
        scene.server(.speechStopped(itemID: "u2", audioEnd: 0))
        scene.begin("r2")
        scene.speak("r2")
        scene.done("r2")
        scene.on(.voiceDrained)
        #expect(scene.state == .waitingForJarvis)
        scene.answer("c1")
        #expect(scene.creates.count == 1)
    }

    @Test func lateTranscriptsChangeNothing() {
        var scene = Scene.listening()
        scene.userTurn()
        scene.begin("r1")
        scene.speak("r1")
        scene.done("r1")
        scene.on(.voiceDrained)
        scene.server(.heardTranscript(itemID: "item_user", contentIndex: 0, text: "what time is it"))
        #expect(scene.state == .listening)
        #expect(scene.latest == [.note(.heard("what time is it"))])
    }

    @Test func responseBegunWithSpeechIsCancelled() {
        var scene = Scene.calling()
        scene.answer("c1")
        scene.server(.speechStarted(itemID: "u2", audioStart: 0))
        scene.begin("r2", for: scene.creates.first)
        #expect(scene.cancels == ["r2"])
        scene.on(.voiceReceived(responseID: "r2", itemID: "i"))
        #expect(scene.state == .userSpeaking)
    }

    @Test func nextRequestWaitsForTheCancelledResponse() {
        var scene = Scene.listening()
        scene.userTurn()
        scene.begin("r1")
        scene.call("c1", in: "r1")
        scene.on(.interrupt)
        #expect(scene.cancels == ["r1"])
        scene.answer("c1")
        #expect(scene.outputs == ["c1"])
        #expect(scene.creates.isEmpty)
        scene.on(.interrupt)
        #expect(scene.cancels == ["r1"], "once")
        scene.answer("c1")
        scene.done("r1", .cancelled, reason: "client_cancelled")
        #expect(scene.creates.isEmpty, "the user has heard enough")
        #expect(scene.state == .listening)
    }

    @Test(arguments: ["done", "not active", "never"])
    func cancelledResponseEndsInEveryCase(end: String) {
        var scene = Scene.listening()
        scene.userTurn()
        scene.begin("r1")
        scene.call("c1", in: "r1")
        scene.on(.interrupt)
        scene.answer("c1")
        switch end {
        case "done": scene.done("r1", .cancelled, reason: "client_cancelled")
        case "not active":
            scene.server(.error(ServerError(type: "e", code: "response_cancel_not_active", message: "")))
        default:
            #expect(scene.timer(.cancelledResponse) == .seconds(12))
            scene.on(.timer(.cancelledResponse))
        }
        #expect(scene.creates.count == 1, "what came after the command is told")
    }

    @Test func interruptDoesNotSilenceTheNextAnswer() {
        var scene = Scene.listening()
        scene.userTurn()
        scene.on(.interrupt)
        scene.userTurn()
        scene.begin("r1")
        scene.speak("r1")
        #expect(scene.cancels.isEmpty)
        #expect(scene.state == .aiSpeaking)
    }

    private static let refusals = [
        ServerError(
            type: "invalid_request_error", code: "invalid_value",
            message: "Audio content of 1900ms is already shorter than 1990ms"
        ),
        ServerError(type: "invalid_request_error", code: "item_truncate_invalid_item_id", message: "No such item"),
        ServerError(type: "invalid_request_error", code: nil, message: "Only model output audio can be truncated"),
        ServerError(type: "server_error", code: nil, message: "The item is shorter", eventID: "truncate-1"),
        ServerError(type: "error", code: "bad_request", message: "audio_end_ms is too large", param: "audio_end_ms"),
    ]

    /// Refused because the item is shorter, in the words of different services.
    @Test(arguments: refusals)
    func refusedTruncationDoesNotBlockTheNextTurn(refusal: ServerError) {
        var scene = Scene.listening()
        scene.userTurn()
        scene.begin("r1")
        scene.speak("r1", item: "i1")
        scene.server(.speechStarted(itemID: "u2", audioStart: 0))
        let part = SpokenPart(responseID: "r1", itemID: "i1", contentIndex: 0)
        scene.on(.voiceStopped([HeardPart(part: part, heard: 1990, received: 2000)]))
        scene.server(.error(refusal))
        scene.done("r1", .cancelled, reason: "turn_detected")
        scene.server(.speechStopped(itemID: "u2", audioEnd: 900))
        scene.begin("r2")
        scene.call("c1", in: "r2")
        scene.done("r2")
        scene.answer("c1")
        #expect(scene.creates.count == 1)
        scene.server(.error(refusal))
        #expect(scene.creates.count == 1 && scene.timer(.retryResponse) == nil, "it concerns the truncation")
        scene.begin("r3", for: scene.creates.last)
        scene.speak("r3")
        #expect(scene.state == .aiSpeaking)
    }

    /// A beginning reported again, without an end between the two, is not progress.
    @Test func repeatedSpeechStartsDoNotProlongATurn() {
        var scene = Scene.listening()
        scene.server(.speechStarted(itemID: "u1", audioStart: 0))
        #expect(scene.timer(.speech) == .seconds(120))
        scene.effects = []
        for turn in 2..<60 { scene.server(.speechStarted(itemID: "u\(turn)", audioStart: 0), after: .seconds(1)) }
        #expect(scene.timer(.speech) == nil)
        scene.on(.timer(.speech))
        #expect(scene.state == .listening)
    }
}
