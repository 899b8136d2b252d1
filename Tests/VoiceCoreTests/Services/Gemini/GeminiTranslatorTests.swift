import FoundationEssentials
import Testing

@testable import TestSupport
@testable import VoiceBase
@testable import VoiceConversation
@testable import VoiceGemini

struct GeminiTranslatorTests {
    // MARK: A turn

    @Test func replyToASpokenTurnIsOneResponseWithItsWords() {
        var scene = GeminiScene.live()
        scene.say("What time is it?")
        scene.speak("It is")
        scene.speak(" noon.")
        scene.receive(#"{"serverContent":{"generationComplete":true}}"#)
        #expect(scene.ends == [.completed], "the end is reported before the service's, which waits for the playback")
        scene.pass(400)
        scene.endTurn()
        #expect(scene.heard == ["What time is it?"])
        #expect(scene.spoken == ["It is noon."])
        #expect(scene.requests == ["-"])
        #expect(scene.played == 9600)
        #expect(scene.bills.count == 1)
    }

    @Test func wordsBehindTheReplyStillCountAsTheUsers() {
        var scene = GeminiScene.live()
        scene.pass(800, voice: true)
        scene.pass(760)
        scene.speak("It is noon.")
        scene.hear("What time is it?")
        scene.pass(1300)
        #expect(scene.heard == ["What time is it?"])
    }

    @Test func wordsWithoutAVoiceInTheRoomAreIgnored() {
        var scene = GeminiScene.live()
        scene.pass(2000)
        scene.hear("Open the door.")
        scene.pass(1500)
        #expect(scene.heard.isEmpty)
        #expect(scene.troubles == ["words_without_voice"])
    }

    @Test func emptyMessagesBeginNothing() {
        var scene = GeminiScene.live()
        for _ in 0..<50 {
            scene.receive("{}")
            scene.receive(#"{"serverContent":{}}"#)
        }
        #expect(scene.requests.isEmpty)
    }

    // MARK: Calls and late answers

    @Test func lateAnswerIsSentOnceToBeSaidWhenIdleAndSpokenForTheRequest() {
        var scene = GeminiScene.live()
        scene.say("Is the door open?")
        scene.call("fc_1")
        scene.speak("One moment.")
        scene.receive(#"{"serverContent":{"generationComplete":true}}"#)
        scene.pass(400)
        scene.endTurn()
        #expect(scene.calls.map(\.callID) == ["fc_1"])
        scene.pass(20_000)
        scene.ask(.answer(call: "fc_1", ToolResult(.answer("It is shut."))))
        scene.ask(.respond(id: "q1", mayCall: true))
        scene.pass(1000)
        scene.answer("It is shut.")
        #expect(scene.answers.map(\.scheduling) == [.whenIdle])
        #expect(scene.requests == ["-", "q1"])
        #expect(scene.texts.isEmpty, "the service says an answer without being told to")
        scene.pass(30_000)
        #expect(scene.answers.count == 1 && scene.texts.isEmpty && scene.troubles.isEmpty)
    }

    @Test func callAndItsFillerAreOneResponse() {
        var scene = GeminiScene.live()
        scene.say("Is the door open?")
        scene.speak("Let me see.")
        scene.call("fc_1")
        let began = scene.reports.compactMap { if case .responseBegan(let id, _) = $0 { id } else { nil } }
        let called = scene.reports.compactMap { if case .call(let id, _, _) = $0 { id } else { nil } }
        #expect(began.count == 1 && began == called)
    }

    @Test func callWithoutSpeechDoesNotKeepItsResponseOpen() {
        var scene = GeminiScene.live()
        scene.say("Is the door open?")
        scene.call("fc_1")
        scene.pass(1600)
        #expect(scene.ends == [.completed])
    }

    @Test func answerThatTheUserNeedNotHearIsSilent() {
        var scene = GeminiScene.live()
        scene.say("Louder.")
        scene.call("fc_1", "set_volume")
        scene.ask(.answer(call: "fc_1", ToolResult(.done("The volume is 60."), wantsReply: false)))
        #expect(scene.answers.map(\.scheduling) == [.silent])
    }

    @Test func serviceThatRefusesSchedulingGetsAnswersWithoutIt() {
        var start = GeminiStart(tag: "g")
        start.schedules = false
        var scene = GeminiScene.live(GeminiSettings(), start)
        scene.say("Louder.")
        scene.call("fc_1", "set_volume")
        scene.call("fc_2", "ask_jarvis")
        scene.ask(.answer(call: "fc_1", ToolResult(.done("The volume is 60."), wantsReply: false)))
        scene.ask(.answer(call: "fc_2", ToolResult(.answer("It is noon."))))
        #expect(scene.answers.map(\.scheduling) == [nil, nil])
        #expect(scene.answers.map(\.text) == ["[Do not mention: The volume is 60.]", "It is noon."])
        #expect(!scene.sent.map { String(decoding: $0.encoded, as: UTF8.self) }.joined().contains("scheduling"))
    }

    @Test func callRepeatedWithoutNewWordsIsAnsweredSilentlyAndNotRun() {
        var scene = GeminiScene.live()
        scene.say("Is anybody at the door?")
        scene.call("fc_1", query: "Is anybody at the door?")
        scene.pass(1000)
        scene.call("fc_2", query: "Is anyone at the door?")
        #expect(scene.calls.map(\.callID) == ["fc_1"])
        #expect(scene.answers.map(\.id) == ["fc_2"] && scene.answers.map(\.scheduling) == [.silent])
        scene.say("And in the garden?")
        scene.call("fc_3", query: "In the garden?")
        #expect(scene.calls.map(\.callID) == ["fc_1", "fc_3"])
    }

    @Test func sameCallIsMadeOnce() {
        var scene = GeminiScene.live()
        scene.say("Is the door open?")
        scene.call("fc_1")
        scene.ask(.answer(call: "fc_1", ToolResult(.answer("No."))))
        scene.call("fc_1")
        #expect(scene.calls.count == 1)
    }

    @Test func answerLeftUnsaidIsGivenOnceMoreAndThenFails() {
        var scene = GeminiScene.live()
        scene.say("Is the door open?")
        scene.call("fc_1")
        scene.ask(.answer(call: "fc_1", ToolResult(.answer("It is shut."))))
        scene.ask(.respond(id: "q1", mayCall: true))
        scene.pass(11_000)
        #expect(scene.texts.count == 1 && scene.texts[0].contains("It is shut."))
        scene.pass(30_000)
        #expect(scene.texts.count == 1)
        #expect(scene.troubles == ["nothing_said"])
        #expect(scene.ends.last == .failed, "the conversation says it in another way")
    }

    // MARK: Withdrawn calls

    @Test func withdrawnRunningCallIsToldAsText() {
        var scene = GeminiScene.live()
        scene.say("Lock the door.")
        scene.call("fc_1", query: "Lock the door.")
        scene.receive(#"{"toolCallCancellation":{"ids":["fc_1"]}}"#)
        #expect(scene.calls.map(\.callID) == ["fc_1"])
        #expect(scene.news.contains { $0.contains("it continues, and its result follows") })
        scene.ask(.answer(call: "fc_1", ToolResult(.answer("The door is locked."))))
        scene.ask(.respond(id: "q1", mayCall: true))
        scene.pass(3000)
        #expect(scene.answers.isEmpty, "the service ignores an answer to a withdrawn call")
        #expect(scene.texts == [#"[Jarvis has answered "Lock the door.": The door is locked. Tell the user.]"#])
    }

    @Test func callWithdrawnBeforeItBeganIsNeverMade() {
        var scene = GeminiScene.live()
        scene.say("Lock the door.")
        scene.pass(400, voice: true)
        scene.call("fc_1", query: "Lock the door.")
        scene.receive(#"{"toolCallCancellation":{"ids":["fc_1"]}}"#)
        scene.pass(4000)
        #expect(scene.calls.isEmpty)
        #expect(scene.news.contains { $0.contains("it had not begun") })
    }

    @Test func callThatArrivesWhileTheUserSpeaksIsMadeASecondLater() {
        var scene = GeminiScene.live()
        scene.say("Lock the door.")
        scene.pass(400, voice: true)
        scene.call("fc_1", query: "Lock the door.")
        #expect(scene.calls.isEmpty)
        scene.pass(1200, voice: true)
        #expect(scene.calls.map(\.callID) == ["fc_1"])
    }

    // MARK: Interruption

    @Test func interruptedAnswerIsDroppedAndItsHeardPartToldWithTheNextText() throws {
        var scene = GeminiScene.live()
        scene.say("Read me the news.")
        for word in ["One", " two", " three", " four", " five"] { scene.speak(word) }
        scene.pass(400)
        scene.pass(400, voice: true)
        #expect(scene.ends == [.cancelled])
        let played = scene.played
        scene.speak(" six")
        #expect(scene.played == played, "what the service had under way")
        scene.receive(#"{"serverContent":{"interrupted":true}}"#)
        scene.endTurn()
        let item = try #require(scene.lastItem)
        scene.ask(.truncate(item: item, part: 0, heard: 400, of: 1000))
        scene.ask(.ask("Go on."))
        scene.ask(.respond(id: "q1", mayCall: true))
        scene.pass(3000)
        #expect(scene.texts == [#"[The user heard your last answer only up to: "One two".] Go on."#])
        scene.answer("Three.")
        #expect(scene.spoken.last == "Three.")
        #expect(scene.requests.last == "q1")
    }

    @Test func noteOfWhatWasHeardGoesWithTheNextAnswerOfACall() throws {
        var scene = GeminiScene.live()
        scene.say("Read me the news.")
        for word in ["One", " two", " three"] { scene.speak(word) }
        scene.receive(#"{"serverContent":{"generationComplete":true}}"#)
        let item = try #require(scene.lastItem)
        scene.pass(400, voice: true)
        scene.ask(.truncate(item: item, part: 0, heard: 250, of: 600))
        scene.receive(#"{"serverContent":{"interrupted":true}}"#)
        scene.endTurn()
        scene.pass(800)
        scene.hear("What was that?")
        scene.call("fc_1")
        scene.ask(.answer(call: "fc_1", ToolResult(.answer("The news."))))
        #expect(scene.answers.map(\.text) == [#"[The user heard your last answer only up to: "One".] The news."#])
    }

    @Test func interruptionDuringThePlaybackAloneSilencesIt() {
        var scene = GeminiScene.live()
        scene.say("Read me the news.")
        scene.speak("One two three four.", milliseconds: 3000)
        scene.receive(#"{"serverContent":{"generationComplete":true}}"#)
        scene.pass(500)
        scene.forget()
        scene.receive(#"{"serverContent":{"interrupted":true}}"#)
        #expect(scene.reports.contains { if case .interrupted = $0 { true } else { false } })
    }

    @Test func interruptionOfNothingCutsNothing() {
        var scene = GeminiScene.live()
        scene.receive(#"{"serverContent":{"interrupted":true}}"#)
        scene.endTurn()
        scene.say("Hello?")
        scene.answer("Yes.")
        #expect(!scene.reports.contains { if case .interrupted = $0 { true } else { false } })
        #expect(scene.spoken == ["Yes."] && scene.closings.isEmpty)
    }

    @Test func noiseThatTheServiceDidNotHearCostsTheRestOfTheAnswerOnly() {
        var scene = GeminiScene.live()
        scene.say("Read me the news.")
        scene.speak("One two three.", milliseconds: 2000)
        scene.pass(400, voice: true)
        scene.speak(" Four.")
        scene.pass(2500)
        scene.speak(" Five.")
        #expect(scene.spoken == ["One two three."])
        scene.receive(#"{"serverContent":{"generationComplete":true}}"#)
        #expect(scene.spoken.last == "Five.")
    }

    @Test func stopOrderIsSentOnlyWhileTheModelGenerates() throws {
        for isGenerated in [false, true] {
            var scene = GeminiScene.live()
            scene.say("Read me the news.")
            scene.speak("One two three.", milliseconds: 2000)
            if isGenerated { scene.receive(#"{"serverContent":{"generationComplete":true}}"#) }
            scene.ask(.cancel(response: nil))
            #expect(scene.texts == (isGenerated ? [] : [GeminiTranslator.stopOrder]))
            guard !isGenerated else { continue }
            scene.speak(" Four.")
            scene.receive(#"{"serverContent":{"interrupted":true}}"#)
            scene.endTurn()
            // A filler about the order itself.
            scene.answer("Okay.")
            #expect(scene.spoken == ["One two three."])
            scene.say("Are you there?")
            scene.answer("Yes.")
            #expect(scene.spoken.last == "Yes.")
        }
    }

    // MARK: Texts

    @Test func textWaitsUntilTheServiceEndsItsTurnAndTheUserIsSilent() {
        var scene = GeminiScene.live()
        scene.say("Hello.")
        scene.speak("Good morning to you.", milliseconds: 1500)
        scene.receive(#"{"serverContent":{"generationComplete":true}}"#)
        scene.ask(.tell("Dinner is ready.", .exactly))
        scene.ask(.respond(id: "q1", mayCall: false))
        scene.pass(1000)
        #expect(scene.texts.isEmpty, "it would cut what still plays")
        scene.endTurn()
        #expect(scene.texts == ["[Say exactly this, and nothing else: Dinner is ready.]"])
        scene.answer("Dinner is ready.")
        #expect(scene.requests == ["-", "q1"])
    }

    @Test func turnWithoutEndDelaysTextByThreeSeconds() {
        var scene = GeminiScene.live()
        scene.say("Hello.")
        scene.speak("Good morning.")
        scene.receive(#"{"serverContent":{"generationComplete":true}}"#)
        scene.ask(.tell("Dinner is ready.", .say))
        scene.ask(.respond(id: "q1", mayCall: false))
        scene.pass(4000)
        #expect(scene.texts.count == 1)
    }

    private func report(_ text: String, isSpoken: Bool) -> ForeignReport {
        ForeignReport(name: "state", arguments: "{}", output: ToolResult(.answer(text)), isSpoken: isSpoken)
    }

    @Test func newsThatAreToBeToldGoUpWithTheWish() {
        var scene = GeminiScene.live()
        scene.ask(.inform(id: "n1", report("Rain is coming.", isSpoken: false)))
        scene.ask(.tell("Tell it to the user now.", .say))
        scene.ask(.respond(id: "q1", mayCall: false))
        #expect(scene.texts == ["[Tell it to the user now. The result: Rain is coming.]"])
    }

    @Test func textsOfOneRequestAreOneText() {
        var scene = GeminiScene.live()
        scene.ask(.inform(id: "n1", report("It rains.", isSpoken: true)))
        scene.ask(.inform(id: "n2", report("A door ] opened.", isSpoken: false)))
        scene.ask(.ask("What is new?"))
        scene.ask(.respond(id: "q1", mayCall: true))
        #expect(scene.texts.count == 1)
        let lines = scene.texts[0].split(separator: "\n").map(String.init)
        #expect(
            lines == [
                "[For you to know, not to be mentioned unless asked: A door ) opened.]",
                "[Jarvis has answered an earlier request: It rains. Tell the user.]", "What is new?",
            ]
        )
    }

    @Test func tooManyTextsAreCountedAndNotSent() {
        var scene = GeminiScene.live()
        for number in 0..<20 { scene.ask(.tell("Number \(number).", .say)) }
        #expect(scene.reports.count { if case .dropped = $0 { true } else { false } } == 4)
    }

    // MARK: Turns that fail

    @Test func unreadableCallIsAskedForOnceMore() {
        var scene = GeminiScene.live()
        scene.say("Ask Jarvis for the thing.")
        scene.endTurn(reason: "MALFORMED_FUNCTION_CALL")
        scene.pass(1000)
        #expect(scene.texts.count == 1 && scene.texts[0].contains("could not be read"))
        scene.endTurn(reason: "MALFORMED_FUNCTION_CALL")
        scene.pass(5000)
        #expect(scene.texts.count == 1)
    }

    @Test func filteredAnswerEndsIncompleteWithAWayOutAndKeepsTheSession() throws {
        var scene = GeminiScene.live()
        scene.say("Tell me something.")
        scene.endTurn(reason: "PROHIBITED_INPUT_CONTENT")
        let end = try #require(
            scene.reports.compactMap { if case .responseEnded(let end) = $0 { end } else { nil } }.last
        )
        #expect(end.status == .incomplete && end.reason?.contains("ask in other words") == true)
        #expect(scene.closings.isEmpty)
    }

    @Test func unansweredQuestionIsRepeatedOnceThenRenewed() {
        var scene = GeminiScene.live()
        scene.say("What time is it?")
        scene.endTurn()
        scene.pass(1000)
        #expect(scene.texts == ["What time is it?"])
        scene.endTurn()
        #expect(scene.closings == [.lost])
    }

    @Test func silenceToARemarkIsTheModelsDecision() {
        var scene = GeminiScene.live()
        scene.say("Thank you.")
        scene.endTurn()
        scene.pass(5000)
        #expect(scene.texts.isEmpty && scene.closings.isEmpty)
    }

    @Test func sessionThatReactsToNothingIsReplaced() {
        var scene = GeminiScene.live()
        for _ in 0..<3 {
            #expect(scene.closings.isEmpty)
            scene.pass(1000, voice: true)
            scene.pass(12_000)
        }
        #expect(scene.closings == [.lost])
    }

    // MARK: The connection's life

    @Test func historyGoesFirstAndTheMicrophoneAfterIt() {
        var scene = GeminiScene()
        scene.add(scene.translator.connected())
        scene.ask(.open(history: [.user("Hello."), .assistant("Yes?"), .end]))
        #expect(!scene.translator.isLive)
        scene.receive(#"{"setupComplete":{}}"#)
        #expect(scene.translator.isLive)
        #expect(scene.texts.count == 1 && scene.texts[0].hasPrefix("Hello. | Yes? | ["))
        let setup = String(decoding: scene.sent[0].encoded, as: UTF8.self)
        #expect(setup.contains("initialHistoryInClientContent"))
    }

    @Test func resumedSessionAnswersItsLostCallsBeforeAnythingElse() {
        var start = GeminiStart(tag: "g")
        start.handle = "h1"
        start.lostCalls = [GeminiCall(id: "fc_1", name: "ask_jarvis")]
        var scene = GeminiScene.live(GeminiSettings(), start, history: [.user("Hello.")])
        #expect(scene.answers.map(\.id) == ["fc_1"] && scene.answers.allSatisfy(\.isError))
        #expect(scene.texts.isEmpty, "it has its history")
        let report = ForeignReport(
            name: "ask_jarvis",
            arguments: #"{"query":"When?"}"#,
            output: ToolResult(.answer("At ten.")),
            isSpoken: true
        )
        scene.ask(.inform(id: "n1", report))
        scene.ask(.respond(id: "q1", mayCall: true))
        #expect(scene.texts.isEmpty, "the stale exchange would swallow it")
        scene.endTurn()
        #expect(scene.texts == [#"[Jarvis has answered "When?": At ten. Tell the user.]"#])
        scene.answer("At ten.")
        #expect(scene.requests == ["q1"] && scene.closings.isEmpty)
    }

    @Test func announcedEndIsALifetimeAndAReasonForTheNextSession() {
        var scene = GeminiScene.live()
        scene.receive(#"{"goAway":{"timeLeft":"50s"}}"#)
        #expect(scene.effects.contains(.lifetime(.seconds(50))))
        #expect(scene.reports.contains(.nearlyFull))
    }

    @Test func lossKnowsTheHandleTheOpenCallsAndTheUnbilledTurn() {
        var scene = GeminiScene.live()
        scene.receive(#"{"sessionResumptionUpdate":{"newHandle":"h1","resumable":true}}"#)
        scene.receive(#"{"sessionResumptionUpdate":{"newHandle":"h2","resumable":false}}"#)
        scene.say("What time is it?")
        scene.call("fc_1")
        scene.speak("One moment.", milliseconds: 1000)
        let loss = scene.translator.loss(isLost: true)
        #expect(loss.handle == "h1" && loss.openCalls.map(\.id) == ["fc_1"])
        #expect(loss.unbilled?.audioOut == 25)
    }

    /// The service may have lost the answer, and would wait for it.
    @Test func answerWithoutASignOfTheServiceIsOpenWhenTheConnectionIsLost() {
        var scene = GeminiScene.live()
        scene.say("What time is it?")
        scene.call("fc_1")
        scene.ask(.answer(call: "fc_1", ToolResult(.answer("It is noon."))))
        #expect(scene.translator.loss(isLost: true).openCalls.map(\.id) == ["fc_1"])
        scene.speak("It is noon.")
        #expect(scene.translator.loss(isLost: true).openCalls.isEmpty)
    }

    @Test func sessionThatOnlyWritesDownTheUsersWordsIsReplaced() {
        var scene = GeminiScene.live()
        scene.say("Open the blinds.")
        scene.pass(10_500)
        #expect(scene.texts == ["Open the blinds."])
        scene.pass(25_000)
        #expect(scene.closings == [.lost])
    }

    @Test func modelThatDecidesToSayNothingIsLeftAlone() {
        var scene = GeminiScene.live()
        scene.say("I think I will go.")
        scene.endTurn()
        scene.pass(40_000)
        #expect(scene.texts.isEmpty && scene.closings.isEmpty)
    }

    @Test func soundCutWithinASampleIsJoined() {
        var translator = GeminiTranslator(GeminiSettings(), GeminiStart(tag: "g"))
        let downlink = Downlink()
        _ = translator.connected()
        _ = translator.ask(.open(history: []), at: .zero)
        var played: [Int16] = []
        func read(_ text: String) {
            _ = Array(text.utf8).withUnsafeBytes { translator.read($0, downlink, at: .zero) }
        }
        read(#"{"setupComplete":{}}"#)
        let sound: [UInt8] = (0..<600).flatMap { [UInt8(truncatingIfNeeded: $0), 0x10] }
        for piece in [sound[..<401], sound[401..<802], sound[802...]] {
            let data = Base64.text(Array(piece))
            read(#"{"serverContent":{"modelTurn":{"parts":[{"inlineData":{"data":"\#(data)"}}]}}}"#)
            played += downlink.samples
        }
        #expect(played == (0..<600).map { Int16(0x1000 + ($0 & 0xFF)) })
    }

    @Test func onlyFiltersAreCalledFilters() {
        for (reason, isFiltered) in [("MAX_TOKENS", false), ("RESPONSE_REJECTED", false), ("SAFETY", true)] {
            var scene = GeminiScene.live()
            scene.say("Tell me.")
            scene.speak("Well,")
            scene.endTurn(reason: reason)
            let reasons = scene.reports.compactMap { report in
                if case .responseEnded(let end) = report { end.reason } else { nil }
            }
            #expect(reasons.map { $0.contains("filter") } == [isFiltered], "\(reasons)")
        }
    }

    // MARK: Money

    @Test func turnWithoutABillIsChargedByItsSoundWhenTheNextBegins() {
        var scene = GeminiScene.live()
        scene.say("What time is it?")
        scene.speak("It is noon.", milliseconds: 2000)
        scene.receive(#"{"serverContent":{"turnComplete":true}}"#)
        #expect(scene.bills.isEmpty, "it may come late")
        scene.pass(3000)
        scene.say("And now?")
        scene.speak("The same.")
        #expect(scene.bills.map(\.audioOut) == [50])
    }

    @Test func thoughtsAndTheWholeContextAreChargedWithEachTurn() {
        var scene = GeminiScene.live()
        for turn in 1...2 {
            scene.say("Turn \(turn)")
            scene.speak("Yes.")
            scene.receive(
                """
                {"serverContent":{"turnComplete":true},"usageMetadata":{"promptTokenCount":626,"responseTokenCount":60,\
                "promptTokensDetails":[{"modality":"TEXT","tokenCount":312},{"modality":"AUDIO","tokenCount":287}],\
                "responseTokensDetails":[{"modality":"AUDIO","tokenCount":50}],"thoughtsTokenCount":40}}
                """
            )
        }
        let turn = Usage(textIn: 339, audioIn: 287, textOut: 50, audioOut: 50)
        #expect(scene.bills == [turn, turn])
        // In dollars: 339 x 0.75 + 287 x 3 + 50 x 4.50 + 50 x 12, per million.
        #expect(GeminiService.prices(Configuration()).cost(of: turn) == 1941)
    }

    /// Turns of four seconds of speech and six of answer, with 400 tokens of instructions and 40 of thoughts; each reads all before it.
    @Test(arguments: [(turns: 3, cents: 1.0), (turns: 10, cents: 6.0), (turns: 30, cents: 41.0)])
    func billOfAConversationGrowsWithItsContext(turns: Int, cents: Double) throws {
        var scene = GeminiScene.live()
        var context = 0
        for turn in 1...turns {
            context += 100
            scene.say("Turn \(turn)")
            scene.speak("Yes.", milliseconds: 6000)
            scene.receive(
                """
                {"serverContent":{"turnComplete":true},"usageMetadata":{"promptTokenCount":\(400 + context),\
                "responseTokenCount":150,"promptTokensDetails":[{"modality":"AUDIO","tokenCount":\(context)}],\
                "responseTokensDetails":[{"modality":"AUDIO","tokenCount":150}],"thoughtsTokenCount":40}}
                """
            )
            context += 150
            scene.pass(7000)
        }
        let prices = GeminiService.prices(Configuration())
        let spent = Double(scene.bills.reduce(0) { $0 + prices.cost(of: $1) }) / 10_000
        #expect(scene.bills.count == turns)
        #expect(abs(spent - cents) <= 0.02 * cents + 0.01, "\(spent) cents")
    }
}
