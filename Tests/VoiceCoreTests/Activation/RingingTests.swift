import Testing

@testable import VoiceActivation
@testable import VoiceBase
@testable import VoiceConversation

/// What ends the ringing of a timer, and the side effects of that.
struct RingingTests {
    private func machine(_ mode: ActivationMode, _ events: ActivationEvent...) -> ActivationMachine {
        var options = ActivationMachine.Options()
        options.mode = mode
        var machine = ActivationMachine(options: options)
        for event in [.start] + events { _ = machine.handle(event) }
        return machine
    }

    @Test(arguments: ActivationMode.allCases) func keyEndsRingingAndOpensNoSession(mode: ActivationMode) {
        var machine = machine(mode, .rings(true))
        let phase = machine.phase
        let effects = machine.handle(.activate(.button))
        let listening = machine.listening
        #expect(effects.filter { $0 != .listen(listening) } == [.stopRinging])
        #expect(machine.phase == phase)
        if mode == .push {
            let next = machine.handle(.activate(.button))
            #expect(next.contains(.open(holdsMicrophone: true)), "the next press calls")
        }
    }

    @Test(arguments: [true, false]) func stopEndsOnlyTheRinging(isSpoken: Bool) {
        var machine = machine(
            .wake, .activate(.command), .conversation(.connecting), .conversation(.listening), .media(true),
            .rings(true)
        )
        let effects = machine.handle(.stop(isSpoken: isSpoken))
        #expect(effects == [.silence(isSpoken: isSpoken), .stopRinging])
        #expect(machine.phase == .awake)
        let next = machine.handle(.stop(isSpoken: isSpoken))
        #expect(next.contains(.pauseMedia), "the next stop is an ordinary one")
    }

    /// In `push` the box listens for nothing else.
    @Test(arguments: ActivationMode.allCases) func stopWordsAreHeardWhileRinging(mode: ActivationMode) {
        var machine = machine(mode)
        let before = machine.listening
        _ = machine.handle(.rings(true))
        #expect(machine.listening == .stop)
        _ = machine.handle(.rings(false))
        #expect(machine.listening == before)
    }

    /// An announcement, or a notice that the service is away.
    @Test(arguments: ActivationMode.allCases) func stopWordsAreHeardWhileTheBoxAnnounces(mode: ActivationMode) {
        var machine = machine(mode)
        let before = machine.listening
        _ = machine.handle(.announcing(true))
        #expect(machine.listening == .stop)
        let effects = machine.handle(.stop(isSpoken: true))
        #expect(effects == [.silence(isSpoken: true)], "it is silenced, and nothing else")
        _ = machine.handle(.announcing(false))
        #expect(machine.listening == before)
    }

    @Test func aMutedMicrophoneHearsNoStop() {
        var machine = machine(.wake, .mute(true), .announcing(true), .rings(true))
        #expect(machine.listening == .nothing)
        let effects = machine.handle(.toggleMute)
        #expect(effects.contains(.stopRinging))
    }

    @Test func wakeWordIsHeardWhileRinging() {
        var machine = machine(.wake, .rings(true))
        let effects = machine.handle(.activate(.word("jarvis")))
        #expect(effects.contains(.open(holdsMicrophone: true)))
    }
}
