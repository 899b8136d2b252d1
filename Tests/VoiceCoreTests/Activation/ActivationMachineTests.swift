import Testing

@testable import TestSupport
@testable import VoiceActivation
@testable import VoiceBase
@testable import VoiceConversation

/// Activation as the user experiences it, decision by decision.
struct ActivationMachineTests {
    /// A machine and the effects of its events.
    private struct Scene {
        var machine: ActivationMachine
        var latest: [ActivationEffect] = []

        init(_ mode: ActivationMode, _ adjust: (inout ActivationMachine.Options) -> Void = { _ in }) {
            var options = ActivationMachine.Options()
            options.mode = mode
            adjust(&options)
            machine = ActivationMachine(options: options)
            on(.start)
        }

        mutating func on(_ event: ActivationEvent) { latest = machine.handle(event) }

        mutating func states(_ states: ConversationState...) {
            for state in states { on(.conversation(state)) }
        }

        /// A conversation was called by wake word, and the session is ready.
        static func awake(
            _ mode: ActivationMode = .wake,
            _ adjust: (inout ActivationMachine.Options) -> Void = { _ in }
        ) -> Scene {
            var scene = Scene(mode, adjust)
            if mode != .always { scene.on(.activate(.word("jarvis"))) }
            scene.states(.connecting, .listening)
            return scene
        }

        /// The session is ready; unless it is always open, a button called it.
        static func listening(_ mode: ActivationMode) -> Scene {
            var scene = Scene(mode)
            if mode != .always { scene.on(.activate(.button)) }
            scene.states(.connecting, .listening)
            return scene
        }

        static func answered(
            _ mode: ActivationMode = .wake,
            _ adjust: (inout ActivationMachine.Options) -> Void = { _ in }
        ) -> Scene {
            var scene = awake(mode, adjust)
            scene.states(.userSpeaking, .processing, .aiSpeaking, .listening)
            return scene
        }

        var played: [Earcon] { latest.compactMap { if case .play(let earcon) = $0 { earcon } else { nil } } }
        var opens: Bool { latest.contains { if case .open = $0 { true } else { false } } }
        var closes: Bool { latest.contains(.close) }
        func starts(_ timer: ActivationTimer) -> Bool {
            latest.contains { if case .startTimer(timer, _) = $0 { true } else { false } }
        }
    }

    @Test func activationAfterRefusalRetries() {
        var scene = Scene(.always)
        scene.states(.connecting, .error("invalid_api_key: no"))
        scene.on(.activate(.command))
        #expect(scene.latest == [.open(holdsMicrophone: false)])
        scene.states(.connecting, .listening)
        scene.on(.activate(.command))
        #expect(!scene.opens, "it is open")
    }

    @Test func anOpenMicrophoneIsOpenFromTheStart() {
        let scene = Scene(.always)
        #expect(scene.latest.contains(.open(holdsMicrophone: false)))
        #expect(scene.latest.contains(.keepsOpen(true)))
        #expect(scene.latest.contains(.preRoll(false)))
        #expect(scene.played.isEmpty)
    }

    @Test(arguments: [ActivationMode.wake, .push]) func noSessionOpensBeforeActivation(mode: ActivationMode) {
        var scene = Scene(mode)
        #expect(!scene.opens)
        #expect(scene.latest.contains(.keepsOpen(false)))
        #expect(scene.latest.contains(.preRoll(true)))
        #expect(scene.latest.contains(.listen(.wake)) == (mode == .wake))
        scene.on(.activate(mode == .wake ? .word("jarvis") : .button))
        #expect(scene.latest.contains(.open(holdsMicrophone: true)))
        #expect(scene.latest.contains(.listen(.stop)))
        if mode == .wake { scene.on(.timer(.woken)) }
        #expect(scene.played == [.woken])
        #expect(scene.machine.phase == .awake)
    }

    /// "Hey Jarvis, what is on today?" in one breath: no sound is played into the question.
    @Test func noWakeSoundWhenTheUserSpeaksOn() {
        var scene = Scene(.wake)
        scene.on(.activate(.word("jarvis")))
        #expect(scene.played.isEmpty)
        #expect(scene.starts(.woken))
        scene.on(.speaksOn)
        #expect(scene.latest == [.cancelTimer(.woken)])
        scene.on(.timer(.woken))
        #expect(scene.played.isEmpty)
    }

    @Test(arguments: [(1800, true), (1900, false)]) func positionOfTheWordTellsABareWakeWord(end: Int, isAlone: Bool) {
        var scene = Scene(.wake)
        scene.on(.activate(.word("jarvis")))
        scene.states(.connecting, .listening, .userSpeaking)
        scene.on(.turnEnded(milliseconds: end))
        #expect(scene.latest.contains(.interrupt) == isAlone)
    }

