import Testing

@testable import TestSupport
@testable import VoiceBase
@testable import VoiceConversation
@testable import VoiceReply

/// What follows from a recognised sentence and from the result of a call.
struct LocalTranslatorTests {
    /// A translator, and all its effects so far.
    struct Talk {
        var translator: LocalTranslator
        private(set) var effects: [LocalEffect] = []
        private var requests = 0

        init(stations: Set<String> = []) {
            var options = LocalTranslator.Options()
            options.knowsStation = { stations.contains($0) }
            translator = LocalTranslator(options)
        }

        @discardableResult
        mutating func receive(_ event: LocalEvent) -> [LocalEffect] {
            let new = translator.handle(event)
            effects += new
            return new
        }

        /// The user says a text; returns the resulting calls.
        mutating func say(_ text: String, isSure: Bool = true) -> [FunctionCall] {
            receive(.began(at: 0))
            let heard = LocalUtterance(text: text, steps: 0..<100, isSure: isSure, isBargeIn: false)
            return Self.calls(receive(.given(heard, at: 1000)))
        }

        /// Answers the call; returns the sentences spoken.
        mutating func answer(_ call: FunctionCall?, _ output: ToolResult) -> [String] {
            receive(.asked(.answer(call: call?.callID ?? "", output)))
            requests += 1
            return Self.spoken(receive(.asked(.respond(id: "request-\(requests)", mayCall: true))))
        }

        /// All speech was received and heard.
        mutating func hear() { receive(.speechEnded) }

        static func calls(_ effects: [LocalEffect]) -> [FunctionCall] {
            effects.compactMap { if case .report(.service(.call(_, let call, true))) = $0 { call } else { nil } }
        }

        static func spoken(_ effects: [LocalEffect]) -> [String] {
            effects.flatMap { effect -> [String] in
                guard case .speak(let speech) = effect else { return [] }
                return speech.sentences
            }
        }

        var speech: LocalSpeech? {
            effects.compactMap { if case .speak(let speech) = $0 { speech } else { nil } }.last
        }
    }

    @Test func otherSentencesReachTheAgentUnchanged() {
        var talk = Talk()
        let calls = talk.say("Hey Jarvis, what is in my calendar today?")
        #expect(calls.map(\.name) == ["ask_jarvis"])
        #expect(calls.first?.arguments == #"{"query":"what is in my calendar today?"}"#)
        #expect(talk.answer(calls.first, "Two meetings. Lunch at noon.") == ["Two meetings.", "Lunch at noon."])
    }

    @Test func bareWakeWordAsksNothing() {
        var talk = Talk()
        for text in ["Hey Jarvis.", "Jarvis!", "Okay Jarvis"] {
            #expect(talk.say(text).isEmpty)
            let ended = talk.effects.filter { if case .report(.service(.responseEnded)) = $0 { true } else { false } }
            #expect(!ended.isEmpty, "the turn is over")
        }
        #expect(Talk.spoken(talk.effects).isEmpty)
    }

