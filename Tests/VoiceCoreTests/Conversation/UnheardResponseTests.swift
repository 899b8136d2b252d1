import Testing

@testable import TestSupport
@testable import VoiceBase
@testable import VoiceConversation

/// Responses without sound: nothing that was accepted is lost in silence.
struct UnheardResponseTests {
    /// What becomes of the response that should say an announcement.
    enum Fate: CaseIterable {
        case noWords, call, wordsWithoutSound, interruptedUnheard, activeResponse, refused, neverBegan
    }

    private static func play(_ fate: Fate, _ scene: inout Scene, _ number: Int) {
        let (response, request) = ("r\(number)", scene.creates.last)
        if [.activeResponse, .refused, .neverBegan].contains(fate) {
            switch fate {
            case .activeResponse:
                scene.server(.error(.activeResponse))
                scene.done("other\(number)")
            case .refused:
                let error = ServerError(type: "x", code: "no_idea", message: "No.", eventID: request)
                scene.server(.error(error))
            default: scene.on(.timer(.requestedResponse))
            }
            return
        }
        scene.begin(response, for: request)
        switch fate {
        case .call: scene.call("c\(number)", in: response)
        case .wordsWithoutSound:
            scene.server(.spokenTranscript(responseID: response, itemID: "i\(number)", text: "Dinner is ready."))
        default: break
        }
        scene.done(response, fate == .interruptedUnheard ? .cancelled : .completed)
    }

    @Test(arguments: Fate.allCases) func unheardAnnouncementIsRepeatedOnceThenReported(fate: Fate) {
        var scene = Scene.listening()
        scene.on(.say("Dinner is ready."))
        Self.play(fate, &scene, 1)
        #expect(scene.remarks.count == 2, "again")
        #expect(scene.remarks.allSatisfy { $0.hasSuffix("Dinner is ready.") })
        #expect(!scene.effects.contains(.note(.speechDropped(.announcement, 1))))
        Self.play(fate, &scene, 2)
        #expect(scene.remarks.count == 2)
        #expect(scene.effects.contains(.note(.speechDropped(.announcement, 1))))
        #expect(scene.effects.contains(.play(.error)))
        #expect(scene.state == .listening)
    }

    @Test func heardAnnouncementIsNotRepeated() {
        var scene = Scene.listening()
        scene.on(.say("Dinner is ready."))
        scene.begin("r1", for: scene.creates.last)
        scene.speak("r1")
        scene.done("r1")
        scene.on(.voiceDrained)
        #expect(scene.remarks.count == 1)
        #expect(!scene.effects.contains(.play(.error)))
    }

    @Test func wordlessResponseToAnAnswerIsRequestedAgain() {
        var scene = Scene.calling()
        scene.answer("c1")
        scene.begin("r2", for: scene.creates.last)
        scene.done("r2")
        #expect(scene.timer(.retryResponse) != nil)
        scene.on(.timer(.retryResponse))
        #expect(scene.creates.count == 2)
        scene.begin("r3", for: scene.creates.last)
        scene.done("r3")
        #expect(scene.latest.contains(.play(.error)), "the user is not left waiting")
        #expect(scene.state == .listening)
    }

    @Test func aQuestionWithoutAnAnswerIsReported() {
        var scene = Scene.listening()
        scene.userTurn()
        scene.begin("r1")
        scene.done("r1")
        #expect(scene.latest.contains(.note(.silentResponse(hadWords: false))))
        #expect(scene.latest.contains(.play(.error)))
    }

    // MARK: An answer that was written and not spoken

    /// How a service writes instead of speaking.
    enum Writing: CaseIterable { case transcript, text, outputOnly }

    private static func write(_ text: String, _ writing: Writing, in response: String, _ scene: inout Scene) {
        let item = "item_" + response
        scene.server(.outputItemAdded(responseID: response, itemID: item, kind: "message"))
        var outcome = ResponseOutcome(id: response, status: .completed)
        switch writing {
        case .transcript: scene.server(.spokenTranscript(responseID: response, itemID: item, text: text))
        case .text:
            let names = #""response_id":"\#(response)","item_id":"\#(item)""#
            let message = #"{"type":"response.output_text.done",\#(names),"text":"\#(text)"}"#
            let event = try? ServerEventDecoder().decode(message)
            scene.server(event ?? .unknown(type: "unreadable"))
        case .outputOnly: outcome.words = text
        }
        scene.server(.responseDone(outcome))
    }