    /// The service hears the word itself as a turn: the sound comes anyway, and never into an answer or behind the end.
    @Test func wakeSoundPlaysUnlessSpeechComesFirst() {
        var scene = Scene(.wake)
        scene.on(.activate(.word("jarvis")))
        scene.states(.connecting, .listening, .userSpeaking)
        scene.on(.timer(.woken))
        #expect(scene.played == [.woken])
        scene = Scene(.wake)
        scene.on(.activate(.word("jarvis")))
        scene.states(.connecting, .listening, .userSpeaking, .processing)
        #expect(scene.latest.contains(.cancelTimer(.woken)))
        scene = Scene(.wake)
        scene.on(.activate(.word("jarvis")))
        scene.on(.stop(isSpoken: false))
        #expect(scene.latest.contains(.cancelTimer(.woken)))
        #expect(scene.played == [.goodbye])
    }

    @Test func unrequestedSessionIsClosed() {
        var scene = Scene(.wake)
        scene.on(.conversation(.connecting))
        #expect(scene.closes)
        scene.on(.conversation(.idle))
        #expect(scene.machine.phase == .idle)
    }

    @Test func silenceAfterActivationClosesTheSession() {
        var scene = Scene.awake()
        #expect(scene.starts(.followUp))
        scene.on(.timer(.followUp))
        #expect(scene.closes)
        #expect(scene.played == [.goodbye])
        scene.on(.conversation(.idle))
        #expect(scene.machine.phase == .idle)
        #expect(scene.machine.listening == .wake)
    }

    @Test func speechExtendsTheFollowUpWindow() {
        var scene = Scene.answered()
        #expect(scene.machine.phase == .followUp)
        #expect(scene.played == [.listening])
        #expect(scene.starts(.followUp))
        scene.on(.conversation(.userSpeaking))
        #expect(scene.latest.contains(.cancelTimer(.followUp)))
        #expect(scene.machine.phase == .conversation)
        scene.states(.processing, .aiSpeaking, .listening)
        scene.on(.timer(.followUp))
        #expect(scene.closes)
        #expect(scene.machine.phase == .closing)
    }

    @Test func cancelledTimerDoesNothing() {
        var scene = Scene.answered()
        scene.on(.conversation(.userSpeaking))
        scene.on(.timer(.followUp))
        #expect(scene.latest.isEmpty)
    }

    @Test func oneShotConversationEndsWithTheAnswer() {
        let scene = Scene.answered(.wake) { $0.isOneShot = true }
        #expect(scene.closes)
        #expect(scene.played == [.goodbye])
    }

    @Test func bareWakeWordGetsNoAnswer() {
        var scene = Scene.awake()
        scene.states(.userSpeaking, .processing)
        scene.on(.turnEnded(milliseconds: 1400))
        #expect(scene.latest == [.interrupt])
        scene.on(.conversation(.listening))
        #expect(scene.played.isEmpty)
        #expect(scene.machine.phase == .awake)
        #expect(scene.starts(.followUp))
        // A short turn later on counts as a turn.
        scene.on(.turnEnded(milliseconds: 1500))
        #expect(scene.latest.isEmpty)
    }

    /// On a slow machine the engine may find the word only after the question has ended.
    @Test(arguments: [(250, true), (800, false), (0, false)])
    func aQuestionIsAnsweredThoughTheWordWasFoundLate(start: Int, isQuestion: Bool) {
        var scene = Scene.awake()
        scene.on(.turnBegan(milliseconds: start))
        scene.states(.userSpeaking, .processing)
        scene.on(.turnEnded(milliseconds: 1700))
        #expect(scene.latest == (isQuestion ? [] : [.interrupt]))
    }

    @Test func wakeWordWithAQuestionIsAnswered() {
        var scene = Scene.awake()
        scene.states(.userSpeaking, .processing)
        scene.on(.turnEnded(milliseconds: 3100))
        #expect(scene.latest.isEmpty)
    }

    @Test func aShortQuestionAfterTheButtonIsAQuestion() {
        var scene = Scene(.push)
        scene.on(.activate(.button))
        scene.states(.connecting, .listening, .userSpeaking, .processing)
        scene.on(.turnEnded(milliseconds: 900))
        #expect(scene.latest.isEmpty)
    }

    @Test func aTurnWithoutEndIsATelevision() {
        var scene = Scene.awake()
        scene.on(.conversation(.userSpeaking))
        #expect(scene.starts(.turn))
        scene.on(.timer(.turn))
        #expect(scene.closes)
        #expect(scene.played == [.goodbye])
    }

    @Test func sessionThatDoesNotOpenPlaysAnError() {
        var scene = Scene(.wake)
        scene.on(.activate(.word("jarvis")))
        #expect(scene.starts(.connect))
        scene.on(.conversation(.connecting))
        scene.on(.timer(.connect))
        #expect(scene.closes)
        #expect(scene.played == [.error])
        scene.on(.conversation(.idle))
        #expect(scene.machine.phase == .idle)
    }

