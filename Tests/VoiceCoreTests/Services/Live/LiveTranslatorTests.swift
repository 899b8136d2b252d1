import FoundationEssentials
import Testing

@testable import TestSupport
@testable import VoiceBase
@testable import VoiceConversation
@testable import VoiceLive

/// GPT-Live's messages, and requests to it, in terms of the conversation.
struct LiveTranslatorTests {
    // MARK: Requests

    /// Each request used to begin the wait for its words anew, so that a conversation that asks again never got its response.
    @Test func seventeenthWaitingDelegationIsRefusedWithALine() {
        var scene = LiveScene.live()
        for number in 1...17 { scene.receive(.delegated(id: "d\(number)", target: "client", at: number)) }
        #expect(scene.reports.contains(.dropped(.agent)))
        #expect(scene.reported(.thinking).map(\.delegation) == ["d17"])
    }

    @Test func thirtyThirdOpenCallOfTheBoxIsReportedAsDropped() {
        var scene = LiveScene.live()
        for number in 1...32 { scene.translator.own("own\(number)") }
        scene.pass(20)
        #expect(!scene.reports.contains(.dropped(.agent)))
        scene.translator.own("own33")
        scene.pass(20)
        #expect(scene.reports.contains(.dropped(.agent)))
    }

    @Test func textPushedOutByTheSixtyFifthCountsAsLost() {
        var appends = LiveAppends()
        for number in 1...65 {
            appends.sent(.init(tone: .thinking, text: "x", delegation: nil, sent: .zero), id: "\(number)")
        }
        #expect(appends.lost(at: .zero) == 1)
        #expect(appends.lost(at: .zero) == 0)
    }

    @Test func repeatedRequestWithoutWordsGetsAResponse() {
        var scene = LiveScene.live()
        scene.say("What is on today")
        scene.receive(.delegated(id: "d1", target: "client", at: scene.lastWord))
        scene.pass(600)
        scene.ask(.answer(call: "d1", "Nothing."))
        scene.ask(.respond(id: "q1", mayCall: true))
        scene.pass(6000)
        scene.ask(.respond(id: "q2", mayCall: true))
        scene.pass(3000)
        #expect(scene.reports.contains { if case .responseBegan(_, "q2") = $0 { true } else { false } })
    }

    @Test func repeatedDelegationMakesOneRequest() {
        var scene = LiveScene.live()
        scene.say("What is on today?")
        let place = scene.lastWord
        scene.receive(.delegated(id: "d1", target: "client", at: place))
        scene.receive(.delegated(id: "d1", target: "client", at: place))
        scene.pass(600)
        #expect(scene.queries == ["What is on today?"])
        // A delegation under another id has no new words: it is answered that the request is in progress.
        scene.receive(.delegated(id: "d2", target: "client", at: place + 400))
        scene.pass(6000)
        #expect(scene.queries.count == 1)
        #expect(scene.reported(.thinking).map(\.delegation) == ["d2"])
        scene.ask(.answer(call: "d1", "Two meetings."))
        scene.ask(.answer(call: "d1", "Two meetings."))
        #expect(scene.reported(.commentary).map(\.text) == ["Two meetings."])
        #expect(scene.reported(.commentary).map(\.delegation) == ["d1"])
    }

    @Test func lateWordsMakeTheirOwnRequest() {
        var scene = LiveScene.live()
        scene.pass(200)
        scene.pass(1000, voice: true)
        scene.pass(500)
        scene.receive(.delegated(id: "d1", target: "client", at: 1000))
        scene.pass(2000)
        #expect(scene.queries.isEmpty, "an empty request is none")
        for (index, word) in ["Lock", " the", " door."].enumerated() {
            scene.receive(.heard(LiveFragment(word, start: 400 + 200 * index, end: 600 + 200 * index)))
        }
        scene.pass(1000)
        #expect(scene.queries == ["Lock the door."])
    }

    @Test func aRequestWithoutWordsIsClosed() {
        var scene = LiveScene.live()
        scene.receive(.delegated(id: "d1", target: "client", at: 0))
        scene.pass(6000)
        #expect(scene.calls.isEmpty)
        #expect(scene.reported(.thinking).map(\.delegation) == ["d1"])
    }

