import Testing

@testable import VoiceConversation

struct AssistTranslatorTests {
    /// A session that is ready.
    private struct Talk {
        var translator: AssistTranslator
        var run = 100

        init() {
            var options = AssistTranslator.Options()
            options.firstRun = 100
            translator = AssistTranslator(options)
            _ = translator.handle(.asked(.open(history: [])))
        }

        mutating func hear(_ event: AssistEvent) -> [AssistEffect] { translator.handle(event) }

        mutating func news(_ news: AssistNews) -> [AssistEffect] { hear(.news(run: run, news, at: 2000)) }

        /// The user has said something, and the answer is awaited.
        mutating func ask() -> [AssistEffect] {
            run += 1
            return hear(.turnBegan(at: 500)) + news(.began(speaks: true)) + hear(.turnEnded(at: 1500))
        }

        /// The answer is fetched.
        mutating func speak() -> [AssistEffect] {
            ask() + news(.heard("turn on the lamp")) + news(.says("Done.")) + news(.sound("http://home/a.wav"))
                + hear(.soundCame(run: run))
        }
    }

    private static func reports(_ effects: [AssistEffect]) -> [ServiceReport] {
        effects.compactMap { if case .report(let report) = $0 { report } else { nil } }
    }

    private static func ends(_ effects: [AssistEffect]) -> [ResponseEnd.Status] {
        reports(effects).compactMap { if case .responseEnded(let end) = $0 { end.status } else { nil } }
    }