    @Test func spentBudgetLeavesTheBoxIdle() {
        var scene = Scene(.push)
        scene.on(.activate(.button))
        scene.on(.refused)
        #expect(scene.machine.phase == .idle)
        #expect(scene.latest.contains(.cancelTimer(.connect)))
        scene.on(.activate(.button))
        #expect(scene.opens)
    }

    @Test func textRefusedForASpentBudgetLeavesTheRoomHeard() {
        var scene = Scene(.push)
        scene.on(.say("Dinner is ready."))
        #expect(scene.latest.contains(.hearsRoom(false)))
        scene.on(.refused)
        #expect(scene.latest.contains(.hearsRoom(true)))
    }

    @Test func refusingServiceIsNotRetried() {
        var scene = Scene(.wake)
        scene.on(.activate(.word("jarvis")))
        scene.states(.connecting, .error("bad key"))
        #expect(scene.closes)
    }

    @Test func theModelMayEndTheConversation() {
        var scene = Scene.answered()
        scene.on(.conversation(.idle))
        #expect(scene.machine.phase == .idle)
        #expect(scene.played == [.goodbye])
    }

    @Test func reconnectingHasTheConnectTimer() {
        var scene = Scene.answered()
        scene.on(.conversation(.connecting))
        #expect(scene.starts(.connect))
        #expect(scene.latest.contains(.cancelTimer(.followUp)))
        scene.on(.conversation(.listening))
        #expect(scene.latest.contains(.cancelTimer(.connect)))
        #expect(scene.starts(.followUp))
    }

    @Test func firstStopSilencesSecondStopEnds() {
        var scene = Scene.awake()
        scene.states(.userSpeaking, .processing, .aiSpeaking)
        scene.on(.stop(isSpoken: true))
        #expect(scene.latest == [.silence(isSpoken: true)])
        scene.on(.conversation(.listening))
        scene.on(.stop(isSpoken: false))
        #expect(scene.latest.first == .silence(isSpoken: false))
        #expect(scene.closes)
    }

    @Test func silenceOrderKeepsTheConversation() {
        var scene = Scene.awake()
        scene.on(.media(true))
        scene.on(.silence)
        #expect(scene.latest == [.silence(isSpoken: false)])
        scene.states(.userSpeaking, .processing, .aiSpeaking)
        scene.on(.silence)
        #expect(scene.latest == [.silence(isSpoken: false)])
    }

    @Test func silenceOrderDropsWaitingTypedQuestions() {
        var scene = Scene(.push)
        scene.on(.ask("a"))
        scene.states(.connecting, .listening)
        scene.on(.stop(isSpoken: false))
        scene.on(.ask("b"))
        scene.on(.silence)
        scene.on(.conversation(.idle))
        #expect(!scene.opens, "nobody has called")
        #expect(!scene.latest.contains(.ask("b")))
    }

    @Test(arguments: ActivationMode.allCases)
    func resetReplacesTheOpenConversation(mode: ActivationMode) {
        var scene = Scene.listening(mode)
        scene.on(.reset)
        #expect(scene.closes)
        #expect(!scene.opens)
        scene.on(.conversation(.idle))
        #expect(scene.latest.contains(.open(holdsMicrophone: false)), "no word from before goes into it")
        #expect(scene.played == (mode == .always ? [] : [.woken]))
        scene.on(.conversation(.connecting))
        #expect(!scene.closes)
        scene.on(.conversation(.listening))
        #expect(!scene.closes)
        #expect(scene.machine.phase == .awake)
    }

    @Test func resetDuringAnAnswerOpensANewConversation() {
        var scene = Scene.awake()
        scene.states(.userSpeaking, .processing, .aiSpeaking)
        scene.on(.reset)
        #expect(scene.closes)
        scene.on(.conversation(.idle))
        #expect(scene.opens)
    }

    @Test(arguments: ActivationMode.allCases)
    func freshStartAlsoResetsTheAgent(mode: ActivationMode) {
        var scene = Scene.listening(mode)
        scene.on(.startFresh)
        #expect(scene.latest.first == .startFresh, "before anything that is asked in the next session")
        #expect(scene.closes)
        scene.on(.startFresh)
        #expect(scene.latest == [.startFresh], "one is on its way already")
        scene.on(.conversation(.idle))
        #expect(scene.opens)
        var idle = Scene(.push)
        idle.on(.startFresh)
        #expect(idle.latest == [.startFresh], "nothing is open, and nothing is opened")
    }

