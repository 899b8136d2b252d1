import Testing

@testable import TestSupport
@testable import VoiceAudio
@testable import VoiceConversation

/// The reference line, the search and the tracker together, in a room whose true delay is known.
struct EchoAlignmentTests {
    private static let keep = Double(ReferenceLine.keep)
    /// 0.05 ms in frames.
    private static let close = 2.4

    /// The largest error of the reference within some periods, in frames.
    private func worstError(of room: SimulatedEcho, periods: Int) -> Double {
        var worst = 0.0
        for _ in 0..<periods {
            room.cycle()
            worst = max(worst, (room.lead - Self.keep).magnitude)
        }
        return worst
    }

    @Test(arguments: [0.0, 50, 200, -200])
    func followsTheDriftOfTwoClocks(ppm: Double) {
        let room = SimulatedEcho(air: 100.3, ppm: ppm, source: placeNoise(1))
        room.run(seconds: 10)
        #expect(worstError(of: room, periods: 2000) < Self.close)
        #expect((room.stage.tracker.drift * 1e6 - ppm).magnitude < 2)
        #expect(room.last.isConfirmed)
        #expect(room.last.leadMilliseconds == 40)
        #expect(room.echo.jumps == 0)
        #expect(room.line.alignments == 2)
    }

    /// `DriftControl` starts to follow the other clock immediately, while the echo is heard or in a pause of 20 s.
    @Test(arguments: [120.0, -120], [false, true])
    func changedFeedRateMovesNothing(ppm: Double, isPause: Bool) {
        let noise = placeNoise(14)
        let room = SimulatedEcho(air: 100.3, ppm: ppm) { isPause && 480_000..<1_440_000 ~= $0 ? 0 : noise($0) }
        room.run(seconds: 9.9)
        room.step = 1 - ppm * 1e-6
        #expect(worstError(of: room, periods: 2500) < Self.close)
        #expect((room.stage.tracker.drift * 1e6 - ppm).magnitude < 4)
        #expect(room.line.alignments == 2)
    }

    /// The usual case of two cards: they have been in step for hours when the echo is first found.
    @Test func constantFeedRateCountsAsOneClock() {
        let room = SimulatedEcho(ppm: 120, source: placeNoise(15))
        room.step = 1 - 120e-6
        room.run(seconds: 3)
        #expect((room.lead - Self.keep).magnitude < Self.close)
        #expect(room.stage.tracker.drift.magnitude < 2e-6)
    }

    @Test(arguments: [2880.0, -2880])
    func aWrongStartIsCorrectedInAboutASecond(error: Double) {
        let room = SimulatedEcho(air: error + 20, buffer: 9600, source: placeNoise(2))
        var periods = 0
        while (room.lead - Self.keep).magnitude > Self.close, periods < 300 {
            room.cycle()
            periods += 1
        }
        #expect(periods <= 100)
        room.run(seconds: 5)
        #expect((room.lead - Self.keep).magnitude < Self.close)
        #expect(room.echo.jumps == 1)
        #expect(room.line.alignments == 2)
    }

    /// The jump is not announced, and the card's delays do not show it.
    @Test(arguments: [4800.0, -2400])
    func aHiddenJumpIsFollowedWithinASecondAndAHalf(jump: Double) {
        let room = SimulatedEcho(buffer: 12_000, source: placeNoise(3))
        for phase in 0..<3 {
            room.run(seconds: 5 + 0.11 * Double(phase))
            room.delayBy(phase.isMultiple(of: 2) ? jump : -jump, hidden: true)
            var periods = 0
            while (room.lead - Self.keep).magnitude > Self.close, periods < 400 {
                room.cycle()
                periods += 1
                if room.last.cause == .moved {
                    #expect(room.last.echoShift == 0)
                    #expect((Double(room.last.jump).magnitude - jump.magnitude).magnitude < Self.close)
                }
            }
            #expect(periods <= 150)
        }
    }

    /// The talker is louder than the echo, whose delay has not changed.
    /// A reflection nearly as loud as the direct path makes each search a guess; that they agree is the proof.
    @Test(arguments: [0.9, -0.97] as [Float])
    func equallyLoudReflectionDoesNotHideTheEcho(reflection: Float) {
        let source = placeNoise(14)
        let room = SimulatedEcho(air: 48, source: source)
        room.near = { reflection * 0.5 * source($0 - 48 - 370) }
        room.run(seconds: 2)
        #expect(room.last.isConfirmed)
        #expect((room.lead - Self.keep).magnitude < 370 + Self.close)
    }