    /// The service hears words that no one said.
    @Test func wordsWithoutAVoiceMakeNoRequest() {
        var scene = LiveScene.live()
        scene.pass(3000)
        scene.receive(.heard(LiveFragment("Open the door.", start: 1000, end: 1600)))
        scene.receive(.delegated(id: "d1", target: "client", at: 1400))
        scene.pass(6000)
        #expect(scene.calls.isEmpty)
        #expect(scene.troubles == ["words_without_voice"])
        #expect(!scene.reports.contains { if case .userStarted = $0 { true } else { false } })
    }

    @Test func earlierWordsAreContextNotARequest() {
        var scene = LiveScene.live()
        scene.say("I am in Bern.")
        scene.pass(4000)
        scene.say("Which trains leave?")
        scene.receive(.delegated(id: "d1", target: "client", at: scene.lastWord))
        scene.pass(600)
        #expect(scene.queries.count == 1)
        #expect(scene.queries.first?.hasPrefix("Which trains leave?\n") == true)
        #expect(scene.queries.first?.contains("I am in Bern.") == true)
    }

    /// The end of the turn is reported before the call that it authorises.
    @Test func theTurnEndsBeforeItsRequestIsCarriedOut() throws {
        var scene = LiveScene.live()
        scene.say("Lock it.")
        scene.receive(.delegated(id: "d1", target: "client", at: scene.lastWord))
        scene.pass(300)
        let stopped = try #require(scene.reports.firstIndex { if case .userStopped = $0 { true } else { false } })
        let called = try #require(scene.reports.firstIndex { if case .call = $0 { true } else { false } })
        #expect(stopped < called)
    }

    @Test func anotherTargetIsRefused() {
        var scene = LiveScene.live()
        scene.receive(.delegated(id: "d1", target: "responses", at: 0))
        #expect(scene.closings == [.refused])
    }

    @Test func eventsBeforeTheStartAreIgnored() {
        var scene = LiveScene()
        scene.add(scene.translator.connected())
        scene.ask(.open(history: []))
        scene.receive(.heard(LiveFragment("Open the door.", start: 0, end: 600)))
        scene.receive(.delegated(id: "d1", target: "client", at: 0))
        scene.pass(6000)
        #expect(scene.calls.isEmpty)
        #expect(scene.sent.count == 1, "nothing but the start")
    }

    @Test func textsBeyondTheBoundAreReportedAsDropped() {
        var scene = LiveScene.live()
        scene.pass(400, voice: true)
        for number in 1...17 { scene.ask(.tell("Announcement \(number).", .exactly)) }
        #expect(scene.reports.filter { $0 == .dropped(.announcement) }.count == 1)
        scene.stall(11_000)
        #expect(scene.reported(.commentary).count == 16)
    }

    // MARK: Speech

    @Test func loudTrackIsSpeech() {
        var scene = LiveScene.live()
        scene.pass(1000)
        #expect(scene.played == 0)
        scene.receive(.said(LiveFragment(" Hello.", start: 1000, end: 1200)))
        scene.pass(500, model: true)
        // A pause between two sentences does not end the response.
        scene.pass(500)
        scene.pass(500, model: true)
        #expect(scene.spoken.isEmpty)
        scene.pass(1000)
        #expect(scene.spoken == ["Hello."])
        let began = scene.reports.filter { if case .responseBegan = $0 { true } else { false } }
        #expect(began.count == 1)
    }

    /// The grid of the words may begin up to 200 ms before the audio of the first one.
    @Test func offsetOfTheFirstWordShiftsNoOther() {
        var scene = LiveScene.live()
        scene.pass(100)
        for word in ["one", " two", " three", " four"] {
            let start = scene.position / 200 * 200
            scene.receive(.said(LiveFragment(word, start: start, end: start + 200)))
            scene.pass(300, model: true)
        }
        scene.pass(600, voice: true, model: true)
        let item = scene.translator.spoken.last?.item ?? ""
        // 120 ms into the second word.
        scene.ask(.truncate(item: item, part: 0, heard: 420, of: 1200))
        #expect(scene.reported(.thinking).map(\.text) == ["The user heard only: \"one two\"."])
    }