    /// Without a voice of its own, the box opens a session to say something; that hears nothing, and ends with the text.
    @Test func textOpensASessionWithoutMicrophone() {
        var scene = Scene(.push)
        scene.on(.say("Dinner."))
        #expect(scene.latest.starts(with: [.open(holdsMicrophone: false), .hearsRoom(false), .say("Dinner.")]))
        scene.states(.connecting, .processing, .aiSpeaking)
        scene.on(.say("Now."))
        #expect(scene.latest == [.say("Now.")])
        scene.states(.processing, .aiSpeaking, .listening)
        #expect(scene.closes && !scene.latest.contains(.play(.listening)), "no earcon invites the user to go on")
        scene.on(.say("Once more."))
        #expect(!scene.opens, "it opens when this one has closed")
        scene.on(.conversation(.idle))
        #expect(scene.latest.contains(.hearsRoom(true)) && scene.latest.contains(.say("Once more.")))
        #expect(scene.opens)
    }

    @Test func activationTurnsATextSessionIntoAConversation() {
        var scene = Scene(.wake)
        scene.on(.say("Dinner."))
        scene.states(.connecting, .processing, .aiSpeaking)
        scene.on(.activate(.button))
        #expect(scene.latest.first == .hearsRoom(true) && scene.latest.contains(.interrupt))
        scene.states(.listening)
        #expect(!scene.closes)
    }

    @Test func stopDropsAWaitingText() {
        var scene = Scene.awake()
        scene.on(.stop(isSpoken: false))
        scene.on(.say("Dinner."))
        scene.on(.stop(isSpoken: false))
        scene.on(.conversation(.idle))
        #expect(!scene.opens)
    }

    @Test func failureDropsAWaitingText() {
        var scene = Scene.awake()
        scene.on(.timer(.followUp))
        scene.on(.say("Dinner."))
        scene.on(.conversation(.error("no key")))
        scene.on(.conversation(.idle))
        scene.on(.say("Tea."))
        #expect(scene.latest.contains(.say("Tea.")) && !scene.latest.contains(.say("Dinner.")))
    }

    @Test func announcementOpensNoSessionAndKeepsQuietHours() {
        var scene = Scene(.push) { $0.hasLocalVoice = true }
        scene.on(.say("Dinner."))
        #expect(scene.latest == [.announce("Dinner.")], "by the voice of the box")
        scene.on(.quiet(true))
        scene.on(.say("Dinner."))
        #expect(scene.latest.isEmpty)
        scene = Scene.awake { $0.hasLocalVoice = true }
        scene.on(.say("Dinner."))
        #expect(scene.latest == [.say("Dinner.")])
        scene.on(.quiet(true))
        scene.on(.say("Dinner."))
        #expect(scene.latest.isEmpty)
        scene.on(.quiet(false))
        scene.on(.stop(isSpoken: false))
        scene.on(.say("Dinner."))
        #expect(scene.latest == [.announce("Dinner.")], "it is being closed")
    }

    @Test func resetWithoutASessionOpensNone() {
        var scene = Scene(.push)
        scene.on(.reset)
        #expect(scene.latest.isEmpty)
        #expect(scene.machine.phase == .idle)
    }

    @Test func resetWhileMutedOnlyClosesTheSession() {
        var scene = Scene(.push)
        scene.on(.mute(true))
        scene.on(.ask("a"))
        scene.states(.connecting, .listening)
        scene.on(.reset)
        #expect(scene.closes)
        scene.on(.conversation(.idle))
        #expect(!scene.opens)
        #expect(scene.played.isEmpty)
    }

    @Test func stopAfterAResetReopensOnlyAnOpenMicrophone() {
        for mode in ActivationMode.allCases {
            var scene = Scene.listening(mode)
            scene.on(.reset)
            scene.on(.stop(isSpoken: false))
            scene.on(.conversation(.idle))
            #expect(scene.opens == (mode == .always), "\(mode)")
        }
    }

    /// Unmuted before the muted conversation has closed: the stop key ends what was said, and the microphone stays
    /// open.
    @Test func stopAfterAnUnmuteLeavesAnOpenMicrophoneOpen() {
        var scene = Scene.listening(.always)
        scene.on(.mute(true))
        scene.on(.mute(false))
        scene.on(.stop(isSpoken: false))
        scene.on(.conversation(.idle))
        #expect(scene.opens)
    }

    @Test func activationDuringSpeechInterrupts() {
        var scene = Scene.awake()
        scene.states(.userSpeaking, .processing, .aiSpeaking)
        scene.on(.activate(.word("jarvis")))
        #expect(scene.latest == [.interrupt, .play(.woken)])
    }

    @Test func activationRestartsTheFollowUpWindow() {
        var scene = Scene.answered()
        scene.on(.activate(.button))
        #expect(scene.latest == [.play(.woken), .cancelTimer(.followUp), .startTimer(.followUp, .seconds(8))])
    }

