import Testing

@testable import VoiceCore

/// The races of the protocol: two sides that act at once.
struct ConversationRaceTests {
    // MARK: Calls

    @Test func aCallAnnouncedTwiceIsStartedOnce() {
        var scene = Scene.listening()
        scene.userTurn()
        scene.begin("r1")
        scene.call("c1", in: "r1")
        scene.call("c1", in: "r1")
        scene.answer("c1")
        scene.call("c1", in: "r1")
        #expect(scene.started == ["c1"])
        #expect(scene.outputs == ["c1"])
    }

    @Test func severalCallsAreAnsweredInTheirOrderAndSpokenAboutOnce() {
        var scene = Scene.listening()
        scene.userTurn()
        scene.begin("r1")
        scene.call("c1", in: "r1")
        scene.call("c2", in: "r1")
        scene.done("r1")
        scene.answer("c2")
        #expect(scene.outputs.isEmpty, "the first comes first")
        scene.answer("c1")
        #expect(scene.outputs == ["c1", "c2"])
        #expect(scene.creates.count == 1)
    }

    @Test func aSecondCallThatComesWhileTheFirstIsAnswered() {
        var scene = Scene.listening()
        scene.userTurn()
        scene.begin("r1")
        scene.call("c1", in: "r1")
        scene.answer("c1")
        scene.call("c2", in: "r1")
        scene.done("r1")
        #expect(scene.outputs == ["c1"])
        #expect(scene.creates.isEmpty, "not before the last output")
        scene.answer("c2")
        #expect(scene.creates.count == 1)
    }

    @Test func aCallCutOffByTheUserIsNotStarted() {
        var scene = Scene.listening()
        scene.userTurn()
        scene.begin("r1")
        scene.speak("r1")
        scene.server(.speechStarted(itemID: "u2", audioStart: 0))
        scene.call("c1", in: "r1", complete: false)
        scene.done("r1", .cancelled, reason: "turn_detected")
        #expect(scene.started.isEmpty)
        #expect(scene.state == .userSpeaking)
    }

    @Test func anAnswerThatComesWhileTheUserSpeaksIsSpokenAboutByTheNextResponse() {
        var scene = Scene.listening()
        scene.userTurn()
        scene.begin("r1")
        scene.call("c1", in: "r1")
        scene.done("r1")
        scene.server(.speechStarted(itemID: "u2", audioStart: 0))
        #expect(scene.state == .userSpeaking)
        scene.answer("c1")
        scene.confirm("c1")
        #expect(scene.outputs == ["c1"])
        scene.server(.speechStopped(itemID: "u2", audioEnd: 1))
        scene.begin("r2")
        scene.speak("r2")
        scene.done("r2")
        scene.on(.voiceDrained)
        #expect(scene.creates.isEmpty, "the server's own response has seen it")
        #expect(scene.state == .listening)
    }

    @Test func anAnswerTheServersResponseHasNotSeenIsAskedForAfterwards() {
        var scene = Scene.listening()
        scene.userTurn()
        scene.begin("r1")
        scene.call("c1", in: "r1")
        scene.done("r1")
        scene.server(.speechStarted(itemID: "u2", audioStart: 0))
        scene.server(.speechStopped(itemID: "u2", audioEnd: 1))
        scene.begin("r2")
        scene.answer("c1")
        scene.confirm("c1")
        #expect(scene.creates.isEmpty)
        scene.done("r2")
        #expect(scene.creates.count == 1)
    }

    @Test func anAnswerForSilenceIsSentAndNotSpokenAbout() {
        var scene = Scene.listening()
        scene.userTurn()
        scene.begin("r1")
        scene.call("c1", in: "r1")
        scene.done("r1")
        scene.answer("c1", "", wantsReply: false)
        #expect(scene.outputs == ["c1"])
        #expect(scene.creates.isEmpty)
        #expect(scene.state == .listening)
    }

    @Test func anAnswerThatOutlivesItsSessionIsToldToTheNext() {
        var scene = Scene.listening()
        scene.userTurn()
        scene.begin("r1")
        scene.call("c1", in: "r1")
        scene.done("r1")
        scene.on(.disconnected(LinkFailure(.transient, "reset")))
        scene.answer("c1", "Two meetings.")
        #expect(scene.sent(scene.latest).isEmpty)
        scene.on(.timer(.reconnect))
        scene.open()
        #expect(scene.outputs.isEmpty, "the new session does not know the call")
        let told = scene.sent().contains {
            if case .systemMessage(let text, _) = $0 { text.contains("Two meetings.") } else { false }
        }
        #expect(told)
        #expect(scene.creates.count == 1)
    }