    @Test func bargeInIsHeardAndReported() {
        var scene = LiveScene.live()
        scene.receive(.said(LiveFragment(" One", start: 0, end: 200)))
        scene.pass(1000, model: true)
        for (index, word) in [" two", " three", " four"].enumerated() {
            scene.receive(.said(LiveFragment(word, start: 400 * (index + 1), end: 400 * (index + 1) + 200)))
        }
        scene.forget()
        scene.pass(600, voice: true, model: true)
        #expect(scene.reports.contains { if case .userStarted = $0 { true } else { false } })
        #expect(scene.reported(.instructions).count == 1)
        let item = scene.translator.spoken.last?.item ?? ""
        scene.ask(.truncate(item: item, part: 0, heard: 700, of: 1000))
        scene.ask(.truncate(item: item, part: 0, heard: 700, of: 1000))
        #expect(scene.reported(.thinking).map(\.text) == ["The user heard only: \"One two\"."])
        // The rest of the old sentence is not played; after a silence, the next one is.
        let before = scene.played
        scene.pass(1000, model: true)
        #expect(scene.played == before)
        scene.pass(1000)
        scene.pass(500, model: true)
        #expect(scene.played > before)
    }

    /// A service that answers immediately ends the turn.
    @Test func immediateAnswerEndsTheTurn() throws {
        var scene = LiveScene.live()
        scene.pass(600, voice: true)
        scene.pass(300)
        scene.pass(300, model: true)
        let stopped = try #require(scene.reports.firstIndex { if case .userStopped = $0 { true } else { false } })
        let began = try #require(scene.reports.firstIndex { if case .responseBegan = $0 { true } else { false } })
        #expect(stopped < began)
        #expect(scene.reported(.instructions).isEmpty)
    }

    /// A cough, or a short "mhm", does not interrupt.
    @Test func aShortSoundDoesNotInterrupt() {
        var scene = LiveScene.live()
        scene.pass(1000, model: true)
        scene.pass(160, voice: true, model: true)
        scene.pass(500, model: true)
        #expect(scene.reported(.instructions).isEmpty)
        #expect(!scene.reports.contains { if case .userStarted = $0 { true } else { false } })
    }

    @Test func answerWaitsForSilence() {
        var scene = LiveScene.live()
        scene.say("What is on?")
        scene.receive(.delegated(id: "d1", target: "client", at: scene.lastWord))
        scene.pass(1500)
        scene.pass(500, voice: true)
        scene.ask(.answer(call: "d1", "Two meetings."))
        scene.pass(300, voice: true)
        #expect(scene.reported(.commentary).isEmpty)
        scene.pass(800)
        #expect(scene.reported(.commentary).map(\.text) == ["Two meetings."])
    }

    /// A request is answered by the speech that follows.
    @Test func followingSpeechIsTheResponse() {
        var scene = LiveScene.live()
        scene.ask(.tell("Dinner is ready.", .exactly))
        scene.ask(.respond(id: "r1", mayCall: false))
        #expect(scene.reported(.commentary).map(\.text) == ["Say exactly this: Dinner is ready."])
        scene.pass(700)
        scene.pass(600, model: true)
        let began = scene.reports.compactMap { if case .responseBegan(_, let request) = $0 { request } else { nil } }
        #expect(began == ["r1"])
    }

    @Test func unspokenTextTimesOut() {
        var scene = LiveScene.live()
        scene.ask(.tell("Dinner is ready.", .exactly))
        scene.ask(.respond(id: "r1", mayCall: false))
        scene.pass(9000)
        let began = scene.reports.compactMap { if case .responseBegan(_, let request) = $0 { request } else { nil } }
        #expect(began == ["r1"])
        #expect(scene.troubles == ["nothing_said"])
    }

    @Test func typedQuestionReachesTheAgentUnchanged() {
        var scene = LiveScene.live()
        scene.ask(.ask("What is on?"))
        scene.ask(.respond(id: "r1", mayCall: true))
        #expect(scene.queries == ["What is on?"])
        scene.ask(.answer(call: scene.calls.first?.callID ?? "", "Nothing."))
        #expect(scene.reported(.commentary).map(\.text) == ["Nothing."])
        #expect(scene.reported(.commentary).map(\.delegation) == [nil])
    }

    // MARK: Trouble

    @Test func aLongAnswerGoesInPieces() {
        let sentence = "This is a sentence of the answer, and it is not short. "
        let pieces = LivePieces.of(String(repeating: sentence, count: 100))
        #expect(pieces.count > 3 && pieces.allSatisfy { $0.utf8.count <= 1400 && $0.hasSuffix(".") })
        #expect(pieces.joined(separator: " ") + " " == String(repeating: sentence, count: 100))
        let japanese = LivePieces.of(String(repeating: "今日は良い天気です。", count: 200))
        #expect(japanese.allSatisfy { $0.unicodeScalars.count <= 500 })
        #expect(japanese.joined() == String(repeating: "今日は良い天気です。", count: 200))
        #expect(LivePieces.of(String(repeating: "x", count: 5000)).allSatisfy { $0.utf8.count <= 1400 })
        #expect(LivePieces.of(" \n ").isEmpty)
    }

