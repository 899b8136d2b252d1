import Testing

@testable import TestSupport
@testable import VoiceBase
@testable import VoiceConversation
@testable import VoiceDatagrid

/// Datagrid's messages, and requests to it, in terms of the conversation.
struct DatagridTranslatorTests {
    // MARK: Opening

    @Test func sessionIsReadyOnceTheServiceConfirms() {
        var scene = DatagridScene()
        scene.add(scene.translator.connected())
        #expect(scene.reports == [.opened(id: nil, ends: nil)])
        scene.ask(.open(history: []))
        #expect(scene.sent == [.start(DatagridSettings(), conversation: nil)])
        scene.receive(.started(session: "s1", conversation: "conv_1"))
        #expect(scene.effects.contains(.own("conv_1")))
        #expect(scene.reports.count == 1)
        scene.receive(.ready)
        #expect(scene.reports.last == .ready(ServiceReadiness(id: "s1")))
    }

    @Test func startOfTheHandOffIsSentUnchanged() {
        var scene = DatagridScene(DatagridTranslator(DatagridSettings(), given: [1, 2, 3]))
        scene.ask(.open(history: []))
        #expect(scene.sent == [.startAsGiven([1, 2, 3])])
    }

    @Test(arguments: [
        ("invalid_api_key", "No.", ErrorClass.account), ("error", "Your credits are used up.", .account),
        ("bad_request", "There is no such agent.", .configuration), ("rate_limited", "rate limit", .limited),
    ])
    func anErrorBeforeTheStartIsFinal(code: String, text: String, meaning: ErrorClass) {
        var scene = DatagridScene()
        scene.ask(.open(history: []))
        scene.receive(.error(code: code, text: text))
        #expect(scene.troubles.map(\.meaning) == [meaning])
    }

    /// A conversation that the service has forgotten must not lock out the user.
    @Test func forgottenConversationIsReplaced() {
        var scene = DatagridScene(DatagridTranslator(DatagridSettings(), conversation: "conv_1"))
        scene.ask(.open(history: []))
        #expect(scene.sent == [.start(DatagridSettings(), conversation: "conv_1")])
        scene.receive(.error(code: "not_found", text: "There is no such conversation."))
        #expect(scene.troubles.isEmpty && scene.closings == [.lost])
        #expect(scene.effects.contains(.own(nil)))
    }

    // MARK: A turn and its answer

    @Test func turnIsDetectedLocallyAndItsAnswerEndsWithPlayback() {
        var scene = DatagridScene.live()
        scene.forget()
        scene.pass(800, voice: true)
        scene.pass(800)
        #expect(scene.turns == 1)
        scene.hear("What is")
        scene.hear(" on today?")
        scene.sound()
        scene.speak("Two")
        scene.sound()
        scene.speak(" meetings.")
        // Even if nothing more arrives: the answer is still playing.
        scene.pass(5000)
        #expect(scene.ends.isEmpty)
        scene.isPlaying = false
        scene.pass(700)
        #expect(scene.ends == [.completed])
        #expect(scene.heardWhole == ["What is on today?"])
        #expect(scene.spoken == ["Two meetings."])
        #expect(scene.played == 2)
        #expect(scene.sent.isEmpty)
    }

    @Test func pauseDoesNotEndTheAnswer() {
        var scene = DatagridScene.live()
        for _ in 0..<4 {
            scene.sound()
            scene.isPlaying = false
            scene.pass(600)
        }
        #expect(scene.ends.isEmpty)
        scene.pass(400)
        #expect(scene.ends == [.completed])
    }

    /// The words of an answer often arrive before its audio.
    @Test func earlyWordsBelongToTheFollowingSound() {
        var scene = DatagridScene.live()
        scene.speak("Two ")
        scene.speak("meetings.")
        scene.sound()
        scene.isPlaying = false
        scene.pass(1000)
        #expect(scene.spoken == ["Two meetings."])
    }

    @Test func lateWordsBelongToTheLastTurn() {
        var scene = DatagridScene.live()
        scene.pass(800, voice: true)
        scene.pass(800)
        scene.sound()
        scene.hear("What is on?")
        scene.isPlaying = false
        scene.pass(2000)
        #expect(scene.heardWhole == ["What is on?"] && scene.turns == 1)
    }

    @Test func wordsWithoutAVoiceAreIgnoredAndReportedOnce() {
        var scene = DatagridScene.live()
        scene.pass(3000)
        scene.forget()
        scene.hear("Open the door.")
        scene.hear(" Now.")
        #expect(scene.troubles.map(\.name) == ["words_without_voice"])
        #expect(scene.reports.count == 1)
    }

    /// A word too short to be distinguished from noise is a turn once the service has recognised it.
    @Test func aShortWordIsATurn() {
        var scene = DatagridScene.live()
        scene.pass(1000)
        scene.pass(60, voice: true)
        scene.pass(900)
        #expect(scene.turns == 0)
        scene.hear("Yes.")
        scene.pass(1500)
        #expect(scene.turns == 1 && scene.heardWhole == ["Yes."])
    }

