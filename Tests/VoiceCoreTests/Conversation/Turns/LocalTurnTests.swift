import Testing

@testable import TestSupport
@testable import VoiceConversation

/// Rule by rule: when a turn begins, when it ends, and what is not one.
struct LocalTurnTests {
    /// A turn machine and a recogniser that returns the given texts after 150 ms.
    private struct Scene {
        var turn: LocalTurn
        var step = HeardStep(isVoice: false)
        var position = 0
        var effects: [LocalTurnEffect] = []
        /// The recogniser's texts, one for each look; the last is repeated. Nil: it never answers.
        var texts: [String?]
        var recognising: (look: Int, until: Int)?
        static let recogniser = 15

        init(_ texts: String?..., options: LocalTurn.Options = .init()) {
            turn = LocalTurn(options: options)
            self.texts = texts
            silence(100)
        }

        @discardableResult
        mutating func on(_ event: LocalTurnEvent) -> [LocalTurnEffect] {
            let new = turn.handle(event)
            effects += new
            for case .look(let number, _) in new { recognising = (number, position + Scene.recogniser) }
            return new
        }

        /// Feeds so many ms of one kind of sound.
        mutating func hear(_ milliseconds: Int, voice: Bool, level: Float = -30) {
            for _ in 0..<milliseconds / 10 {
                position += 1
                step.isVoice = voice
                step.level = voice ? level : -60
                on(.heard(step))
                if let (look, until) = recognising, position >= until {
                    recognising = nil
                    if let text = texts.count > 1 ? texts.removeFirst() : texts.first ?? nil {
                        on(.transcript(text, look: look))
                    }
                }
            }
        }

        mutating func speak(_ milliseconds: Int, level: Float = -30) { hear(milliseconds, voice: true, level: level) }
        mutating func silence(_ milliseconds: Int) { hear(milliseconds, voice: false) }

        /// Milliseconds of silence until an utterance is passed on; nil if none is.
        mutating func wait(atMost milliseconds: Int = 3000) -> Int? {
            let before = given.count
            for waited in stride(from: 10, through: milliseconds, by: 10) {
                silence(10)
                if given.count > before { return waited }
            }
            return nil
        }

        var given: [LocalUtterance] { effects.compactMap { if case .give(let turn) = $0 { turn } else { nil } } }
        var drops: [LocalDropReason] { effects.compactMap { if case .drop(let reason) = $0 { reason } else { nil } } }
        var looks: [[Range<Int>]] { effects.compactMap { if case .look(_, let ranges) = $0 { ranges } else { nil } } }
        func count(_ effect: LocalTurnEffect) -> Int { effects.filter { $0 == effect }.count }
    }

    // MARK: Hangover and look

    /// The voice counts as ended up to 50 ms after it: six of ten steps.
    @Test(arguments: [
        ("What is in my calendar today?", 450), ("What is in my calendar today", 650), ("Set a timer and", 1250),
        ("I want ten,", 1250), ("Call me at 7", 1250), ("Turn on the light.", 650), ("Stop it!", 450),
        ("When I come home in the evening.", 1250), ("In case I forget it later.", 1250),
        ("When I come home, turn on the lamp.", 650), ("When does the next train leave?", 450),
        ("When is the next train", 650), ("When the parcel has arrived send a message to my office.", 650),
    ]) func wordsDecideTheWait(text: String, milliseconds: Int) throws {
        var scene = Scene(text)
        scene.speak(2000)
        let result = scene.wait()
        let waited = try #require(result)
        #expect(abs(waited - milliseconds) <= 60, "\(waited)")
        #expect(scene.given.map(\.text) == [text] && scene.given[0].isSure && !scene.given[0].isBargeIn)
    }