    @Test(arguments: Writing.allCases) func aWrittenAnswerIsSpokenByTheLocalVoice(writing: Writing) {
        var scene = Scene.listening { $0.hasLocalVoice = true }
        scene.userTurn()
        scene.begin("r1")
        Self.write("Two meetings.", writing, in: "r1", &scene)
        #expect(scene.latest.contains(.answer("Two meetings.")))
        #expect(scene.latest.contains(.note(.silentResponse(hadWords: true))))
        #expect(!scene.effects.contains(.play(.error)))
        #expect(scene.creates.isEmpty)
        #expect(scene.state == .listening)
    }

    @Test(arguments: Writing.allCases) func writtenAnswerIsRequestedAloudOnceWithoutALocalVoice(writing: Writing) {
        var scene = Scene.listening()
        scene.userTurn()
        scene.begin("r1")
        Self.write("Two meetings.", writing, in: "r1", &scene)
        #expect(!scene.effects.contains(.play(.error)))
        scene.on(.timer(.retryResponse))
        #expect(scene.remarks == [ConversationMachine.writtenAnswer])
        scene.begin("r2", for: scene.creates.last)
        Self.write("Two meetings.", writing, in: "r2", &scene)
        #expect(scene.latest.contains(.play(.error)))
        #expect(scene.latest.contains(.note(.speechDropped(.agent, 1))))
        #expect(scene.creates.count == 1)
        #expect(scene.state == .listening)
    }

    @Test(arguments: Writing.allCases) func espeakSpeaksAnAnswerThatWasWrittenTwice(writing: Writing) {
        var scene = Scene.listening { $0.hasLastResort = true }
        scene.userTurn()
        scene.begin("r1")
        Self.write("Two meetings.", writing, in: "r1", &scene)
        scene.on(.timer(.retryResponse))
        #expect(scene.remarks == [ConversationMachine.writtenAnswer])
        scene.begin("r2", for: scene.creates.last)
        Self.write("Two meetings.", writing, in: "r2", &scene)
        #expect(scene.effects.filter { $0 == .answer("Two meetings.") }.count == 1)
        #expect(!scene.effects.contains(.play(.error)))
        #expect(scene.state == .listening)
    }

    @Test func espeakSpeaksAnAnswerThatMayNotBeRequestedAloud() {
        var scene = Scene.listening {
            $0.hasLastResort = true
            $0.capabilities.rewords = false
        }
        scene.userTurn()
        scene.begin("r1")
        Self.write("Two meetings.", .text, in: "r1", &scene)
        #expect(scene.effects.contains(.answer("Two meetings.")))
        #expect(!scene.effects.contains(.play(.error)))
    }

    @Test func espeakLeavesAnnouncementsToTheService() {
        var scene = Scene.listening { $0.hasLastResort = true }
        scene.on(.say("Dinner is ready."))
        #expect(!scene.effects.contains(.announce("Dinner is ready.")))
        #expect(scene.creates.count == 1)
    }

    @Test func writtenAnnouncementIsSpokenByTheLocalVoiceOnce() {
        var scene = Scene.listening { $0.hasLocalVoice = true }
        scene.on(.say("Dinner is ready."))
        scene.begin("r1", for: scene.creates.last)
        Self.write("Dinner is ready.", .transcript, in: "r1", &scene)
        #expect(scene.effects.count { $0 == .answer("Dinner is ready.") } == 1)
        #expect(scene.creates.count == 1)
        #expect(!scene.effects.contains(.play(.error)))
    }

    /// On servers that report the end of speech behind the answer.
    @Test func writtenAnswerBeforeTheEndOfSpeechIsSpoken() {
        var scene = Scene.listening { $0.hasLocalVoice = true }
        scene.server(.speechStarted(itemID: "i", audioStart: 0))
        scene.begin("r1")
        Self.write("Two meetings.", .transcript, in: "r1", &scene)
        #expect(scene.latest.contains(.answer("Two meetings.")))
        scene.server(.speechStopped(itemID: "i", audioEnd: 900))
        scene.on(LostQuestionTests.reset)
        #expect(!scene.latest.contains(.play(.error)), "the question is answered")
    }

    // MARK: Responses that fail

    /// The server apologises in its own words, and reports a failure.
    private static func fail(_ response: String, _ scene: inout Scene, saying words: String?) {
        scene.begin(response, for: scene.creates.last)
        if let words {
            scene.speak(response, item: "i" + response)
            scene.server(.spokenTranscript(responseID: response, itemID: "i" + response, text: words))
        }
        scene.done(response, .failed)
        scene.on(.voiceDrained)
        scene.on(.timer(.retryResponse))
    }