    @Test func finalTranscriptReplacesTheEarlierWords() {
        var scene = DatagridScene.live()
        scene.pass(800, voice: true)
        scene.pass(800)
        scene.hear("What's on")
        scene.sound()
        scene.speak("To meetings")
        scene.receive(
            .ended(credits: 2, transcript: [DatagridLine(.user, "What is on?"), DatagridLine(.agent, "Two meetings.")])
        )
        #expect(scene.heardWhole == ["What is on?"] && scene.spoken == ["Two meetings."])
        #expect(scene.ends == [.completed])
    }

    // MARK: Interruption

    @Test func bargeInIsSentOnceAndDropsTheRestOfTheAnswer() {
        var scene = DatagridScene.live()
        scene.sound()
        scene.speak("Once upon a time")
        scene.pass(400)
        scene.forget()
        scene.pass(400, voice: true)
        #expect(scene.sent == [.interrupt])
        #expect(scene.ends == [.cancelled])
        scene.sound()
        scene.speak(" there was")
        #expect(scene.played == 0, "the rest of the old answer")
        scene.receive(.interrupted)
        scene.pass(600, voice: true)
        #expect(scene.sent == [.interrupt], "once for each decision")
        // The next answer is played.
        scene.pass(900)
        scene.sound()
        #expect(scene.played == 1)
        #expect(!scene.reports.contains { if case .interrupted = $0 { true } else { false } })
    }

    @Test func unansweredInterruptHoldsAudioOnlyBriefly() {
        var scene = DatagridScene.live()
        scene.sound()
        scene.pass(200)
        scene.pass(400, voice: true)
        scene.forget()
        scene.pass(1000)
        scene.sound()
        #expect(scene.played == 0)
        scene.pass(600)
        scene.sound()
        #expect(scene.played == 1)
        // Its late reply does not concern the current answer.
        scene.receive(.interrupted)
        #expect(scene.ends.isEmpty)
    }

    @Test func answerCutByTheServiceIsNotPlayed() {
        var scene = DatagridScene.live()
        scene.sound()
        scene.forget()
        scene.receive(.interrupted)
        guard case .interrupted(let response)? = scene.reports.first else {
            Issue.record("\(scene.reports)")
            return
        }
        #expect(scene.reports.last == .responseEnded(ResponseEnd(response: response, status: .cancelled)))
        #expect(scene.sent.isEmpty)
        scene.forget()
        scene.receive(.interrupted)
        #expect(scene.reports.isEmpty, "nothing is being said")
    }

    @Test func shortSoundDoesNotInterrupt() {
        var scene = DatagridScene.live()
        scene.sound()
        scene.pass(200)
        scene.forget()
        scene.pass(160, voice: true)
        scene.pass(400)
        #expect(scene.sent.isEmpty && scene.ends.isEmpty)
    }

    @Test func cancelSendsAnInterrupt() {
        var scene = DatagridScene.live()
        scene.ask(.cancel(response: nil))
        #expect(scene.troubles.map(\.meaning) == [.noActiveResponse])
        scene.sound()
        scene.ask(.cancel(response: nil))
        #expect(scene.sent.last == .interrupt && scene.ends == [.cancelled])
    }

    // MARK: The service's own tools

    @Test func toolNewsAnnouncesAnAnswer() {
        var scene = DatagridScene.live()
        scene.forget()
        scene.receive(.tool(name: "search", status: "started"))
        #expect(scene.reports.first == .toolNews(tool: "search", status: "started"))
        #expect(scene.reports.contains { if case .responseBegan = $0 { true } else { false } })
        scene.pass(40_000)
        #expect(scene.ends.isEmpty, "it works")
        scene.receive(.tool(name: "search", status: "completed"))
        scene.sound()
        scene.isPlaying = false
        scene.pass(1000)
        #expect(scene.ends == [.completed])
        #expect(scene.reports.count { if case .responseBegan = $0 { true } else { false } } == 1)
    }

    /// The service detects the end of a turn sooner than the daemon does: what it begins answers that turn.
    @Test func startedToolEndsTheTurn() {
        var scene = DatagridScene.live()
        scene.pass(800, voice: true)
        scene.pass(300)
        scene.forget()
        scene.receive(.tool(name: "search", status: "started"))
        let stopped = scene.reports.firstIndex { if case .userStopped = $0 { true } else { false } }
        let begun = scene.reports.firstIndex { if case .responseBegan = $0 { true } else { false } }
        #expect(stopped ?? 9 < begun ?? 0, "\(scene.reports)")
        scene.pass(1000)
        #expect(scene.turns == 1)
    }

    @Test func endlessToolTimesOut() {
        var scene = DatagridScene.live()
        scene.receive(.tool(name: "search", status: "started"))
        scene.pass(130_000)
        #expect(scene.ends == [.completed])
    }