    @Test func refusedTextIsSentAgainInHalves() throws {
        var scene = LiveScene.live()
        let text = String(repeating: "A sentence that is taken for too long. ", count: 30)
        scene.ask(.tell(text, .say))
        let first = try #require(scene.sent.last)
        let error = LiveError(type: "e", code: "invalid_value", text: "", setting: "content", request: first.eventID)
        scene.receive(.error(error))
        #expect(scene.reported(.commentary).count > 2)
        #expect(scene.troubles.isEmpty)
        let count = scene.sent.count
        let again = try #require(scene.sent.last)
        scene.receive(.error(LiveError(type: "e", code: "invalid_value", text: "", request: again.eventID)))
        #expect(scene.sent.count == count && scene.troubles == ["invalid_value"])
    }

    @Test func repeatedUsageMeansAStoppedUplink() {
        var scene = LiveScene.live()
        scene.receive(.usage(seconds: 12, context: nil))
        scene.receive(.usage(seconds: 27, context: nil))
        #expect(scene.troubles.isEmpty)
        scene.receive(.usage(seconds: 27, context: nil))
        #expect(scene.troubles == ["uplink_stopped"] && scene.closings.isEmpty)
        scene.receive(.usage(seconds: 27, context: nil))
        #expect(scene.closings == [.lost])
    }

    /// A television talks without a pause.
    @Test func answerWaitsForAPauseAtMostTenSeconds() {
        var scene = LiveScene.live()
        scene.pass(1000, voice: true)
        scene.ask(.tell("Dinner is ready.", .exactly))
        scene.pass(8000, voice: true)
        #expect(scene.reported(.commentary).isEmpty)
        scene.pass(3000, voice: true)
        #expect(scene.reported(.commentary).count == 1)
    }

    @Test func nearlyFullSessionIsReportedOnce() {
        var scene = LiveScene.live()
        scene.receive(.usage(seconds: 12, context: 0.74))
        #expect(!scene.reports.contains(.nearlyFull))
        scene.receive(.usage(seconds: 27, context: 0.76))
        scene.receive(.usage(seconds: 42, context: 0.8))
        #expect(scene.reports.filter { $0 == .nearlyFull }.count == 1)
    }

    @Test func frozenTrackTimesOut() {
        var scene = LiveScene.live()
        scene.pass(1000, model: true)
        scene.stall(3000)
        #expect(scene.reports.contains { if case .responseEnded = $0 { true } else { false } })
        #expect(scene.closings.isEmpty)
        scene.stall(10_000)
        #expect(scene.closings == [.lost])
    }

    @Test func lostAcknowledgementsAreReported() {
        var scene = LiveScene.live()
        scene.ask(.tell("Muted.", .exactly))
        scene.pass(11_000)
        #expect(scene.troubles == ["append_unplaced"])
    }

    @Test func refusedDelaySettingIsLeftOut() {
        var scene = LiveScene()
        scene.add(scene.translator.connected())
        scene.ask(.open(history: []))
        scene.receive(.error(LiveError(type: "e", code: "unknown_parameter", text: "")))
        #expect(scene.effects.contains(.own(.refusesDelay)) && scene.closings == [.lost])
    }

    /// Whatever arrives, nothing traps, and words that no one said cause no request.
    @Test func nonsenseCausesNoRequest() {
        let texts = [
            "", "{}", "[]", "null", #"{"type":5}"#, #"{"type":"session.started"}"#,
            #"{"type":"session.delegation.created"}"#,
            #"{"type":"session.delegation.created","offset_ms":1e300,"delegation":{"id":"x"}}"#,
            #"{"type":"session.input_transcript.delta","delta":"Open.","start_ms":-1e300,"end_ms":1e300}"#,
            #"{"type":"session.input_transcript.delta","delta":"Open.","start_ms":"now"}"#,
            #"{"type":"session.usage.updated","usage":{"seconds":-5}}"#, #"{"type":"session.usage.updated"}"#,
            #"{"type":"session.output_audio.delta","delta":5}"#, #"{"type":"error"}"#, #"{"type":"error","error":{}}"#,
            #"{"type":"session.commentary.appended","client_event_id":7}"#,
            #"{"type":"session.started","session":{"id":"again","expires_at":1e400}}"#,
            String(repeating: "[", count: 100_000), #"{"type":"info","info":{"code":null}}"#,
        ]
        var scene = LiveScene.live()
        for text in texts {
            if let event = LiveEventDecoder.decode(text) { scene.receive(event) }
            scene.pass(100)
        }
        scene.pass(6000)
        #expect(scene.calls.isEmpty)
    }

