import Testing

@testable import TestSupport
@testable import VoiceConversation

/// Events in any order, likely or not.
struct ConversationOrderTests {
    @Test func unlikelyOrderOfEventsKeepsALegalState() {
        var generator = SeededGenerator(seed: 7)
        for _ in 0..<300 {
            var scene = Scene()
            for _ in 0..<120 { scene.on(randomEvent(&generator)) }
            // Whatever happened, a new session listens and every call was answered at most once.
            scene.on(.deactivate)
            #expect(scene.state == .idle)
            #expect(Set(scene.outputs).count == scene.outputs.count)
            #expect(Set(scene.started).count == scene.started.count)
            scene.open()
            #expect(scene.state != .idle)
        }
    }

    private func randomEvent(_ generator: inout SeededGenerator) -> ConversationEvent {
        let response = "r\(Int.random(in: 1...4, using: &generator))"
        let call = FunctionCall(callID: "c\(Int.random(in: 1...6, using: &generator))", name: "t", arguments: "{}")
        let events: [ConversationEvent] = [
            .activate, .interrupt, .connected, .server(.sessionCreated(id: nil, expiresAt: nil)),
            .server(.sessionUpdated(Scene.settings.json)), .disconnected(LinkFailure(.transient, "x")),
            .server(.speechStarted(itemID: "u", audioStart: 0)), .server(.speechStopped(itemID: "u", audioEnd: 0)),
            .server(.responseCreated(id: response, clientEventID: nil)),
            .server(.responseDone(ResponseOutcome(id: response, status: .completed))),
            .server(.functionCall(responseID: response, call: call, isComplete: true)),
            .callAnswered(callID: call.callID, "o"),
            .voiceReceived(responseID: response, itemID: "i"), .voiceDrained, .voiceAudible(responseID: response),
            .timer(.reconnect), .timer(.thinking), .timer(.setUp), .timer(.serverResponse),
            .server(
                .error(.activeResponse)
            ),
        ]
        return events[Int.random(in: 0..<events.count, using: &generator)]
    }
}