    @Test func talkerLikeTheLoudspeakerMovesNothing() {
        let source = placeNoise(12)
        let room = SimulatedEcho(source: source)
        room.gain = 0.3
        room.run(seconds: 5)
        room.near = { $0 / 48_000 % 4 < 2 ? source($0 - 48 - 576) : 0 }
        for _ in 0..<2000 {
            room.cycle()
            #expect((room.lead - Self.keep).magnitude < Self.close)
        }
        #expect(room.echo.jumps == 0)
    }

    /// Nothing was played whose echo could be in the window, but earlier audio resembles the talker.
    @Test func aWordRepeatedInTheRoomMovesNothing() {
        let noise = placeNoise(13)
        let length = 9600
        let pause = 3 * 48_000
        let source: (Int) -> Float = { $0 < 5 * 48_000 || $0 % pause < length ? noise($0) : 0 }
        let room = SimulatedEcho(source: source)
        room.run(seconds: 5)
        room.near = { $0 % pause >= length + 480 ? source($0 - 20_000) : 0 }
        for _ in 0..<3000 {
            room.cycle()
            #expect((room.lead - Self.keep).magnitude < Self.close)
        }
        #expect(room.echo.jumps == 0)
    }

    @Test func announcedJumpIsConfirmedInHalfASecond() {
        let room = SimulatedEcho(air: 150, buffer: 12_000, source: placeNoise(4))
        room.run(seconds: 10)
        room.delayBy(4800, hidden: false)
        room.line.discontinuity()
        room.cycle()
        #expect(room.last.cause == .discontinuity)
        #expect(!room.last.isConfirmed)
        #expect(room.echo.isAligned == false)
        // The delays show the jump; their error of 150 frames is known from before.
        #expect((room.lead - Self.keep).magnitude < 5)
        room.run(seconds: 0.55)
        #expect(room.last.isConfirmed)
        #expect(room.echo.isAligned == true)
    }

    @Test func misreportedJumpIsFollowedInHalfASecond() {
        let room = SimulatedEcho(buffer: 12_000, source: placeNoise(5))
        room.run(seconds: 10)
        room.delayBy(4800, hidden: true)
        room.line.discontinuity()
        room.run(seconds: 0.55)
        #expect((room.lead - Self.keep).magnitude < Self.close)
    }

    @Test func reportedJumpIsFollowedWithinASecond() {
        let room = SimulatedEcho(air: 150, buffer: 12_000, source: placeNoise(5))
        room.run(seconds: 5)
        room.delayBy(4800, hidden: false)
        var shifts = 0
        for _ in 0..<100 {
            room.cycle()
            shifts += room.last.echoShift.magnitude > 48 ? 1 : 0
        }
        #expect((room.lead - Self.keep).magnitude < 12)
        // What the canceller has learned remains valid.
        #expect(shifts == 0)
        room.run(seconds: 3)
        #expect((room.lead - Self.keep).magnitude < Self.close)
        #expect(room.last.isConfirmed)
    }

    @Test func silenceKeepsTheKnownDrift() {
        let source = placeNoise(6)
        let room = SimulatedEcho(ppm: 80) { $0 < 15 * 48_000 ? source($0) : 0 }
        room.run(seconds: 45)
        #expect(room.last.isConfirmed)
        // At 80 ppm, half a minute without an echo would amount to 2.4 ms.
        #expect((room.lead - Self.keep).magnitude < 24)
        #expect(room.line.alignments == 2)
    }

    @Test func firstCorrectionIsOneReportedStep() {
        let room = SimulatedEcho(air: 150, source: placeNoise(7))
        var steps: [Int] = []
        for _ in 0..<800 {
            room.cycle()
            if room.last.cause == .found { steps.append(room.last.echoShift) }
        }
        #expect(steps == [-150])
        #expect(room.echo.jumps == 0)
        #expect((room.lead - Self.keep).magnitude < Self.close)
    }