    // MARK: The wire

    @Test func sentEventsFollowTheProtocol() throws {
        let settings = LiveSettings(model: "gpt-live-1.1", instructions: "Say \"no\".")
        let start = LiveClientEvent.start(settings, history: [LiveMessage(.assistant, "Yes.")], eventID: "s1")
        let json = try JSONDecoder().decode(JSONValue.self, from: Data(start.encoded))
        #expect(json["session"]?["store"] == false)
        #expect(json["session"]?["delegation"] == ["type": "client", "acknowledgement_delay_ms": 1000])
        let append = LiveClientEvent.append(.thinking, "x", delegation: nil, eventID: "a1")
        let text = String(decoding: append.encoded, as: UTF8.self)
        #expect(text == #"{"content":"x","delegation_id":null,"event_id":"a1","type":"session.thinking.append"}"#)
    }

    @Test func historyFitsTheLimitOfTheService() {
        let long = (0..<300).map { LiveMessage(.user, "\($0) " + String(repeating: "word ", count: 20)) }
        let fitting = LiveMessage.fitting(long)
        #expect(fitting.count == 128 && fitting.last == long.last)
        #expect(LiveMessage.fitting([LiveMessage(.user, String(repeating: "x", count: 30_000))]).isEmpty)
    }

    @Test func audioDeltaIsFoundInTheMessage() {
        func find(_ text: String) -> Int? {
            Array(text.utf8).withUnsafeBytes { AudioDelta($0, of: AudioDelta.live, isNamed: false)?.audio.count }
        }
        #expect(find(#"{"type":"session.output_audio.delta","delta":"AAAA"}"#) == 4)
        for other in [#"{"type":"session.input_transcript.delta","delta":"AAAA"}"#, #"{"delta":"AAAA"}"#, "{", ""] {
            #expect(find(other) == nil)
        }
    }

    // MARK: Results of an earlier session's calls

    @Test func resultsOfAnEarlierSessionAreSpokenOnce() {
        var scene = LiveScene.live()
        for (id, text) in [("answer-1", "Two meetings."), ("answer-2", "It rains.")] {
            let output = ToolResult(text)
            scene.ask(.inform(id: id, .init(name: "ask_jarvis", arguments: "{}", output: output, isSpoken: true)))
        }
        // The user speaks first.
        scene.pass(1500, voice: true)
        scene.pass(1500)
        scene.ask(.respond(id: "q1", mayCall: true))
        scene.pass(500)
        for text in ["Two meetings.", "It rains."] {
            #expect(scene.reported(.commentary).count { $0.text.contains(text) } == 1, "\(text)")
        }
        #expect(scene.reported(.thinking).isEmpty)
    }

    @Test func ninthResultOfAnEarlierSessionIsReportedAsDropped() {
        var scene = LiveScene.live()
        for number in 1...9 {
            let output = ToolResult("Result \(number).")
            scene.ask(
                .inform(id: "a\(number)", .init(name: "ask_jarvis", arguments: "{}", output: output, isSpoken: true))
            )
        }
        #expect(scene.reports.filter { $0 == .dropped(.agent) }.count == 1)
        scene.ask(.respond(id: "q1", mayCall: true))
        scene.pass(500)
        #expect(!scene.reported(.commentary).contains { $0.text.contains("Result 1.") })
        #expect(scene.reported(.commentary).contains { $0.text.contains("Result 2.") })
    }

    @Test func emptyAudioDeltasDoNotKeepTheSessionAlive() {
        var scene = LiveScene.live()
        scene.pass(200)
        for _ in 0..<15 {
            scene.stall(1000)
            let none = UnsafeBufferPointer<Int16>(start: nil, count: 0)
            scene.add(scene.translator.sound(none, waiting: 0, at: scene.now))
        }
        #expect(scene.reports.contains { if case .closing(.lost, _) = $0 { true } else { false } })
    }
}
