import Testing

@testable import VoiceAudio

struct BargeInGateTests {
    private static let echo = EchoReading.echo(erle: 25)

    /// Feeds the readings while the box plays; returns the steps.
    private func run(
        _ gate: inout BargeInGate,
        _ readings: [EchoReading],
        _ permission: BargeInGate.Permission = .guarded,
        isPlaying: Bool = true
    ) -> [BargeInGate.Step] {
        readings.map { gate.step($0, permission: permission, isPlaying: isPlaying) }
    }

    private func release(in steps: [BargeInGate.Step]) -> (index: Int, periods: Int)? {
        for (index, step) in steps.enumerated() {
            if case .release(let periods) = step { return (index, periods) }
        }
        return nil
    }

    @Test(arguments: [BargeInGate.Permission.open, .guarded, .shut])
    func gateIsOpenWhileTheBoxIsSilent(_ permission: BargeInGate.Permission) {
        var gate = BargeInGate()
        let steps = run(
            &gate, Array(repeating: .silence, count: 50) + Array(repeating: .talker, count: 50), permission,
            isPlaying: false
        )
        #expect(steps.allSatisfy { $0 == .pass })
    }

    @Test func cancelledEchoIsHeld() {
        var gate = BargeInGate()
        let steps = run(&gate, Array(repeating: .echo(erle: 25, voice: true), count: 1000))
        #expect(steps.allSatisfy { $0 == .hold })
    }

    @Test func talkerOpensTheGateWithTheWholeFirstWord() throws {
        var gate = BargeInGate()
        _ = run(&gate, Array(repeating: Self.echo, count: 100))
        // Every third period of the talker is a pause or a soft consonant.
        let talk = (0..<60).map { $0 % 3 == 2 ? Self.echo : EchoReading.doubleTalk() }
        let steps = run(&gate, talk)
        let opening = try #require(release(in: steps))
        #expect(opening.index < 30)
        #expect(opening.periods >= opening.index + BargeInGate.lead)
        #expect(opening.periods <= UplinkLine.capacity)
        #expect(steps[(opening.index + 1)...].allSatisfy { $0 == .pass })
    }

    @Test func clearTalkerOpensTheGateSooner() throws {
        var clear = EchoReading.doubleTalk()
        clear.output = clear.microphone - 2
        var gate = BargeInGate()
        _ = run(&gate, Array(repeating: Self.echo, count: 100))
        let opening = try #require(release(in: run(&gate, Array(repeating: clear, count: 60))))
        #expect(opening.index < BargeInGate.needed - 1)
    }

    private static let noTalkers: [(String, EchoReading)] = [
        ("no speech", .made(microphone: -28, output: -30)),
        ("too quiet", .made(microphone: -45, output: -51, voice: true)),
        ("too much was taken off", .made(microphone: -20, output: -45, voice: true)),
    ]

    @Test(arguments: noTalkers)
    func gateStaysShutForEcho(_ why: String, _ reading: EchoReading) {
        var gate = BargeInGate()
        #expect(run(&gate, Array(repeating: reading, count: 200)).allSatisfy { $0 == .hold }, "\(why)")
    }

    /// A gain control lifts the room's noise to the level of a talker, and the detector hears a voice in it.
    @Test func loudNoiseStaysOutAndATalkerOverItIsHeard() {
        func open(_ level: Float) -> Bool {
            var gate = BargeInGate()
            let reading = EchoReading.made(microphone: level, output: level - 10, voice: true)
            for _ in 0..<200 { _ = gate.step(reading, permission: .guarded, isPlaying: true, noise: -29) }
            return gate.isOpen
        }
        #expect(!open(-28))
        #expect(open(-24))
    }

    @Test func shortNoisesDoNotOpenTheGate() {
        var gate = BargeInGate()
        let burst = Array(repeating: EchoReading.doubleTalk(), count: 8) + Array(repeating: Self.echo, count: 28)
        #expect(run(&gate, burst + burst + burst).allSatisfy { $0 == .hold })
    }