    @Test func activationWhileClosingReopens() {
        var scene = Scene.answered()
        scene.on(.stop(isSpoken: false))
        #expect(scene.closes)
        scene.on(.activate(.button))
        #expect(!scene.opens)
        scene.on(.conversation(.idle))
        #expect(scene.opens)
    }

    @Test func closingTimesOutWithoutAReport() {
        var scene = Scene(.push)
        scene.on(.activate(.button))
        scene.on(.stop(isSpoken: false))
        #expect(scene.starts(.close))
        scene.on(.timer(.close))
        #expect(scene.machine.phase == .idle)
    }

    @Test func muteClosesTheMicrophoneAndTheConversation() {
        var scene = Scene.answered()
        scene.on(.mute(true))
        #expect(scene.latest.contains(.capture(false)))
        #expect(scene.closes)
        #expect(scene.latest.contains(.listen(.nothing)))
        scene.on(.conversation(.idle))
        scene.on(.activate(.button))
        #expect(scene.latest == [.play(.muted)])
        scene.on(.mute(false))
        #expect(scene.latest.contains(.capture(true)))
        #expect(scene.latest.contains(.listen(.wake)))
        #expect(!scene.opens)
    }

    @Test func muteAndTheModeSetByHandAreRemembered() {
        var scene = Scene(.always)
        scene.on(.mute(true))
        // Saved before the device is closed, which may take some time.
        #expect(scene.latest.first == .remember(isMuted: true, mode: nil))
        scene.on(.mute(true))
        #expect(scene.latest.isEmpty)
        scene.on(.setMode(.push))
        #expect(scene.latest.contains(.remember(isMuted: true, mode: .push)))
        scene.on(.toggleMute)
        #expect(scene.latest.contains(.remember(isMuted: false, mode: .push)))
        // Also if the configuration says the same.
        var other = Scene(.push)
        other.on(.setMode(.push))
        #expect(other.latest == [.remember(isMuted: false, mode: .push)])
    }

    @Test func mutedBoxStartsMuted() {
        var scene = Scene(.always) { $0.isMuted = true }
        #expect(scene.latest.contains(.capture(false)))
        #expect(!scene.opens)
        #expect(scene.machine.listening == .nothing)
        scene.on(.activate(.button))
        #expect(scene.latest == [.play(.muted)])
        scene.on(.mute(false))
        #expect(scene.latest.contains(.capture(true)) && scene.opens)
    }

    @Test func aTypedQuestionOpensAConversation() {
        var scene = Scene(.push)
        scene.on(.ask("What is on?"))
        // Earlier speech was not addressed to the box.
        #expect(scene.latest.prefix(2) == [.open(holdsMicrophone: false), .ask("What is on?")])
        #expect(scene.played.isEmpty)
        scene.states(.connecting, .listening, .processing, .aiSpeaking)
        scene.on(.ask("And tomorrow?"))
        #expect(scene.latest == [.ask("And tomorrow?")])
        scene.on(.conversation(.listening))
        #expect(scene.machine.phase == .followUp)
        scene.on(.stop(isSpoken: false))
        #expect(scene.closes)
        scene.on(.ask("One more"))
        #expect(scene.latest.isEmpty)
        scene.on(.conversation(.idle))
        #expect(scene.latest.prefix(2) == [.open(holdsMicrophone: false), .ask("One more")])
    }

    @Test(arguments: ActivationMode.allCases) func aTypedQuestionNeedsNoMicrophone(mode: ActivationMode) {
        var scene = Scene(mode)
        scene.on(.mute(true))
        scene.states(.idle)
        scene.on(.ask("What is on?"))
        #expect(scene.opens && !scene.latest.contains(.capture(true)))
        scene.states(.connecting, .listening)
        // With the microphone muted, no one can speak: without an answer the conversation does not stay open.
        #expect(scene.machine.phase == .awake && scene.starts(.followUp))
        scene.states(.processing, .aiSpeaking)
        scene.on(.conversation(.listening))
        #expect(scene.closes)
    }

    @Test func stopDropsWaitingTypedQuestions() {
        var scene = Scene(.push)
        scene.on(.ask("a"))
        scene.states(.connecting, .listening)
        scene.on(.stop(isSpoken: false))
        scene.on(.ask("b"))
        scene.on(.stop(isSpoken: false))
        scene.on(.conversation(.idle))
        #expect(!scene.opens)
        #expect(!scene.latest.contains(.ask("b")))
    }

    @Test func mutedBoxFinishesItsAnswer() {
        var scene = Scene.awake()
        scene.states(.userSpeaking, .processing, .aiSpeaking)
        scene.on(.mute(true))
        #expect(!scene.closes)
        scene.on(.conversation(.listening))
        #expect(scene.closes)
    }