    @Test func turnBecomesARunWithAnAnswerThatIsPlayed() {
        var talk = Talk()
        let asked = talk.ask()
        #expect(asked.contains(.start(run: 101)) && asked.contains(.soundEnds(run: 101)))
        #expect(talk.translator.hearing == nil, "its sound is complete")
        let answered =
            talk.news(.heard("turn on the lamp")) + talk.news(.says("Done."))
            + talk.news(.sound("http://home/a.wav")) + talk.hear(.soundCame(run: 101))
        let said = Self.reports(answered)
        #expect(said.contains { if case .heard(_, _, "turn on the lamp", true) = $0 { true } else { false } })
        #expect(said.contains { if case .said(_, _, _, "Done.", true) = $0 { true } else { false } })
        #expect(
            answered.contains { if case .play(101, _, "http://home/a.wav") = $0 { true } else { false } }, "\(answered)"
        )
        #expect(Self.ends(talk.news(.ended)).isEmpty, "the sound is still on its way")
        #expect(Self.ends(talk.hear(.soundEnded(run: 101, nil))) == [.completed])
        #expect(talk.translator.isPlaying)
        #expect(talk.hear(.silent) == [.played(run: 101)])
    }

    @Test func soundIsFetchedOnceThoughItsAddressComesTwice() {
        var talk = Talk()
        _ = talk.ask() + talk.news(.heard("long"))
        let early = talk.news(.sound("http://home/a.wav"))
        let late = talk.news(.says("Once upon a time.")) + talk.news(.sound("http://home/a.wav"))
        func plays(_ effects: [AssistEffect]) -> Int {
            effects.count { if case .play = $0 { true } else { false } }
        }
        #expect(plays(early) == 1 && plays(late) == 0)
        #expect(Self.reports(late).contains { if case .said = $0 { true } else { false } })
    }

    @Test func homeAssistantMayFindTheEndFirst() {
        var talk = Talk()
        talk.run += 1
        _ = talk.hear(.turnBegan(at: 0)) + talk.news(.began(speaks: true))
        let effects = talk.news(.speechEnded)
        #expect(effects.contains(.forgetTurn) && talk.translator.hearing == nil)
        #expect(talk.hear(.turnEnded(at: 3000)).isEmpty, "the box finds it too")
    }

    @Test func coughWithdrawsTheRunAndEndsInSilence() {
        var talk = Talk()
        _ = talk.hear(.turnBegan(at: 0))
        let effects = talk.hear(.turnDropped(at: 400))
        #expect(effects.contains(.stop(run: 101)) && Self.ends(effects) == [.completed])
    }

    @Test func turnWithoutWordsEndsInSilence() {
        var talk = Talk()
        _ = talk.ask()
        let effects = talk.news(.failed("stt-no-text-recognized: No text recognized"))
        #expect(Self.reports(effects).contains { if case .notHeard = $0 { true } else { false } })
        #expect(Self.ends(effects) == [.completed])
        #expect(talk.news(.ended).isEmpty)
    }

    @Test(
        arguments: [
            AssistEvent.news(run: 101, .failed("intent-failed: Unexpected error"), at: 0),
            .tick(now: .seconds(1000)),
        ]
    )
    func failureIsSaidToTheUserAndWithdrawn(event: AssistEvent) {
        var talk = Talk()
        _ = talk.ask()
        let effects = talk.hear(event)
        #expect(Self.ends(effects) == [.incomplete] && effects.contains(.stop(run: 101)))
        #expect(Self.reports(effects).contains { if case .trouble = $0 { true } else { false } })
    }

    @Test func wordsWithoutSoundAreHandedOver() {
        var talk = Talk()
        _ = talk.ask() + talk.news(.heard("x")) + talk.news(.says("It is noon."))
        let effects = talk.news(.ended)
        #expect(Self.ends(effects) == [.incomplete])
        #expect(
            Self.reports(effects).contains { if case .said(_, _, _, "It is noon.", _) = $0 { true } else { false } })
    }

    @Test func progressRenewsTheLimitAndSilenceDoesNot() {
        var talk = Talk()
        _ = talk.hear(.tick(now: .seconds(10))) + talk.ask()
        #expect(talk.hear(.tick(now: .seconds(39))).isEmpty)
        _ = talk.news(.works)
        #expect(talk.hear(.tick(now: .seconds(68))).isEmpty)
        #expect(Self.ends(talk.hear(.tick(now: .seconds(69)))) == [.incomplete])
    }

    @Test func interruptionEndsTheAnswerBeforeTheNextRun() {
        var talk = Talk()
        _ = talk.speak()
        let effects = talk.hear(.turnBegan(at: 5000))
        #expect(Self.ends(effects) == [.cancelled])
        #expect(effects.firstIndex(of: .stop(run: 101))! < effects.firstIndex(of: .start(run: 102))!)
        #expect(talk.news(.says("more")).isEmpty, "of a run that was withdrawn")
    }

    @Test func answerThatIsPlayedIsReplacedByTheNextRun() {
        var talk = Talk()
        _ = talk.speak() + talk.hear(.soundEnded(run: 101, nil))
        let effects = talk.hear(.turnBegan(at: 5000))
        #expect(Self.ends(effects).isEmpty && effects.contains(.start(run: 102)))
        #expect(talk.hear(.silent).isEmpty)
    }

    @Test func stopWithdrawsWhatHomeAssistantWorksOn() {
        var talk = Talk()
        let began = Self.reports(talk.ask()).compactMap { report -> String? in
            if case .responseBegan(let response, _) = report { response } else { nil }
        }
        let effects = talk.hear(.asked(.cancel(response: began.last)))
        #expect(effects.contains(.stop(run: 101)) && Self.ends(effects) == [.cancelled])
    }

    @Test func questionOfTheHouseBeginsARunWithoutAVoice() {
        var talk = Talk()
        #expect(talk.hear(.houseAsks) == [.start(run: 101)])
        talk.run = 101
        _ = talk.news(.began(speaks: false))
        _ = talk.hear(.turnBegan(at: 100)) + talk.hear(.turnDropped(at: 400))
        #expect(talk.translator.hearing == 101, "a cough does not answer it")
        let answer = talk.hear(.turnBegan(at: 2000))
        #expect(!answer.contains(.start(run: 102)))
        _ = talk.hear(.turnEnded(at: 3000)) + talk.news(.heard("yes please"))
        #expect(Self.ends(talk.news(.ended)) == [.completed], "it has no answer")
    }

    @Test func questionThatNoOneAnswersEndsInTime() {
        var talk = Talk()
        _ = talk.hear(.tick(now: .zero))
        _ = talk.hear(.houseAsks)
        #expect(talk.hear(.tick(now: .seconds(4))).isEmpty)
        #expect(talk.hear(.tick(now: .seconds(200))).contains(.stop(run: 101)))
        #expect(talk.translator.hearing == nil)
    }

    @Test func unansweredQuestionOfTheHouseEndsItsRun() {
        var talk = Talk()
        _ = talk.hear(.houseAsks)
        talk.run = 101
        #expect(talk.news(.failed("stt-no-text-recognized: No text recognized")) == [.stop(run: 101)])
        #expect(talk.translator.hearing == nil)
    }

    @Test func closedSessionLeavesNoRun() {
        var talk = Talk()
        _ = talk.speak()
        let effects = talk.hear(.asked(.close))
        #expect(effects.contains(.stop(run: 101)) && effects.contains(.stopSpeaking))
        guard case .report(.closing(.asked, _))? = effects.last else { return #expect(Bool(false)) }
    }

    @Test func emptySoundIsAFailure() {
        var talk = Talk()
        _ = talk.ask() + talk.news(.heard("x")) + talk.news(.sound("http://home/a.wav"))
        #expect(Self.ends(talk.hear(.soundEnded(run: 101, nil))) == [.incomplete])
    }
}