    // MARK: One response at a time

    @Test func aRequestThatMeetsTheServersOwnResponseIsRepeatedAfterIt() {
        var scene = Scene.listening()
        scene.userTurn()
        scene.begin("r1")
        scene.call("c1", in: "r1")
        scene.done("r1")
        scene.answer("c1")
        #expect(scene.creates.count == 1)
        // The server began one for a turn it heard meanwhile, before it read the output.
        scene.server(.responseCreated(id: "r2", clientEventID: "someone-else"))
        scene.confirm("c1")
        scene.server(
            .error(
                ServerError(
                    type: "invalid_request_error",
                    code: "conversation_already_has_active_response",
                    message: ""
                )
            )
        )
        scene.done("r2")
        #expect(scene.creates.count == 2)
    }

    @Test func aRequestThatMeetsAResponseThatHasSeenTheOutputIsDropped() {
        var scene = Scene.listening()
        scene.userTurn()
        scene.begin("r1")
        scene.call("c1", in: "r1")
        scene.done("r1")
        scene.answer("c1")
        scene.confirm("c1")
        scene.server(.responseCreated(id: "r2", clientEventID: "someone-else"))
        scene.server(
            .error(
                ServerError(
                    type: "invalid_request_error",
                    code: "conversation_already_has_active_response",
                    message: ""
                )
            )
        )
        scene.done("r2")
        #expect(scene.creates.count == 1)
        #expect(scene.state == .listening)
    }

    @Test func aRefusedRequestWaitsForAResponseItNeverSawBegin() {
        var scene = Scene.listening()
        scene.userTurn()
        scene.begin("r1")
        scene.call("c1", in: "r1")
        scene.done("r1")
        scene.answer("c1")
        scene.server(
            .error(
                ServerError(
                    type: "invalid_request_error",
                    code: "conversation_already_has_active_response",
                    message: ""
                )
            )
        )
        #expect(scene.creates.count == 1)
        scene.done("unseen")
        #expect(scene.creates.count == 2)
    }

    @Test func aRequestThatIsNotAnsweredIsRepeated() {
        var scene = Scene.listening()
        scene.userTurn()
        scene.begin("r1")
        scene.call("c1", in: "r1")
        scene.done("r1")
        scene.answer("c1")
        #expect(scene.latest.contains(.startTimer(.requestedResponse, .seconds(12))))
        scene.on(.timer(.requestedResponse))
        #expect(scene.creates.count == 2)
    }

    @Test func theEndOfAResponseNobodySawBeginIsHarmless() {
        var scene = Scene.listening()
        scene.done("ghost", .cancelled)
        #expect(scene.state == .listening)
        #expect(scene.sent().isEmpty)
    }

    @Test(arguments: [
        ("inference_rate_limit_exceeded", [Duration.seconds(8), .seconds(16)]),
        ("rate_limit_exceeded", [.seconds(8), .seconds(16)]),
        ("server_error", [.seconds(1)]), ("something_new", [.seconds(1)]),
    ])
    func aFailedResponseIsAskedForAgainAndThenTheTurnEnds(reason: String, pauses: [Duration]) {
        var scene = Scene.listening()
        scene.userTurn()
        scene.begin("r0")
        for (index, pause) in pauses.enumerated() {
            scene.done("r\(index)", .failed, reason: reason)
            #expect(scene.latest.contains(.note(.responseFailed(status: "failed", reason: reason))))
            #expect(scene.latest.contains(.startTimer(.retryResponse, pause)))
            #expect(scene.state == .processing)
            #expect(scene.creates.count == index, "not before the pause")
            scene.on(.timer(.retryResponse))
            #expect(scene.creates.count == index + 1)
            scene.begin("r\(index + 1)", for: scene.creates.last)
        }
        scene.done("r\(pauses.count)", .failed, reason: reason)
        #expect(scene.latest.contains(.play(.error)), "the user is told")
        #expect(scene.state == .listening)
    }

    @Test func aFailedResponseIsNotAskedForAgainWhereTheUserGoesOn() {
        var scene = Scene.listening()
        scene.userTurn()
        scene.begin("r1")
        scene.done("r1", .failed, reason: "server_error")
        scene.server(.speechStarted(itemID: "u2", audioStart: 0))
        scene.on(.timer(.retryResponse))
        scene.server(.speechStopped(itemID: "u2", audioEnd: 1))
        scene.begin("r2")
        scene.done("r2")
        #expect(scene.creates.isEmpty, "the next response has seen it all")
        #expect(scene.state == .listening)
    }