    @Test(arguments: ["I am having trouble.", nil], [true, false])
    func announcementHasAFallbackIfTheModelFails(apology: String?, hasLocalVoice: Bool) {
        var scene = Scene.listening { $0.hasLocalVoice = hasLocalVoice }
        scene.on(.say("Dinner is ready."))
        Self.fail("r1", &scene, saying: apology)
        #expect(scene.remarks.count == 2)
        Self.fail("r2", &scene, saying: apology)
        #expect(scene.remarks.count == 2)
        #expect(scene.effects.contains(hasLocalVoice ? .announce("Dinner is ready.") : .play(.error)))
        let line = hasLocalVoice ? ConversationNote.saidByLocalVoice(.announcement) : .speechDropped(.announcement, 1)
        #expect(scene.effects.contains(.note(line)))
        #expect(scene.state == .listening)
    }

    @Test func announcementSpokenBeforeTheFailureIsNotRepeated() {
        var scene = Scene.listening()
        scene.on(.say("Dinner is ready."))
        Self.fail("r1", &scene, saying: "Dinner is ready.")
        #expect(scene.remarks.count == 1)
        #expect(!scene.effects.contains(.play(.error)))
    }

    @Test(arguments: [true, false]) func agentAnswerHasAFallbackIfTheModelFails(hasLocalVoice: Bool) {
        var scene = Scene.calling { $0.hasLocalVoice = hasLocalVoice }
        scene.answer("c1", "Two meetings.")
        Self.fail("r2", &scene, saying: "I am having trouble.")
        #expect(scene.creates.count == 2)
        Self.fail("r3", &scene, saying: "I am having trouble.")
        #expect(scene.creates.count == 2)
        #expect(scene.effects.contains(hasLocalVoice ? .answer("Two meetings.") : .play(.error)))
        #expect(scene.state == .listening)
    }

    @Test func theWordsOfAFailedResponseAreNotCarriedOver() {
        var scene = Scene.listening { $0.sessions.carry = .turns }
        scene.say("r0", question: "What is on?", answer: "Two meetings.")
        scene.userTurn("second")
        scene.begin("r1")
        scene.server(.outputItemAdded(responseID: "r1", itemID: "unheard", kind: "message"))
        scene.server(.spokenTranscript(responseID: "r1", itemID: "unheard", text: "This stays unheard."))
        scene.done("r1", .failed)
        scene.on(LostQuestionTests.reset)
        scene.on(.timer(.reconnect), after: .seconds(1))
        scene.open()
        #expect(scene.texts(.assistant).first == "Two meetings.")
        #expect(!scene.texts(.assistant).contains("This stays unheard."))
    }

    @Test func localVoiceSpeaksTheTextOfAFailedResponse() {
        var scene = Scene.listening { $0.hasLocalVoice = true }
        scene.userTurn()
        for response in ["r1", "r2"] {
            scene.begin(response, for: scene.creates.last)
            scene.server(.outputItemAdded(responseID: response, itemID: response, kind: "message"))
            scene.server(.spokenTranscript(responseID: response, itemID: response, text: "Two meetings."))
            scene.done(response, .failed)
            scene.on(.timer(.retryResponse))
        }
        #expect(scene.effects.count { $0 == .answer("Two meetings.") } == 1)
    }

    // MARK: What cannot be said

    @Test func localVoiceSpeaksAnnouncementsLeftAtTheEnd() {
        var scene = Scene.listening { $0.hasLocalVoice = true }
        scene.userTurn()
        scene.on(.say("Dinner is ready."))
        scene.on(.deactivate)
        #expect(scene.latest.contains(.announce("Dinner is ready.")))
    }

    @Test func localVoiceSpeaksAnnouncementsWithoutTheService() {
        var scene = Scene.listening { $0.hasLocalVoice = true }
        scene.userTurn()
        scene.on(.say("Dinner is ready."))
        scene.on(LostQuestionTests.reset)
        #expect(scene.latest.contains(.announce("Dinner is ready.")))
    }

    @Test func speechWithoutAVoiceIsNotMissed() {
        var scene = Scene.listening()
        scene.server(.speechStarted(itemID: "i", audioStart: 0))
        scene.server(.speechStopped(itemID: "i", audioEnd: 900))
        scene.on(.turnWasSilent(itemID: "i"))
        scene.begin("r1")
        scene.done("r1")
        #expect(!scene.effects.contains(.play(.error)))
    }

    // MARK: No response at all

    @Test func unansweredQuestionIsReportedAfterATimeout() {
        var scene = Scene.listening { $0.responseLimit = .seconds(30) }
        scene.userTurn()
        #expect(scene.timer(.serverResponse) == .seconds(30))
        scene.on(.timer(.serverResponse))
        #expect(scene.latest.contains(.note(.noAnswer(after: .seconds(30)))))
        #expect(scene.latest.contains(.play(.error)))
        #expect(scene.state == .listening)
    }