    @Test func gateShutsAfterTheTalker() throws {
        var gate = BargeInGate()
        _ = run(&gate, Array(repeating: Self.echo, count: 50) + Array(repeating: .doubleTalk(), count: 50))
        #expect(gate.isOpen)
        let after = run(&gate, Array(repeating: Self.echo, count: 200))
        let shut = try #require(after.firstIndex(of: .hold))
        #expect((BargeInGate.hold...BargeInGate.hold + 20).contains(shut))
        #expect(after[shut...].allSatisfy { $0 == .hold })
    }

    @Test func voiceDoesNotCutOffACurrentTalker() {
        var gate = BargeInGate()
        _ = run(&gate, Array(repeating: .talker, count: 40), isPlaying: false)
        #expect(run(&gate, Array(repeating: .doubleTalk(), count: 100)).allSatisfy { $0 == .pass })
    }

    /// A residual as loud as a talker that has the spectrum of the echo.
    private static let missed = {
        var reading = EchoReading.doubleTalk()
        reading.isShapedLikeEcho = true
        return reading
    }()

    @Test func echoOfAMovedBoxIsHeldUntilRecognised() {
        var gate = BargeInGate()
        _ = run(&gate, Array(repeating: Self.echo, count: 100))
        var recognised = Self.echo
        recognised.isShapedLikeEcho = true
        let moved = Array(repeating: Self.missed, count: 50) + Array(repeating: recognised, count: 100)
        #expect(run(&gate, moved).allSatisfy { $0 == .hold })
    }

    @Test(arguments: [5, 20, 300])
    func echoLikeTalkerIsReleasedLateButWhole(alike: Int) throws {
        var gate = BargeInGate()
        _ = run(&gate, Array(repeating: Self.echo, count: 100))
        let talk = Array(repeating: Self.missed, count: BargeInGate.needed + alike)
        let steps = run(&gate, talk + Array(repeating: .doubleTalk(), count: 100))
        let opening = try #require(release(in: steps))
        #expect(opening.index <= BargeInGate.needed + min(alike, BargeInGate.doubt))
        #expect(opening.periods == min(UplinkLine.capacity, opening.index + BargeInGate.lead))
        #expect(steps[(opening.index + 1)...].allSatisfy { $0 == .pass })
    }

    @Test func heardTalkerStaysHeard() {
        var gate = BargeInGate()
        _ = run(&gate, Array(repeating: Self.echo, count: 50) + Array(repeating: .doubleTalk(), count: 50))
        #expect(run(&gate, Array(repeating: Self.missed, count: 100)).allSatisfy { $0 == .pass })
    }

    @Test func talkAtTheEndOfTheVoiceIsReleasedWhole() {
        var gate = BargeInGate()
        _ = run(&gate, Array(repeating: Self.echo, count: 50) + Array(repeating: .doubleTalk(), count: 7))
        let step = gate.step(.talker, permission: .guarded, isPlaying: false)
        #expect(step == .release(7 + BargeInGate.lead))
    }

    @Test func echoAtTheEndOfTheVoiceIsNotReleased() {
        var gate = BargeInGate()
        _ = run(&gate, Array(repeating: Self.echo, count: 50))
        let step = gate.step(.silence, permission: .guarded, isPlaying: false)
        #expect(step == .release(0))
    }

    @Test func halfDuplexNeverOpensTheGate() {
        var gate = BargeInGate()
        _ = run(&gate, Array(repeating: .talker, count: 40), isPlaying: false)
        #expect(run(&gate, Array(repeating: .doubleTalk(), count: 300), .shut).allSatisfy { $0 == .hold })
        // No earlier audio is released afterwards.
        let step = gate.step(.talker, permission: .shut, isPlaying: false)
        #expect(step == .release(0))
    }
}