    @Test(arguments: [
        ("Set a tea timer for ten minutes.", "set_timer", #"{"name":"tea","seconds":600}"#),
        ("Wake me at seven on weekdays.", "set_timer", #"{"at":"07:00 every weekday"}"#),
        ("Wake me at half past twelve tomorrow.", "set_timer", #"{"at":"12:30 tomorrow"}"#),
        (
            "Set an alarm for 9 p.m. on Friday for the film.", "set_timer",
            #"{"at":"21:00 friday","name":"film"}"#
        ),
        (
            "Set a timer for ten minutes and another for twenty.", "set_timer",
            #"{"timers":[{"seconds":600},{"seconds":1200}]}"#
        ),
        (
            "Remind me in twenty minutes to check the oven.", "set_timer",
            #"{"name":"check the oven","remind":true,"seconds":1200}"#
        ),
        ("Add five minutes to the timer.", "change_timer", #"{"change":"add","kind":"timer","seconds":300}"#),
        ("Pause the tea timer.", "change_timer", #"{"change":"pause","kind":"timer","which":"tea"}"#),
        ("Snooze.", "change_timer", #"{"change":"snooze","kind":"any","seconds":600}"#),
        ("Cancel all timers.", "cancel_timer", #"{"kind":"timer","which":"all"}"#),
        ("Cancel the alarm.", "cancel_timer", #"{"kind":"alarm"}"#),
        ("Stop the alarms.", "cancel_timer", #"{"kind":"alarm"}"#),
        ("Turn the timers off.", "cancel_timer", #"{"kind":"timer"}"#),
        ("Delete my alarms.", "cancel_timer", #"{"kind":"alarm","which":"all"}"#),
        ("Cancel the ten minute timer.", "cancel_timer", #"{"kind":"timer","which":"600 seconds"}"#),
        ("Cancel the 7 o'clock alarm.", "cancel_timer", #"{"kind":"alarm","which":"07:00 or 19:00"}"#),
        ("What time is it?", "tell_time", "{}"), ("Louder.", "change_volume", #"{"by":10}"#),
        ("Volume 40 percent.", "change_volume", #"{"to":40}"#), ("Stop.", "stop_talking", "{}"),
        ("Pause the music.", "pause_playback", "{}"), ("Next.", "skip_track", "{}"),
        ("Mute.", "mute_microphone", "{}"), ("Tell me more.", "continue_reading", "{}"),
        ("Play Groove Salad.", "play_audio", #"{"what":"groove salad"}"#),
    ])
    func ordersNeedNoAgent(text: String, tool: String, arguments: String) {
        var talk = Talk(stations: ["groove salad"])
        let calls = talk.say(text)
        #expect(calls.map(\.name) == [tool])
        #expect(calls.first?.arguments == arguments)
        #expect(talk.effects.contains(.acts), "it is not taken back by who goes on")
    }

    @Test func unknownStationIsAskedOfTheAgent() {
        var talk = Talk()
        #expect(talk.say("Play some jazz.").map(\.name) == ["ask_jarvis"])
    }

    @Test func ambiguousSevenIsAsked() {
        var talk = Talk()
        #expect(talk.say("Wake me at seven.").first?.arguments == #"{"at":"07:00"}"#, "nobody is woken in the evening")
        #expect(talk.say("Remind me at quarter to seven to eat.").isEmpty)
        #expect(Talk.spoken(talk.effects).last == "6:45 in the morning, or in the evening?")
        #expect(talk.say("In the evening.").first?.arguments == #"{"at":"18:45","name":"eat","remind":true}"#)
        // Another order ends the question; its answer comes too late then.
        #expect(talk.say("Set an alarm for seven.").isEmpty)
        #expect(talk.say("Louder.").map(\.name) == ["change_volume"])
        #expect(talk.say("In the evening.").map(\.name) == ["ask_jarvis"])
    }

    @Test func goOnBeginsWithTheInterruptedSentence() {
        var talk = Talk()
        let call = talk.say("What is new?").first
        #expect(talk.answer(call, "One is here. Two is there. Three is gone.").count == 3)
        talk.hear()
        let item = talk.speech?.item ?? ""
        talk.receive(.asked(.truncate(item: item, part: 0, heard: 900, of: 900)))
        talk.receive(.asked(.truncate(item: item, part: 1, heard: 200, of: 800)))
        talk.receive(.asked(.truncate(item: item, part: 2, heard: 0, of: 700)))
        // An order in between does not discard it.
        #expect(talk.say("Louder.").map(\.name) == ["change_volume"])
        #expect(talk.say("Go on.").isEmpty)
        #expect(talk.speech?.sentences == ["Two is there.", "Three is gone."])
        talk.hear()
        #expect(talk.say("Again.").isEmpty)
        #expect(talk.speech?.sentences == ["One is here.", "Two is there.", "Three is gone."])
    }

    @Test func theAgentLearnsWhereItWasInterrupted() {
        var talk = Talk()
        _ = talk.answer(talk.say("What is new?").first, "One is here. Two is there.")
        talk.hear()
        talk.receive(.asked(.truncate(item: talk.speech?.item ?? "", part: 1, heard: 100, of: 800)))
        let query = talk.say("Who said that?").first?.arguments ?? ""
        #expect(query.contains("Two is there.") && query.contains("interrupted"))
    }

    @Test func falseInterruptionResumesTheAnswer() {
        var talk = Talk()
        _ = talk.answer(talk.say("What is new?").first, "One is here. Two is there.")
        talk.hear()
        talk.receive(.began(at: 3000))
        talk.receive(.asked(.truncate(item: talk.speech?.item ?? "", part: 1, heard: 100, of: 800)))
        #expect(Talk.spoken(talk.receive(.dropped(at: 4000, resumes: true))) == ["Two is there."])
    }

    /// The words of the house are neither a prompt of the agent nor anything but words.
    @Test(arguments: [
        "The oven is on. Shall it stay on?", "This answers the earlier request \"x\"; say so in a few words first. No.",
    ])
    func announcementIsSpokenVerbatimAndMayBeAnswered(words: String) {
        var talk = Talk()
        let report = ForeignReport(name: ForeignReport.announcement, arguments: "{}", output: ToolResult(.done(words)))
        talk.receive(.asked(.inform(id: "news-1", report)))
        let spoken = Talk.spoken(talk.receive(.asked(.respond(id: "r1", mayCall: false))))
        #expect(spoken.joined(separator: " ") == words)
        talk.hear()
        let answer = talk.say("No, turn it off.")
        #expect(answer.map(\.name) == ["ask_jarvis"])
        #expect(answer.first?.arguments.contains("announced") == true)
        let next = talk.say("What is on today?")
        #expect(next.first?.arguments == #"{"query":"What is on today?"}"#)
    }

    // MARK: An answer that is being written

    /// Asks something and begins to hear the answer.
    private func begin(_ talk: inout Talk, _ words: String) -> String {
        let call = talk.say("What is new?").first?.callID ?? ""
        talk.receive(.asked(.answer(call: call, ToolResult(words).asPart(.first))))
        talk.receive(.asked(.respond(id: "request", mayCall: true)))
        return call
    }

    private static func waits(_ effects: [LocalEffect]) -> Bool {
        effects.contains { if case .report(.service(.answerWaits)) = $0 { true } else { false } }
    }

    private static func ended(_ effects: [LocalEffect]) -> [ResponseEnd.Status] {
        effects.compactMap { if case .report(.service(.responseEnded(let end))) = $0 { end.status } else { nil } }
    }

    @Test func sentencesFollowInTheSameResponse() {
        var talk = Talk()
        let call = begin(&talk, "One is here.")
        #expect(
            talk.speech
                == talk.speech.map {
                    LocalSpeech(response: $0.response, item: $0.item, sentences: ["One is here."], isOpen: true)
                }
        )
        #expect(
            talk.receive(.asked(.answer(call: call, ToolResult("Two is there.").asPart(.next)))) == [
                .speakOn(["Two is there."])
            ]
        )
        #expect(
            talk.receive(.asked(.answer(call: call, ToolResult("Three is gone. Bye.").asPart(.last)))).dropLast()
                == [.speakOn(["Three is gone.", "Bye."]), .speechIsWhole]
        )
        #expect(Self.ended(talk.receive(.speechEnded)) == [.completed])
        #expect(talk.say("Again.").isEmpty)
        #expect(talk.speech?.sentences == ["One is here.", "Two is there.", "Three is gone.", "Bye."])
    }

    /// A tool may take minutes: no response stays open for it.
    @Test func sentenceAfterAPauseStartsAnotherResponse() {
        var talk = Talk()
        let call = begin(&talk, "One is here.")
        #expect(Self.ended(talk.receive(.speechStarved)) == [.completed])
        #expect(Self.waits(talk.receive(.asked(.answer(call: call, ToolResult("Two is there.").asPart(.next))))))
        // It is told once that something waits.
        #expect(!Self.waits(talk.receive(.asked(.answer(call: call, ToolResult("Three is gone.").asPart(.next))))))
        #expect(
            Talk.spoken(talk.receive(.asked(.respond(id: "r2", mayCall: true)))) == ["Two is there.", "Three is gone."]
        )
        talk.receive(.asked(.answer(call: call, ToolResult("").asPart(.last))))
        talk.receive(.asked(.truncate(item: talk.speech?.item ?? "", part: 1, heard: 100, of: 800)))
        talk.hear()
        #expect(talk.say("Go on.").isEmpty)
        #expect(talk.speech?.sentences == ["Three is gone."])
    }

    @Test func goOnIncludesSentencesWrittenMeanwhile() {
        var talk = Talk()
        let call = begin(&talk, "One is here. Two is there.")
        talk.receive(.sentenceBegan(0))
        talk.receive(.sentenceBegan(1))
        let cut = talk.receive(.began(at: 3000))
        #expect(cut.contains(.stopSpeaking) && Self.ended(cut) == [.cancelled])
        talk.receive(.asked(.truncate(item: talk.speech?.item ?? "", part: 1, heard: 100, of: 800)))
        let louder = LocalUtterance(text: "Louder.", steps: 0..<100, isSure: true, isBargeIn: true)
        #expect(Talk.calls(talk.receive(.given(louder, at: 4000))).map(\.name) == ["change_volume"])
        #expect(talk.receive(.asked(.answer(call: call, ToolResult("Three is gone.").asPart(.next)))).isEmpty)
        #expect(talk.say("Go on.").isEmpty)
        #expect(talk.speech?.sentences == ["Two is there.", "Three is gone."] && talk.speech?.isOpen == true)
        #expect(
            talk.receive(.asked(.answer(call: call, ToolResult("Bye.").asPart(.last)))).dropLast() == [
                .speakOn(["Bye."]), .speechIsWhole,
            ]
        )
    }

    @Test func goOnWaitsForTheNextSentence() {
        var talk = Talk()
        let call = begin(&talk, "One is here.")
        talk.receive(.sentenceBegan(0))
        // All of it was heard.
        talk.receive(.began(at: 3000))
        let more = LocalUtterance(text: "Go on.", steps: 0..<100, isSure: true, isBargeIn: true)
        #expect(Talk.spoken(talk.receive(.given(more, at: 4000))).isEmpty)
        #expect(Self.waits(talk.receive(.asked(.answer(call: call, ToolResult("Two is there.").asPart(.last))))))
        #expect(Talk.spoken(talk.receive(.asked(.respond(id: "r2", mayCall: true)))) == ["Two is there."])
        #expect(talk.speech?.isOpen == false)
    }

    @Test func aCoughBeforeTheFirstWordLosesNothing() {
        var talk = Talk()
        let call = begin(&talk, "One is here.")
        talk.receive(.began(at: 2500))
        let said = talk.receive(.dropped(at: 3000, resumes: false))
        #expect(Talk.spoken(said + talk.receive(.asked(.respond(id: "r2", mayCall: true)))) == ["One is here."])
        #expect(talk.receive(.asked(.answer(call: call, ToolResult("Bye.").asPart(.last)))).contains(.speechIsWhole))
    }

    /// The end of the earlier one never came.
    @Test func answerThatBeginsWhileAnotherIsOpenFollowsIt() {
        var talk = Talk()
        _ = begin(&talk, "One is here.")
        talk.receive(.sentenceBegan(0))
        let first = ToolResult("Two is there.").asPart(.first)
        #expect(talk.receive(.asked(.answer(call: "other", first))).contains(.speechIsWhole))
        let next = talk.receive(.asked(.answer(call: "other", ToolResult("Three is gone.").asPart(.next))))
        #expect(!next.contains(.speakOn(["Three is gone."])), "it comes after the second sentence")
        talk.hear()
        let told = talk.receive(.asked(.respond(id: "r2", mayCall: true)))
        #expect(Talk.spoken(told) == ["Two is there.", "Three is gone."])
    }

    @Test func stoppedAnswerSaysNothingMore() {
        var talk = Talk()
        let call = begin(&talk, "One is here.")
        talk.receive(.asked(.cancel(response: nil)))
        talk.receive(.asked(.answer(call: call, .silentRefusal("Not done."))))
        #expect(
            !talk.receive(.asked(.answer(call: call, ToolResult("Two is there.").asPart(.last)))).contains(
                .speechIsWhole
            )
        )
        #expect(Talk.spoken(talk.receive(.asked(.respond(id: "r2", mayCall: true)))).isEmpty)
    }

    // MARK: What the agent asks

    private static let approval = ToolResult(
        .prompt(
            AgentPrompt(
                number: 1,
                kind: .permission(action: #"rm "a b""#),
                facts: [#"run this command: "rm \"a b\"""#, #"It would run in the folder "/home""#]
            )
        )
    )

    @Test(arguments: [("Yes, please.", true), ("No.", false), ("Yes, but not today.", false)])
    func onlyAClearYesGivesPermission(text: String, isAllowed: Bool) {
        var talk = Talk()
        let spoken = talk.answer(talk.say("Clean up.").first, Self.approval).joined(separator: " ")
        #expect(spoken.contains("permission to run this command") && spoken.hasSuffix("Say yes or no."))
        #expect(!spoken.contains("Tell the user"))
        talk.hear()
        let call = talk.say(text).first
        #expect(call?.name == "approve")
        #expect(call?.arguments == #"{"allow":\#(isAllowed),"command":"rm \"a b\""}"#)
    }

    @Test func barelyAudibleYesAllowsNothing() {
        var talk = Talk()
        _ = talk.answer(talk.say("Clean up.").first, Self.approval)
        talk.hear()
        #expect(talk.say("Yes.", isSure: false).isEmpty)
        #expect(talk.speech?.sentences == ["Please say yes or no."])
        let isReminder = talk.effects.contains { if case .report(.service(.reminds)) = $0 { true } else { false } }
        #expect(isReminder, "it leaves the question open")
        talk.hear()
        #expect(talk.say("Hm yes maybe").first?.arguments.contains(#""allow":false"#) == true)
    }

    @Test func questionOfTheAgentIsAnsweredInTheWordsOfTheUser() {
        var talk = Talk()
        let asked = AgentPrompt(number: 1, kind: .question, facts: [#""Which list?""#])
        let said = talk.answer(talk.say("Add milk.").first, ToolResult(.prompt(asked)))
        #expect(said.joined(separator: " ") == "Jarvis asks: \"Which list?\"")
        talk.hear()
        let call = talk.say("The long one").first
        #expect(call?.name == "answer_question" && call?.arguments == #"{"answers":["The long one"]}"#)
    }

    // MARK: Media

    @Test func namedMediaPlaysOnlyAfterAnOrder() {
        let offer = OfferedMedia(handles: ["media-1"], listing: #"media-1: "Jazz FM" (radio)"#)
        let output = ToolResult(.answer("Here is some jazz.", media: offer))
        var talk = Talk()
        #expect(talk.answer(talk.say("Play some jazz for me").first, output) == ["Here is some jazz."])
        #expect(Talk.calls(talk.receive(.speechEnded)).map(\.arguments) == [#"{"what":["media-1"]}"#])
        var other = Talk()
        let told = other.answer(other.say("What is on tonight?").first, output)
        #expect(told == ["Here is some jazz.", "To hear it, say: play it."])
        #expect(Talk.calls(other.receive(.speechEnded)).isEmpty)
        #expect(other.say("Play it.").map(\.name) == ["play_audio"])
    }

    /// The agent names something to play where it is to be played; only after a question is that not certain.
    @Test(arguments: [
        "Turn on some jazz.", "Spiel bitte etwas Jazz.", "Mets du jazz.", "I would like some jazz", "Jazz!",
        "Can you play jazz?",
    ]) func announcedMediaPlaysInAnyLanguage(order: String) {
        let offer = OfferedMedia(handles: ["media-1"], listing: #"media-1: "Jazz FM" (radio)"#)
        var talk = Talk()
        let output = ToolResult(.answer("Here is some jazz.", media: offer))
        #expect(talk.answer(talk.say(order).first, output) == ["Here is some jazz."])
        #expect(Talk.calls(talk.receive(.speechEnded)).map(\.name) == ["play_audio"])
    }

    @Test(arguments: ["L\u{E4}uft heute Jazz?", "what is on tonight"])
    func questionAboutMediaExplainsHowToPlayIt(question: String) {
        let offer = OfferedMedia(handles: ["media-1"], listing: #"media-1: "Jazz FM" (radio)"#)
        var talk = Talk()
        let told = talk.answer(talk.say(question).first, ToolResult(.answer("Jazz is on.", media: offer)))
        #expect(told == ["Jazz is on.", "To hear it, say: play it."])
        #expect(Talk.calls(talk.receive(.speechEnded)).isEmpty)
    }

    // MARK: Faults

    /// A recogniser that sends nonsense does answer.
    @Test(arguments: [true, false])
    func failedRecognitionIsAnnounced(answers: Bool) {
        var talk = Talk()
        talk.receive(.began(at: 0))
        let words = Talk.spoken(talk.receive(.notRecognised(at: 900, answers: answers))).joined(separator: " ")
        #expect(words.contains("I heard you") && words.contains("does not answer") != answers, "\(words)")
    }

    @Test func aClearSentenceWithoutWordsIsAnswered() {
        var talk = Talk()
        talk.receive(.began(at: 0))
        #expect(Talk.spoken(talk.receive(.noWords(at: 900, .unclear))) == ["I did not understand that."])
        talk.receive(.speechEnded)
        talk.receive(.began(at: 2000))
        #expect(Talk.spoken(talk.receive(.noWords(at: 2900, .recogniser))).first?.hasPrefix("I hear you, but") == true)
    }

    @Test func longSentencesArePieces() {
        let long = "This goes on, " + String(repeating: "and on, ", count: 80) + "to its end."
        let parts = SpeechParts.split(long)
        #expect(parts.count > 2 && parts.allSatisfy { $0.count <= SpeechParts.longest })
        #expect(parts.joined(separator: " ") == long)
        #expect(SpeechParts.split("One.\nTwo. Three") == ["One.", "Two.", "Three"])
    }

    /// A call was made by a session of another service, which is gone.
    @Test(arguments: [("set_timer", "The timer is set."), ("ask_jarvis", "Two meetings.")])
    func resultOfAnEarlierSessionIsSpoken(tool: String, output: String) {
        var talk = Talk()
        let report = ForeignReport(name: tool, arguments: "{}", output: ToolResult(output), isSpoken: true)
        talk.receive(.asked(.inform(id: "answer-1", report)))
        #expect(Talk.spoken(talk.receive(.asked(.respond(id: "r1", mayCall: true)))) == [output])
        #expect(Talk.spoken(talk.receive(.asked(.respond(id: "r2", mayCall: true)))).isEmpty)
    }

    /// More than anybody listens to waits to be said.
    @Test func answersBeyondTheBoundAreReportedAsDropped() {
        var talk = Talk()
        let text = String(repeating: "This is a sentence of an answer. ", count: 480)
        var effects: [LocalEffect] = []
        for number in 1...6 {
            let report = ForeignReport(name: "ask_jarvis", arguments: "{}", output: ToolResult(.answer(text)))
            effects += talk.receive(.asked(.inform(id: "answer-\(number)", report)))
        }
        #expect(effects.filter { $0 == .report(.service(.dropped(.agent))) }.count == 1)
    }
}