    /// Two minutes from its start, not from the last answer.
    @Test func endlessToolDoesNotBlockLaterAnswers() {
        var scene = DatagridScene.live()
        scene.receive(.tool(name: "search", status: "started"))
        for _ in 0..<4 {
            scene.pass(28_000)
            scene.sound()
            scene.isPlaying = false
            scene.pass(1000)
        }
        scene.pass(6000)
        let begun = scene.reports.count { if case .responseBegan = $0 { true } else { false } }
        #expect(scene.ends.count == begun, "another answer is waited for")
    }

    // MARK: Text

    @Test func typedQuestionIsAnsweredUnderItsRequest() {
        var scene = DatagridScene.live()
        scene.forget()
        scene.ask(.ask("What is on?"))
        #expect(scene.sent.isEmpty, "not before it is asked to answer")
        scene.ask(.respond(id: "respond-1", mayCall: true))
        #expect(scene.sent == [.text("What is on?")])
        guard case .responseBegan(let response, "respond-1")? = scene.reports.first else {
            Issue.record("\(scene.reports)")
            return
        }
        scene.sound()
        #expect(scene.reports.contains { if case .speaks(response, _) = $0 { true } else { false } })
    }

    @Test func unsupportedRequestsAreNotSent() {
        let requests: [ServiceRequest] = [
            .recall(.user("Hello")), .answer(call: "c", "t"), .tell("t", .exactly),
            .inform(id: "n", ForeignReport(name: "ask_jarvis", arguments: "{}", output: "o")),
            .truncate(item: "i", part: 0, heard: 1, of: 2), .forget(item: "i"), .clearInput,
        ]
        var scene = DatagridScene.live()
        scene.forget()
        for request in requests {
            #expect(!request.isTaken(by: .datagrid), "\(request)")
            scene.ask(request)
        }
        #expect(scene.sent.isEmpty)
        #expect(ServiceRequest.ask("What?").isTaken(by: .datagrid))
    }

    // MARK: The end

    @Test func closingSessionIsReadToItsEnd() {
        var scene = DatagridScene.live()
        scene.ask(.close)
        #expect(scene.sent.last == .stop)
        scene.receive(.error(code: "late", text: "Late."))
        #expect(scene.closings.isEmpty)
        scene.receive(.ended(credits: 2, transcript: []))
        #expect(scene.closings == [.asked])
    }

    @Test func sessionEndedByTheServiceIsReplaced() {
        var young = DatagridScene.live()
        young.receive(.ended(credits: nil, transcript: []))
        #expect(young.closings == [.lost], "not at once, lest it go on and on")
        var old = DatagridScene.live()
        old.pass(61_000)
        old.receive(.ended(credits: 7, transcript: []))
        #expect(old.closings == [.expired])
        old.receive(.ready)
        #expect(old.closings.count == 1, "no report follows")
    }

    @Test func errorDuringASessionEndsIt() {
        var scene = DatagridScene.live()
        scene.receive(.error(code: "model_error", text: "The model is gone."))
        #expect(scene.closings == [.lost])
        var silent = DatagridScene.live()
        silent.receive(.error(code: "client_silence_timeout", text: "No speech."))
        #expect(silent.closings == [.expired] && silent.troubles.isEmpty)
    }

    // MARK: Secrets

    /// The service's texts may quote the address, and with it the key.
    @Test func reportsDoNotContainTheKey() throws {
        let key = try #require(Secret("dg_live_canary/1"))
        let redactor = Redactor([key])
        let quote = "wss://h/ws/voice?token=dg_live_canary/1 is refused\n"
        var reports: [ServiceReport] = []
        var start = DatagridScene(DatagridTranslator(DatagridSettings(), redactor: redactor))
        start.ask(.open(history: []))
        start.receive(.error(code: quote, text: quote))
        reports += start.reports
        var scene = DatagridScene.live(DatagridTranslator(DatagridSettings(), redactor: redactor))
        scene.receive(.unknown(type: quote))
        scene.receive(.tool(name: quote, status: quote))
        scene.add(scene.translator.unplayable(quote))
        scene.receive(.error(code: quote, text: quote))
        reports += scene.reports
        #expect(reports.count > 6)
        for report in reports { #expect(!"\(report)".contains("canary"), "\(report)") }
    }

    // MARK: Progress

    enum Message: CaseIterable {
        case noWords, noSound, sameTool
    }

    /// A message a second without words, sound or news of a tool.
    @Test(arguments: Message.allCases)
    func messagesWithoutProgressDoNotProlongAnAnswer(message: Message) {
        var scene = DatagridScene.live()
        if message == .sameTool { scene.receive(.tool(name: "search", status: "started")) } else { scene.sound() }
        scene.isPlaying = false
        for _ in 0..<150 {
            scene.pass(500)
            switch message {
            case .noWords: scene.speak("")
            case .noSound: scene.add(scene.translator.sound(at: scene.now, isSilent: true))
            case .sameTool: scene.receive(.tool(name: "search", status: "started"))
            }
            scene.pass(500)
        }
        #expect(scene.ends == [.completed])
        #expect(scene.reports.count { if case .responseBegan = $0 { true } else { false } } == 1)
    }
}