    @Test func noiseIsNotAnsweredAndNotMissed() {
        var scene = Scene.listening()
        scene.userTurn("i")
        scene.server(.heardTranscript(itemID: "i", contentIndex: 0, text: " "))
        scene.on(.timer(.serverResponse))
        #expect(!scene.effects.contains(.play(.error)))
        #expect(scene.state == .listening)
    }

    /// Some servers report the end of speech behind the failure of the response to it.
    @Test func responseFailedBeforeTheEndOfSpeechIsRetried() {
        var scene = Scene.listening()
        scene.server(.speechStarted(itemID: "i", audioStart: 0))
        scene.begin("r1")
        scene.done("r1", .failed)
        scene.server(.speechStopped(itemID: "i", audioEnd: 900))
        #expect(scene.timer(.retryResponse) == .seconds(1))
        scene.on(.timer(.retryResponse))
        #expect(scene.creates.count == 1)
    }

    // MARK: When the user stopped

    @Test func turnIsMeasuredFromTheEndOfSpeech() {
        var scene = Scene.listening()
        scene.server(.speechStarted(itemID: "i", audioStart: 0))
        scene.on(.service(.userStopped(at: 900, ago: .seconds(2))), after: .seconds(3))
        scene.begin("r1")
        scene.call("c1", in: "r1")
        #expect(scene.timer(.thinking) == .zero, "the user has waited for two seconds")
        scene.on(.callDispatched(callID: "c1"), after: .zero)
        scene.done("r1")
        scene.answer("c1")
        scene.begin("r2", for: scene.creates.last)
        scene.speak("r2")
        scene.on(.voiceAudible(responseID: "r2"))
        scene.done("r2")
        scene.on(.voiceDrained)
        let report = scene.reports.first
        #expect(report.flatMap(\.dispatched).map { $0 >= .seconds(2) } == true, "\(String(describing: report))")
        #expect(report.flatMap(\.firstSample).map { $0 >= .seconds(2) } == true)
    }

    @Test func aCallOfAnEarlierTurnIsNotMeasuredByTheNext() {
        var scene = Scene.calling()
        scene.userTurn("second")
        scene.on(.callDispatched(callID: "c1"))
        scene.begin("r2")
        scene.speak("r2")
        scene.done("r2")
        scene.on(.voiceDrained)
        scene.server(.speechStarted(itemID: "third", audioStart: 0))
        #expect(scene.reports.allSatisfy { $0.dispatched.map { $0 >= .zero } ?? true }, "\(scene.reports)")
        #expect(scene.reports.last?.dispatched == nil)
    }

    @Test func droppedAnswerIsLoggedWithATone() {
        var scene = Scene.listening()
        scene.on(.service(.dropped(.agent)))
        #expect(scene.latest.contains(.note(.speechDropped(.agent, 1))) && scene.latest.contains(.play(.error)))
    }

    /// The tone comes after what was said, not into it.
    @Test func truncatedSentenceIsFollowedByATone() {
        var scene = Scene.listening()
        scene.userTurn()
        scene.begin("r1")
        scene.speak("r1")
        scene.done("r1", .incomplete, reason: "max_output_tokens")
        #expect(!scene.effects.contains(.play(.error)))
        scene.on(.voicePlayed(responseID: "r1", heard: 900, received: 900))
        scene.on(.voiceDrained)
        #expect(scene.effects.count { $0 == .play(.error) } == 1)
    }

    @Test func sentenceCutByTheUserHasNoTone() {
        var scene = Scene.listening()
        scene.userTurn()
        scene.begin("r1")
        scene.speak("r1")
        scene.on(.stop(isSpoken: false))
        scene.done("r1", .incomplete, reason: "max_output_tokens")
        scene.on(.voiceDrained)
        #expect(!scene.effects.contains(.play(.error)))
    }

    /// Also of a service that names no items and makes silent responses of its own.
    @Test(arguments: [true, false]) func wordsWithoutSoundAreMissedWithEveryService(hasLocalVoice: Bool) {
        var scene = Scene.listening {
            $0.capabilities.namesItems = false
            $0.capabilities.rewords = false
            $0.hasLocalVoice = hasLocalVoice
        }
        scene.userTurn()
        scene.begin("r1")
        scene.server(.spokenTranscript(responseID: "r1", itemID: "i", text: "It is ten."))
        scene.done("r1")
        #expect(scene.effects.contains(.note(.silentResponse(hadWords: true))))
        #expect(scene.effects.contains(hasLocalVoice ? .answer("It is ten.") : .play(.error)))
        scene.effects = []
        scene.userTurn("u2")
        scene.begin("r2")
        scene.done("r2")
        #expect(!scene.effects.contains(.play(.error)), "without words it was none")
    }
}