    @Test func aShortTurnIsWaitedForLonger() throws {
        var short = Scene("Jarvis")
        short.speak(400)
        var long = Scene("Lights out")
        long.speak(1500)
        let waits = (short.wait(), long.wait())
        let (first, second) = (try #require(waits.0), try #require(waits.1))
        #expect(first > second + 500, "it expects more: \(first) \(second)")
    }

    /// Recognition runs during the wait: a quick recogniser adds nothing.
    @Test func textIsRequestedBeforeTheTurnEnds() {
        var scene = Scene("Hello there.")
        scene.speak(1000)
        scene.silence(300)
        #expect(scene.looks.count == 1 && scene.given.isEmpty)
    }

    @Test func aSlowRecogniserIsWaitedFor() throws {
        var scene = Scene(nil)
        scene.speak(1000)
        scene.silence(2000)
        #expect(scene.given.isEmpty)
        scene.on(.transcript("Hello there.", look: 99))
        #expect(scene.given.isEmpty, "another look's")
        scene.on(.transcript("Hello there.", look: 1))
        #expect(scene.given.count == 1)
    }

    @Test func soundIsSentWithItsMargins() throws {
        var scene = Scene("Hello there.")
        scene.silence(2000)
        let before = scene.position
        scene.speak(1000)
        _ = scene.wait()
        let range = try #require(scene.looks.first?.first)
        #expect((before - 42...before - 28).contains(range.lowerBound), "300 ms before the voice: \(range) \(before)")
        #expect((before + 110...before + 130).contains(range.upperBound), "200 ms after it: \(range) \(before)")
        guard case .began(let from)? = scene.effects.first else { return }
        #expect((before - 52...before - 38).contains(from), "400 ms before it are kept")
    }

    @Test func continuedSentenceIsRecognisedWhole() {
        var scene = Scene("What is in my account?", "What is in my calendar today?")
        scene.speak(700)
        scene.silence(400)
        scene.speak(900)
        _ = scene.wait()
        #expect(scene.count(.goesOn) == 1 && scene.looks.count == 2)
        #expect(scene.looks[1][0].lowerBound == scene.looks[0][0].lowerBound, "the sound of both")
        #expect(scene.given.map(\.text) == ["What is in my calendar today?"])
    }

    /// The talker continues while the recogniser is at work: its text then covers only a part.
    @Test func lateTextIsIgnored() {
        var scene = Scene("What is in my account?", "What is in my calendar today?")
        scene.speak(700)
        scene.silence(280)
        scene.speak(900)
        #expect(scene.given.isEmpty)
        _ = scene.wait()
        #expect(!scene.given.contains { $0.text.contains("account") })
    }

    @Test func partialTextStartsTheRecognition() {
        var scene = Scene("What time is it?")
        scene.speak(1000)
        scene.on(.partial("What time is it?"))
        scene.speak(300)
        scene.silence(190)
        #expect(scene.looks.count == 1)
        var other = Scene("What time is it?")
        other.speak(1300)
        other.silence(190)
        #expect(other.looks.isEmpty && other.given.isEmpty)
    }

    @Test func endlessSpeechIsCutWhereItIsQuietest() throws {
        var scene = Scene("On and on")
        let before = scene.position
        scene.speak(27_000)
        scene.speak(300, level: -55)
        scene.speak(3200)
        let ranges = try #require(scene.looks.first)
        #expect(ranges.count == 2 && ranges[0].upperBound == ranges[1].lowerBound)
        #expect(abs(ranges[0].upperBound - before - 2715) <= 15, "\(ranges)")
        #expect(scene.given.count == 1, "it is over, though somebody speaks")
    }

    /// Recognising half a minute takes seconds, in which the talker continues, and may even finish.
    @Test(arguments: [true, false]) func speechDuringTheRecognitionOfACutTurnIsTheNextTurn(isRecognised: Bool) throws {
        var scene = Scene(nil)
        while scene.looks.isEmpty, scene.position < 4000 { scene.speak(10) }
        let cut = scene.position
        scene.speak(4000)
        scene.silence(500)
        #expect(scene.looks.count == 1)
        let text = LocalTurnEvent.transcript("On and on", look: 1)
        let effects = scene.on(isRecognised ? text : .failed(look: 1))
        #expect(effects.last == .began(from: cut), "no word is missing in between: \(effects)")
        scene.silence(10)
        #expect(scene.looks.last?.first?.lowerBound == cut && scene.looks.last?.first?.contains(cut + 400) == true)
        scene.on(.transcript("and so on.", look: 3))
        scene.on(.transcript("and so on.", look: 2))
        scene.silence(1000)
        #expect(scene.given.map(\.text) == (isRecognised ? ["On and on", "and so on."] : ["and so on."]))
    }

    @Test func silenceAfterTheCutEndsTheTurn() {
        var scene = Scene(nil)
        while scene.looks.isEmpty, scene.position < 4000 { scene.speak(10) }
        scene.silence(5000)
        scene.on(.transcript("On and on", look: 1))
        scene.silence(1000)
        #expect(scene.given.count == 1 && scene.looks.count == 1)
    }

    // MARK: The pace of a talker

    @Test func theWaitFollowsTheTalker() throws {
        var scene = Scene("one two three four")
        #expect(scene.turn.hangover == 65)
        for _ in 0..<30 {
            for _ in 0..<3 {
                scene.speak(400)
                scene.silence(600)
            }
            scene.speak(400)
            _ = scene.wait()
            scene.on(.answerBegan)
            scene.on(.answerEnded)
        }
        #expect((68...76).contains(scene.turn.hangover), "the pauses and 100 ms: \(scene.turn.hangover)")
        scene.on(.conversationEnded)
        scene.silence(300_000)
        #expect(scene.turn.hangover != 65)
        scene.silence(310_000)
        #expect(scene.turn.hangover == 65, "ten minutes later it may be somebody else")
    }

    /// The answer begins before the talker continues: nothing is joined, but the pause is learned anyway.
    @Test func speechIntoTheAnswerLengthensThePause() {
        func hangover(pause: Int) -> Int {
            var scene = Scene("one two three four")
            for _ in 0..<6 {
                scene.speak(800)
                scene.silence(pause)
                if scene.turn.phase == .given { scene.on(.answerBegan) }
                scene.speak(800)
                _ = scene.wait()
                scene.on(.answerBegan)
                scene.on(.answerEnded)
                scene.silence(3000)
            }
            return scene.turn.hangover
        }
        #expect(hangover(pause: 1000) > 75)
        #expect(hangover(pause: 2500) == 65, "he has something else to say")
    }

    @Test func singleTurnChangesTheWaitLittle() {
        var pace = TalkPace(base: 65, range: 40...150)
        for _ in 0..<10 { pace.paused(400) }
        pace.turnEnded()
        #expect(pace.hangover == 70)
        for _ in 0..<100 { pace.turnEnded() }
        #expect(pace.hangover == 150)
        for _ in 0..<20 { pace.paused(5) }
        for _ in 0..<100 { pace.turnEnded() }
        #expect(pace.hangover == 40)
    }

    // MARK: Cut too early, and joined

    @Test func turnCutTooEarlyIsAskedAgainWhole() {
        var scene = Scene("Turn on the light.", "Turn on the light in the kitchen.")
        scene.speak(1000)
        _ = scene.wait()
        scene.silence(200)
        scene.speak(800)
        #expect(scene.count(.supersede) == 1 && scene.turn.joined == 1)
        _ = scene.wait()
        #expect(scene.given.map(\.text) == ["Turn on the light.", "Turn on the light in the kitchen."])
        #expect(scene.looks[1][0].lowerBound == scene.looks[0][0].lowerBound)
    }

    @Test func actingRequestIsNotSuperseded() {
        var scene = Scene("Turn on the light.")
        scene.speak(1000)
        _ = scene.wait()
        scene.on(.requestActs)
        scene.speak(800)
        _ = scene.wait()
        #expect(scene.count(.supersede) == 0 && scene.given.count == 2)
        #expect(scene.looks[1][0].lowerBound > scene.looks[0][0].lowerBound + 100, "a turn of its own")
    }

    @Test func joinedTurnIsBounded() {
        var scene = Scene("Turn on the light.")
        for _ in 0..<6 {
            scene.speak(800)
            _ = scene.wait()
        }
        #expect(scene.count(.supersede) == 4 && scene.turn.joined == 4, "three times, then a turn of its own")
        #expect(scene.effects.filter { if case .began = $0 { true } else { false } }.count == 2)
    }

    @Test func speechAfterTheAnswerIsAnotherTurn() {
        var scene = Scene("Turn on the light.")
        scene.speak(800)
        _ = scene.wait()
        scene.on(.answerBegan)
        scene.on(.answerEnded)
        scene.speak(800)
        _ = scene.wait()
        #expect(scene.count(.supersede) == 0 && scene.given.count == 2)
    }

    // MARK: No words without a voice

    @Test func aClickBeginsNothing() {
        var scene = Scene("You")
        for _ in 0..<50 {
            scene.speak(50)
            scene.silence(300)
        }
        #expect(scene.effects.isEmpty)
    }

    @Test func rattleIsNotSpeech() {
        var scene = Scene("Thank you.")
        for _ in 0..<30 {
            scene.speak(70)
            scene.silence(20)
        }
        #expect(scene.wait() == nil && scene.drops == [.tooLittleVoice], "never 120 ms in one piece")
        #expect(scene.turn.dropped == [.tooLittleVoice: 1] && scene.turn.phase == .idle)
    }

    @Test func soundAtRoomLevelIsNotSpeech() {
        var scene = Scene("You")
        scene.speak(1000, level: -56)
        #expect(scene.wait() == nil && scene.drops == [.tooSoft])
    }

    @Test func soundHeldByTheGateIsNotSpeech() {
        var scene = Scene("You")
        scene.speak(300)
        for _ in 0..<10 {
            scene.step.isHeldBack = true
            scene.speak(190)
            scene.step.isHeldBack = false
            scene.speak(120)
        }
        #expect(scene.wait() == nil)
        #expect(scene.drops == [.heldBack])
    }

    /// Muting the microphone after speaking does not withdraw the words.
    @Test func muteAfterTheWordsKeepsThem() {
        var scene = Scene("Turn on the light.")
        scene.speak(800)
        scene.step.isHeldBack = true
        #expect(scene.wait() != nil && scene.drops.isEmpty)
    }

    @Test(arguments: [
        ("You", 500, LocalDropReason.phantom), ("Thank you.", 500, .phantom), ("Thanks for watching!", 900, .phantom),
        ("", 900, .noWords), ("...", 900, .noWords),
        ("I would like to know what there is in my calendar today", 500, .tooManyWords),
    ]) func textWithoutAVoiceIsDropped(text: String, voice: Int, reason: LocalDropReason) {
        var scene = Scene(text)
        scene.speak(voice)
        #expect(scene.wait() == nil && scene.drops == [reason])
    }

    /// Who speaks for a second, well over the room, expects an answer; a cough, a distant voice and the box's own do not.
    @Test func clearSentenceDiffersFromNoise() {
        func isClear(_ milliseconds: Int, level: Float = -30, overBox: Bool = false) -> Bool {
            var scene = Scene("Thank you.")
            scene.step.boxSounds = overBox
            scene.speak(milliseconds, level: level)
            _ = scene.wait()
            #expect(!scene.drops.isEmpty)
            return scene.turn.isClear
        }
        #expect(isClear(1000))
        #expect(!isClear(400))
        #expect(!isClear(1000, level: -52))
        #expect(!isClear(1000, overBox: true))
    }

    /// A conversation whose first question is answered, and in which a voice has then been heard for some milliseconds.
    private static func answered(next text: String, voice: Int) -> Scene {
        var scene = Scene("Turn on the light.", text)
        scene.speak(1000)
        _ = scene.wait()
        scene.on(.answerBegan)
        scene.on(.answerEnded)
        scene.speak(voice)
        return scene
    }

    /// What Whisper made of twenty seconds of a film, in the middle of a conversation: no one says so little in so long, or
    /// the same twice.
    @Test(arguments: [
        ("Thank you.  Thank you.", 1000),
        (
            "Thank you for watching. Thank you very much for watching. Thank you very much. "
                + "Thank you very much.", 9000
        ), ("Thank you.", 4000), ("You", 2000), ("Bye. You. Bye.", 1500),
        // And of four minutes of dishes: the length fits.
        ("You", 300), ("Beep!", 400), ("Beep, beep, beep, beep.", 1100), ("Oh", 300),
    ]) func phantomTextOfALongNoiseIsNotATurn(text: String, voice: Int) {
        var scene = Self.answered(next: text, voice: voice)
        #expect(scene.wait() == nil && scene.drops == [.phantom], "\(text)")
    }

    @Test(arguments: [
        ("Thank you, bye bye.", 900), ("Thanks!", 400), ("Thank you very much.", 1200),
        ("Thank you, thank you, dear box.", 1500), ("What does beep mean?", 1000), ("Oh no.", 500),
        ("You choose.", 600),
    ]) func goodbyeIsHeard(text: String, voice: Int) {
        var scene = Self.answered(next: text, voice: voice)
        _ = scene.wait()
        #expect(scene.given.map(\.text) == ["Turn on the light.", text])
    }

    @Test func thanksInAConversationAreHeard() {
        var scene = Scene("Turn on the light.", "Thank you.")
        scene.speak(1000)
        _ = scene.wait()
        scene.on(.answerBegan)
        scene.on(.answerEnded)
        scene.speak(500)
        _ = scene.wait()
        #expect(scene.given.map(\.text) == ["Turn on the light.", "Thank you."])
        scene.on(.conversationEnded)
        scene.speak(500)
        #expect(scene.wait() == nil && scene.drops == [.phantom])
    }

    /// The utterance is accepted, but nothing is approved with it.
    @Test func barelyAcceptedUtteranceIsNotSure() {
        var scene = Scene("yes")
        scene.speak(280)
        _ = scene.wait()
        #expect(scene.given.map(\.isSure) == [false])
    }

    @Test func failureOfTheRecogniserIsReported() {
        var scene = Scene(nil)
        scene.speak(800)
        scene.silence(300)
        scene.on(.failed(look: 1))
        #expect(scene.drops == [.notRecognised] && scene.turn.phase == .idle)
        scene.on(.transcript("late", look: 1))
        #expect(scene.given.isEmpty)
    }

    /// 100 and 170 ms of voice with a gap between; the turn begins 100 ms into the second, whose run is counted as one.
    @Test func voiceRunContinuesOverTheStartOfTheTurn() {
        var scene = Scene("Stop the music")
        scene.speak(100)
        scene.silence(20)
        scene.speak(170)
        _ = scene.wait()
        #expect(scene.drops == [])
        #expect(scene.given.map(\.text) == ["Stop the music"])
    }

    // MARK: While the box speaks

    private func answering(_ texts: String?...) -> Scene {
        var scene = Scene("What is new?")
        scene.texts = ["What is new?"] + texts
        scene.speak(1000)
        _ = scene.wait()
        scene.on(.answerBegan)
        scene.step.boxSounds = true
        scene.on(.boxSaid("The council has decided to build the new library next year"))
        scene.silence(500)
        scene.effects = []
        return scene
    }

    @Test func talkerInterruptsTheAnswer() {
        var scene = answering("Stop, what does it cost?")
        scene.speak(250)
        #expect(scene.effects == [])
        scene.speak(150)
        #expect(scene.count(.bargeIn) == 1)
        scene.step.boxSounds = false
        scene.speak(600)
        _ = scene.wait()
        #expect(scene.given.map(\.isBargeIn) == [true] && scene.count(.resumeAnswer) == 0)
    }

    @Test func aCoughChangesNothing() {
        var scene = answering("x")
        scene.speak(150)
        scene.silence(600)
        #expect(scene.effects == [])
    }

    @Test func soundHeldByTheGateDoesNotInterrupt() {
        var scene = answering("x")
        scene.step.isHeldBack = true
        scene.speak(3000)
        #expect(scene.effects.isEmpty)
    }

    @Test func ownWordsAreEcho() {
        for text in ["to build the new library", "build library", "The council decided"] {
            var scene = answering(text)
            scene.speak(1200)
            #expect(scene.wait() == nil)
            #expect(scene.drops == [.echo] && scene.count(.resumeAnswer) == 1, "\(text)")
        }
        var scene = answering("Is the old library closed then, or what happens to it?")
        scene.speak(3000)
        _ = scene.wait()
        #expect(scene.given.count == 1)
    }

    @Test func agreementResumesTheAnswer() {
        var scene = answering("Mhm.")
        scene.speak(600)
        #expect(scene.wait() == nil && scene.drops == [.backchannel] && scene.count(.resumeAnswer) == 1)
    }

    @Test func bargeInWithoutWordsResumesTheAnswer() {
        var scene = answering(nil)
        scene.speak(500)
        scene.silence(1400)
        #expect(scene.drops.isEmpty)
        scene.silence(200)
        #expect(scene.drops == [.noWords] && scene.count(.resumeAnswer) == 1)
    }

    /// A sentence over the answer is not given up because its text takes two seconds.
    @Test func aSlowRecogniserIsWaitedForOverTheAnswerToo() {
        var scene = answering(nil)
        scene.speak(400)
        scene.step.boxSounds = false
        scene.speak(1200)
        scene.silence(2500)
        #expect(scene.drops.isEmpty && scene.given.isEmpty)
        let look = scene.effects.compactMap { if case .look(let number, _) = $0 { number } else { nil } }.last
        scene.on(.transcript("Turn off the light.", look: look ?? 0))
        #expect(scene.given.map(\.text) == ["Turn off the light."] && scene.count(.resumeAnswer) == 0)
    }

    // MARK: Anything

    @Test func anyOrderOfEventsKeepsTheTurnConsistent() {
        var random = SeededGenerator(seed: 4)
        for _ in 0..<60 {
            var turn = LocalTurn()
            var looks = 0
            var open = 0
            for _ in 0..<4000 {
                let event: LocalTurnEvent
                switch Int.random(in: 0...60, using: &random) {
                case 0:
                    event = .transcript(
                        ["", "Yes.", "You", "a b c d e f g h"].randomElement(using: &random) ?? "", look: looks
                    )
                case 1: event = .failed(look: looks)
                case 2: event = .partial("Go.")
                case 3: event = .answerBegan
                case 4: event = .answerEnded
                case 5: event = .boxSaid("yes you a b c")
                case 6: event = .requestActs
                case 7: event = .conversationEnded
                default:
                    var step = HeardStep(isVoice: Int.random(in: 0...3, using: &random) > 0)
                    step.level = [-Float.infinity, .nan, -30, 0].randomElement(using: &random) ?? 0
                    step.boxSounds = Bool.random(using: &random)
                    event = .heard(step)
                }
                for effect in turn.handle(event) {
                    switch effect {
                    case .look(let number, let ranges):
                        #expect(number > looks && ranges.allSatisfy { !$0.isEmpty })
                        looks = number
                    case .began: open += 1
                    default: break
                    }
                }
            }
            #expect(open > 0 && (40...150).contains(turn.hangover))
        }
    }
}