    @Test func anOpenMicrophoneOpensAgainAfterMute() {
        var scene = Scene.awake(.always)
        scene.on(.mute(true))
        #expect(scene.closes)
        scene.on(.conversation(.idle))
        scene.on(.mute(false))
        #expect(scene.opens)
    }

    /// `ctl say` while muted, and the text is still spoken when the microphone is opened again.
    @Test func boxUnmutedWhileItSpeaksListensAfterTheText() {
        var scene = Scene.awake(.always)
        scene.on(.mute(true))
        scene.on(.conversation(.idle))
        scene.on(.say("Dinner is ready."))
        #expect(scene.latest.contains(.hearsRoom(false)))
        scene.states(.connecting, .listening, .aiSpeaking)
        scene.on(.mute(false))
        scene.on(.conversation(.listening))
        #expect(scene.latest.contains(.hearsRoom(true)))
        #expect(!scene.closes)
        #expect(scene.machine.phase != .idle)
    }

    /// A renewed budget reopens an `always` conversation, unless it was ended.
    @Test func muteEndsAConversationThatWaitsForItsBudget() {
        var scene = Scene.awake(.always)
        scene.on(.conversation(.idle))
        scene.on(.mute(true))
        #expect(scene.closes)
        #expect(scene.machine.phase == .idle)
    }

    @Test func quietHoursPlayNoChimes() {
        var scene = Scene(.push)
        scene.on(.quiet(true))
        scene.on(.activate(.button))
        #expect(scene.opens)
        #expect(scene.played.isEmpty)
        scene.states(.connecting, .listening, .userSpeaking, .processing, .aiSpeaking, .listening)
        #expect(scene.played.isEmpty)
        scene.on(.quiet(false))
        scene.on(.timer(.followUp))
        #expect(scene.played == [.goodbye])
    }

    @Test func repeatedQuietHoursAreReportedOnce() {
        var scene = Scene(.push)
        scene.on(.quiet(true))
        #expect(scene.latest == [.quiet(true)])
        scene.on(.quiet(true))
        #expect(scene.latest.isEmpty)
    }