    @Test func aServiceThatFailsTurnAfterTurnIsLeft() {
        var scene = Scene.listening()
        for turn in 0..<2 {
            scene.userTurn()
            scene.begin("a\(turn)")
            scene.done("a\(turn)", .failed, reason: "server_error")
            scene.on(.timer(.retryResponse))
            scene.begin("b\(turn)", for: scene.creates.last)
            scene.done("b\(turn)", .failed, reason: "server_error")
        }
        #expect(scene.latest.contains(.disconnect))
        #expect(scene.state == .connecting)
    }

    @Test func aResponseThatFailsForTheAccountIsAnError() {
        var scene = Scene.listening()
        scene.userTurn()
        scene.begin("r1")
        scene.done("r1", .failed, reason: "insufficient_quota")
        guard case .error = scene.state else {
            Issue.record("\(scene.state)")
            return
        }
    }

    // MARK: Interruption

    @Test func speakingOverTheVoiceStopsItAndTellsWhatWasHeard() {
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
                    part: SpokenPart(responseID: "r1", itemID: "i1", contentIndex: 0),
                    heard: 640,
                    received: 2000
                ),
                HeardPart(part: SpokenPart(responseID: "r1", itemID: "i2", contentIndex: 0), heard: 0, received: 500),
            ])
        )
        #expect(
            scene.sent(scene.latest) == [
                .truncate(itemID: "i1", contentIndex: 0, audioEnd: 640, eventID: "truncate-1-2"),
                .deleteItem(itemID: "i2", eventID: "delete-1-3"),
            ]
        )
        scene.done("r1", .cancelled, reason: "turn_detected")
        #expect(scene.state == .userSpeaking)
        #expect(!scene.sent().contains { if case .responseCancel = $0 { true } else { false } }, "the server does")
        #expect(scene.reports.first?.interrupted == true)
    }

    @Test func truncationStaysClearOfTheServersOwnCount() {
        var scene = Scene.listening()
        scene.userTurn()
        scene.begin("r1")
        scene.speak("r1", item: "i1")
        scene.server(.speechStarted(itemID: "u2", audioStart: 0))
        let part = SpokenPart(responseID: "r1", itemID: "i1", contentIndex: 0)
        scene.on(.voiceStopped([HeardPart(part: part, heard: 1990, received: 2000)]))
        #expect(
            scene.sent(scene.latest)
                == [.truncate(itemID: "i1", contentIndex: 0, audioEnd: 1900, eventID: "truncate-1-2")]
        )
    }

    @Test func aNewSessionIsNotToldOfTheItemsOfTheOneBefore() {
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

    @Test func speechOverAResponseThatIsDoneButStillPlays() {
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

    @Test func audioThatComesLateIsNotSpeech() {
        var scene = Scene.listening()
        scene.userTurn()
        scene.begin("r1")
        scene.speak("r1")
        scene.server(.speechStarted(itemID: "u2", audioStart: 0))
        scene.on(.voiceReceived(responseID: "r1", itemID: "i1"))
        scene.server(.speechStopped(itemID: "u2", audioEnd: 0))
        #expect(scene.state == .processing)
    }

    @Test func speechBeforeTheFirstAudioRefusesWhatIsOnItsWay() {
        var scene = Scene.listening()
        scene.userTurn()
        scene.begin("r1")
        scene.server(.speechStarted(itemID: "u2", audioStart: 0))
        #expect(scene.latest.contains(.stopVoice(responseIDs: ["r1"])))
    }

    @Test func aCallGoesOnWhenTheUserSpeaks() {
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

    @Test func eventsInAnUnlikelyOrderNeverLeaveAnIllegalState() {
        var generator = SeededGenerator(seed: 7)
        for _ in 0..<300 {
            var scene = Scene()
            for _ in 0..<120 { scene.on(randomEvent(&generator)) }
            // Whatever happened: a session that opens now listens, and every call was answered at most once.
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
            .callAnswered(callID: call.callID, output: "o", wantsReply: true),
            .voiceReceived(responseID: response, itemID: "i"), .voiceDrained, .voiceAudible(responseID: response),
            .timer(.reconnect), .timer(.thinking), .timer(.setUp), .timer(.serverResponse),
            .server(
                .error(ServerError(type: "e", code: "conversation_already_has_active_response", message: ""))
            ),
        ]
        return events[Int.random(in: 0..<events.count, using: &generator)]
    }
}