    /// The whole delay is 15 ms, so no newer audio has been written. Then it becomes long enough.
    @Test func shortDelayUsesTheAvailableLead() {
        let room = SimulatedEcho(air: 40, buffer: 1200, source: placeNoise(7))
        room.run(seconds: 5)
        #expect(room.last.isConfirmed)
        #expect((0...40).contains(room.last.leadMilliseconds))
        #expect((room.lead - Double(room.line.block.lead)).magnitude < Self.close)
        room.delayBy(4800, hidden: true)
        var shift = 0
        for _ in 0..<200 {
            room.cycle()
            if room.last.cause == .moved { shift = room.last.echoShift }
        }
        #expect(room.last.leadMilliseconds == 40)
        #expect((room.lead - Self.keep).magnitude < Self.close)
        #expect(shift > 0)
    }

    @Test func smallMoveIsFollowedWithoutAStep() {
        let room = SimulatedEcho(source: placeNoise(7))
        room.run(seconds: 5)
        room.delayBy(100, hidden: true)
        room.cycle()
        var before = room.lead
        for _ in 0..<1200 {
            room.cycle()
            #expect((room.lead - before).magnitude < 1.1)
            #expect(room.last.cause == .none)
            #expect(room.last.jump == 0)
            before = room.lead
        }
        #expect((room.lead - Self.keep).magnitude < Self.close)
    }

    @Test func doubleTalkDoesNotDisturbTheAlignment() {
        let room = SimulatedEcho(air: 60, ppm: 30, source: placeNoise(8))
        room.gain = 0.2
        room.run(seconds: 10)
        let talker = placeNoise(9, amplitude: 0.08)
        room.near = { $0 / 24_000 % 3 == 0 ? 0 : talker($0) }
        for _ in 0..<1000 {
            room.cycle()
            #expect((room.lead - Self.keep).magnitude < Self.close)
        }
    }

    @Test func withoutAnEchoFramesPassUnchanged() {
        let room = SimulatedEcho(source: placeNoise(10))
        room.gain = 0
        room.near = placeNoise(11, amplitude: 0.01)
        room.run(seconds: 8)
        #expect(!room.last.isConfirmed)
        #expect(room.changes.isEmpty)
        #expect(room.line.alignments == 1)
        #expect(room.lead == Self.keep + 48)
    }

    @Test func jitterOfTheDelaysDoesNotMatterOnceConfirmed() {
        let room = SimulatedEcho(air: 70, ppm: 20, source: placeNoise(12))
        room.run(seconds: 10)
        let alignments = room.line.alignments
        var random = SeededGenerator(seed: 1)
        for _ in 0..<1000 {
            room.cycle(lie: .random(in: -100...100, using: &random))
            #expect((room.lead - Self.keep).magnitude < Self.close)
        }
        #expect(room.line.alignments == alignments)
    }

    /// The echo overrides a card whose reported delays drift away from the truth for good.
    @Test func creepingDelaysAreNotFollowed() {
        let room = SimulatedEcho(source: placeNoise(13))
        room.run(seconds: 5)
        let alignments = room.line.alignments
        for period in 0..<2500 { room.cycle(lie: period / 8) }
        #expect((room.lead - Self.keep).magnitude < Self.close)
        #expect(room.line.alignments == alignments)
    }

    @Test func alignsAfterMonthsOfPositions() {
        let weeks = 48_000 * 86_400 * 300
        let room = SimulatedEcho(air: 33.4, ppm: 200, origin: weeks / 480 * 480, source: placeNoise(14))
        room.run(seconds: 20)
        #expect((room.lead - Self.keep).magnitude < Self.close)
        #expect(room.last.isConfirmed)
    }

    @Test func longRunFollowsFarApartClocks() {
        // 480 ppm over a minute amount to 29 ms.
        let room = SimulatedEcho(ppm: -480, buffer: 4800, source: placeNoise(15))
        room.run(seconds: 60)
        #expect((room.lead - Self.keep).magnitude < Self.close)
        #expect(room.line.alignments == 2)
    }

    @Test func newLineOnTheSamePortsStartsAfresh() {
        let room = SimulatedEcho(source: placeNoise(16))
        room.run(seconds: 5)
        var line = ReferenceLine(epoch: room.ports.alignment.nextEpoch)
        var tap = AlignmentTap()
        var output = [Float](repeating: 0, count: 480)
        let correction = tap.correction(from: room.ports.alignment)
        #expect(correction != nil)
        for _ in 0..<3 {
            let period = line.next(playbackDelay: 960, captureDelay: 0, correction: correction, into: &output)
            #expect(!period.isConfirmed)
        }
    }
}