    @Test(arguments: ActivationMode.allCases) func stopPausesMediaInEveryMode(mode: ActivationMode) {
        var scene = Scene(mode)
        scene.on(.media(true))
        if mode != .always { #expect(scene.latest == [.listen(.stop)]) }
        scene.on(.stop(isSpoken: false))
        #expect(scene.latest.contains(.pauseMedia))
        scene.on(.media(false))
        scene.on(.stop(isSpoken: false))
        #expect(!scene.latest.contains(.pauseMedia))
    }

    @Test(arguments: ActivationMode.allCases, [false, true])
    func stopAllEndsMediaOnceEvenWhileItOpens(mode: ActivationMode, isPlaying: Bool) {
        var scene = Scene.listening(mode)
        scene.on(.media(isPlaying))
        scene.on(.stopAll)
        #expect(Array(scene.latest.prefix(2)) == [.silence(isSpoken: false), .endMedia])
        #expect(!scene.latest.contains(.pauseMedia))
        #expect(scene.closes == (mode != .always), "the rest is as by the key")
    }

    @Test func wakeWordDoesNotOpenPushModeDuringMusic() {
        var scene = Scene(.push)
        scene.on(.media(true))
        scene.on(.activate(.word("jarvis")))
        #expect(scene.latest.isEmpty)
        scene.on(.activate(.button))
        #expect(scene.opens)
    }

    /// A conversation that is always open is silent for most of the day: no word is searched for that would have no effect.
    @Test(arguments: [true, false]) func stopWordsAreSearchedOnlyWhereSomethingCanStop(hearsCalls: Bool) {
        var scene = Scene(.always) { $0.hearsCalls = hearsCalls }
        scene.states(.connecting, .listening)
        #expect(scene.machine.listening == .stop, "the connection could be stopped, and a word may have begun")
        scene.on(.timer(.word))
        let rest: LocalListening = hearsCalls ? .wake : .nothing
        let heard: [(ActivationEvent, LocalListening)] = [
            (.conversation(.userSpeaking), rest), (.conversation(.processing), .stop),
            (.conversation(.aiSpeaking), .stop),
            // The word itself may be the interruption.
            (.conversation(.userSpeaking), .stop), (.conversation(.processing), .stop),
            // A word may begin over the end of a remark that is followed by another.
            (.conversation(.listening), .stop), (.conversation(.aiSpeaking), .stop), (.conversation(.listening), .stop),
            (.timer(.word), rest), (.media(true), .stop), (.media(false), .stop), (.timer(.word), rest),
            (.rings(true), .stop), (.rings(false), .stop), (.timer(.word), rest),
            (.announcing(true), .stop), (.announcing(false), .stop), (.timer(.word), rest),
        ]
        for (number, (event, words)) in heard.enumerated() {
            scene.on(event)
            #expect(scene.machine.listening == words, "\(number): \(event)")
        }
        scene.on(.conversation(.aiSpeaking))
        scene.on(.mute(true))
        #expect(scene.machine.listening == .nothing)
    }

    /// PocketSphinx takes talk for a stop now and then: where nothing is said, there must be nothing to hear of it.
    @Test func falseStopWithNothingToStopIsIgnored() {
        var always = Scene.awake(.always)
        always.on(.stop(isSpoken: true))
        #expect(always.latest == [.ignoreStop])
        always.on(.conversation(.userSpeaking))
        always.on(.stop(isSpoken: true))
        #expect(always.latest == [.ignoreStop], "it would take back what the user is saying")
        // The key always acts.
        always.on(.stop(isSpoken: false))
        #expect(always.latest == [.silence(isSpoken: false)])
        for mode in [ActivationMode.wake, .push] {
            let idle = Scene(mode).machine
            #expect(idle.listening != .stop)
        }
    }

    /// Whatever sounds, or is being worked on, is stopped immediately in a conversation that is always open too; also if the
    /// word has begun a turn of its own.
    @Test func stopActsWheneverSomethingCanStop() {
        let answers: [[ConversationState]] = [
            [.userSpeaking, .processing], [.userSpeaking, .processing, .waitingForJarvis],
            [.userSpeaking, .processing, .aiSpeaking], [.userSpeaking, .processing, .aiSpeaking, .userSpeaking],
        ]
        for states in answers {
            var scene = Scene.awake(.always)
            for state in states { scene.on(.conversation(state)) }
            scene.on(.stop(isSpoken: true))
            #expect(scene.latest.contains(.silence(isSpoken: true)), "\(states)")
        }
        for event in [ActivationEvent.media(true), .rings(true), .announcing(true)] {
            var scene = Scene.awake(.always)
            scene.on(event)
            scene.on(.stop(isSpoken: true))
            #expect(!scene.latest.contains(.ignoreStop), "\(event)")
        }
        // A conversation that was called for is ended by it.
        for state in [ConversationState.listening, .userSpeaking] {
            var scene = Scene.awake(.wake)
            scene.on(.conversation(.userSpeaking))
            scene.on(.conversation(state))
            scene.on(.stop(isSpoken: true))
            #expect(scene.latest.contains(.silence(isSpoken: true)), "\(state)")
        }
    }

    @Test func alwaysModeHasNoTimeLimits() {
        var scene = Scene.awake(.always)
        #expect(!scene.starts(.followUp))
        scene.on(.conversation(.userSpeaking))
        #expect(!scene.starts(.turn))
        scene.states(.processing, .aiSpeaking, .listening)
        #expect(
            scene.latest.allSatisfy {
                switch $0 {
                case .phaseChanged, .startTimer(.word, _): true
                default: false
                }
            })
    }

    @Test func modesChangeAtRuntime() {
        var scene = Scene(.push)
        scene.on(.setMode(.always))
        #expect(scene.opens)
        #expect(scene.latest.contains(.keepsOpen(true)))
        scene.states(.connecting, .listening)
        scene.on(.setMode(.wake))
        #expect(scene.latest.contains(.keepsOpen(false)))
        #expect(scene.latest.contains(.preRoll(true)))
        #expect(scene.starts(.followUp))
        scene.on(.timer(.followUp))
        scene.on(.conversation(.idle))
        #expect(scene.machine.listening == .wake)
        scene.on(.setMode(.push))
        #expect(scene.latest.contains(.listen(.nothing)))
    }

    /// The conversation that is ending drops it, with a line and a tone.
    @Test func ninthQuestionDuringClosingIsNotQueued() {
        var scene = Scene.answered(.wake)
        scene.on(.timer(.followUp))
        #expect(scene.machine.phase == .closing)
        let questions = (1...9).map { TypedQuestion("\($0)") }
        for question in questions {
            scene.on(.ask(question))
            #expect(scene.latest.contains(.ask(question)) == (question == questions.last))
        }
        scene.on(.conversation(.idle))
        #expect(questions.filter { scene.latest.contains(.ask($0)) } == questions.dropLast())
    }

    /// The conversation that is ending drops it, with a line and a tone.
    @Test func ninthTextDuringClosingIsNotQueued() {
        var scene = Scene.awake()
        scene.on(.timer(.followUp))
        #expect(scene.machine.phase == .closing)
        let texts = (1...9).map { "Text \($0)." }
        for text in texts {
            scene.on(.say(text))
            #expect(scene.latest.contains(.say(text)) == (text == texts.last))
        }
        scene.on(.conversation(.idle))
        #expect(texts.filter { scene.latest.contains(.say($0)) } == texts.dropLast())
    }

    @Test(arguments: [ActivationMode.wake, .always])
    func questionTypedWhileMutedSurvivesUnmuting(mode: ActivationMode) {
        var scene = Scene.awake(mode)
        scene.on(.mute(true))
        #expect(scene.machine.phase == .closing)
        scene.on(.ask(TypedQuestion("What is on?")))
        scene.on(.mute(false))
        scene.on(.conversation(.idle))
        #expect(scene.opens && scene.latest.contains(.ask(TypedQuestion("What is on?"))))
    }

    @Test func alwaysOpensOnceTheClosingSessionIsGone() {
        var scene = Scene.answered(.wake)
        scene.on(.timer(.followUp))
        #expect(scene.machine.phase == .closing)
        scene.on(.setMode(.always))
        #expect(!scene.opens)
        scene.on(.conversation(.idle))
        #expect(scene.opens && scene.played.isEmpty)
        // Changed back before that: no one called.
        var other = Scene.answered(.wake)
        other.on(.timer(.followUp))
        other.on(.setMode(.always))
        other.on(.setMode(.wake))
        other.on(.conversation(.idle))
        #expect(!other.opens && other.machine.phase == .idle)
    }

    /// Whatever the order of events: outside `always` no phase lasts without a timer, except those in which the box has
    /// the turn.
    @Test(arguments: 0..<20) func everyPhaseHasATimer(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let states: [ConversationState] = [
            .idle, .connecting, .listening, .userSpeaking, .processing, .fillerSpeaking, .waitingForJarvis, .aiSpeaking,
            .error("x"),
        ]
        var machine = ActivationMachine(options: .init())
        var timers: Set<ActivationTimer> = []
        var state = ConversationState.idle
        for _ in 0..<2000 {
            let event: ActivationEvent =
                switch Int.random(in: 0..<18, using: &random) {
                case 0: .activate(.button)
                case 1: .activate(.word("jarvis"))
                case 2: .stop(isSpoken: Bool.random(using: &random))
                case 3: .stop(isSpoken: false)
                case 4: .mute(Bool.random(using: &random))
                case 5: .setMode(ActivationMode.allCases.randomElement(using: &random) ?? .wake)
                case 6: timers.randomElement(using: &random).map { .timer($0) } ?? .refused
                case 7: .turnEnded(milliseconds: Int.random(in: 0..<4000, using: &random))
                case 12: .ask("x")
                case 13: .reset
                case 14: .silence
                case 15: .startFresh
                case 16: .say("x")
                case 17: .stopAll
                case 8: .turnBegan(milliseconds: Int.random(in: 0..<4000, using: &random))
                default: .conversation(states.randomElement(using: &random) ?? .idle)
                }
            if case .timer(let timer) = event { timers.remove(timer) }
            if case .conversation(let next) = event { state = next }
            for effect in machine.handle(event) {
                switch effect {
                case .startTimer(let timer, _): #expect(timers.insert(timer).inserted)
                case .cancelTimer(let timer): #expect(timers.remove(timer) != nil)
                default: break
                }
            }
            guard machine.mode != .always, machine.phase != .idle else { continue }
            switch state {
            case .processing, .fillerSpeaking, .waitingForJarvis, .aiSpeaking: break
            default: #expect(!timers.isEmpty, "\(machine.phase) in \(state)")
            }
        }
    }

    // MARK: Greeting

    @Test(arguments: [ActivationMode.wake, .push, .always])
    func greetingDoesNotEndAOneShot(_ mode: ActivationMode) {
        var scene = Scene(mode) {
            $0.greets = true
            $0.isOneShot = true
        }
        if mode != .always { scene.on(.activate(.button)) }
        #expect(scene.latest.contains(.greet))
        scene.states(.connecting, .listening)
        scene.states(.processing, .aiSpeaking, .listening)
        #expect(!scene.closes && scene.machine.phase == .awake)
        scene.states(.userSpeaking, .processing, .aiSpeaking, .listening)
        #expect(scene.closes == (mode != .always))
    }

    @Test func bareWakeWordKeepsTheGreetingDue() {
        var scene = Scene.awake {
            $0.greets = true
            $0.isOneShot = true
        }
        scene.states(.userSpeaking)
        scene.on(.turnEnded(milliseconds: 1600))
        #expect(scene.latest.contains(.interrupt))
        scene.states(.listening, .processing, .aiSpeaking, .listening)
        #expect(!scene.closes)
    }

    @Test func typedQuestionGetsNoGreeting() {
        var scene = Scene(.wake) { $0.greets = true }
        scene.on(.ask("What time is it?"))
        #expect(!scene.latest.contains(.greet))
        scene.states(.connecting, .listening, .processing, .aiSpeaking, .listening)
        #expect(scene.machine.phase == .followUp)
    }

}
