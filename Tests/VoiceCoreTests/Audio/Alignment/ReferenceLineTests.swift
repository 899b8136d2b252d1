import Testing

@testable import TestSupport
@testable import VoiceAudio
@testable import VoiceBase
@testable import VoiceConversation

/// A loudspeaker and a microphone on one clock, in frames since the capture side started.
///
/// Frame `p` of the played audio is heard at `start + p` and has the value `p + 1`, so that a served reference shows
/// which frames it consists of. For each captured period, one reference is served and one period is played.
private final class SimulatedLoop {
    static let period = AudioFormat.periodFrames

    var line = ReferenceLine()
    /// When the loudspeaker plays the first frame; a larger value means a longer playback buffer.
    var start: Int
    var captured = 0
    var written = 0
    /// Played position of the first frame of the last reference served; -1 before the first.
    var served = -1
    var reported = -1
    var reference = [Float](repeating: 0, count: AudioFormat.periodFrames)

    init(start: Int) { self.start = start }

    func play(_ count: Int) {
        line.append((written..<written + count).map { Float($0 + 1) }, count: count)
        written += count
    }

    /// The next period is read `late` frames after its last frame was captured; the card reports `jitter` frames too
    /// many.
    func cycle(late: Int = 30, jitter: Int = 0, writes: Int = period) {
        captured += Self.period
        let now = captured + late
        let playbackDelay = written - (now - start)
        reported =
            line.next(playbackDelay: playbackDelay + jitter, captureDelay: late, into: &reference).leadMilliseconds
        served = Int(reference[0]) - 1
        play(writes)
    }

    /// How far the reference is ahead of what was heard while the last period was captured, in frames.
    var lead: Int { served - (captured - Self.period - start) }
    var isContiguous: Bool { reference.enumerated().allSatisfy { Int($0.element) == served + $0.offset + 1 } }
}

struct ReferenceLineTests {
    private static let keep = ReferenceLine.keep

    /// A loop whose playback buffer holds `buffer` frames at each write, run until it is steady.
    private func makeLoop(buffer: Int) -> SimulatedLoop {
        let loop = SimulatedLoop(start: 0)
        loop.play(buffer)
        for _ in 0..<20 {
            loop.cycle()
        }
        loop.line.discontinuity()
        return loop
    }

    @Test func leadsByFortyMillisecondsExactly() {
        for buffer in [2880, 4800, 24_000, 48_000] {
            let loop = makeLoop(buffer: buffer)
            for turn in 0..<100 {
                loop.cycle(late: turn * 7 % 200)
                #expect(loop.lead == Self.keep)
                #expect(loop.reported == 40)
                #expect(loop.isContiguous)
            }
        }
    }

    @Test func anEchoIsFoundFortyMillisecondsAfterItsReference() throws {
        var line = ReferenceLine()
        let impulse = 20_000
        let buffer = 4800
        let air = 144
        var reference = [Float](repeating: 0, count: 480)
        var found: Int?
        line.append([Float](repeating: 0, count: buffer), count: buffer)
        for period in 0..<80 {
            // The period is read as soon as it is complete: nothing waits on the capture side.
            _ = line.next(playbackDelay: buffer - 480, captureDelay: 0, into: &reference)
            if let index = reference.firstIndex(of: 1) { found = period * 480 + index }
            let first = buffer + period * 480
            line.append((first..<first + 480).map { $0 == impulse ? 1 : 0 }, count: 480)
        }
        let echo = impulse + air
        #expect(try echo - #require(found) == Self.keep + air)
    }

    @Test func shortDelayServesTheNewestFrames() {
        let loop = makeLoop(buffer: 1440)
        for _ in 0..<50 {
            loop.cycle(late: 30)
            #expect(loop.served == loop.written - 960)
            #expect(loop.lead == 960)
            #expect(loop.reported == 20)
            #expect(loop.isContiguous)
        }
    }

    @Test func jitterDoesNotMoveTheReference() {
        var random = SeededGenerator(seed: 5)
        for buffer in [1440, 2400, 4800, 24_000] {
            let loop = makeLoop(buffer: buffer)
            loop.cycle()
            let lead = loop.lead
            let alignments = loop.line.alignments
            for _ in 0..<1000 {
                loop.cycle(late: .random(in: 0...400, using: &random), jitter: .random(in: -48...48, using: &random))
                #expect(loop.lead == lead)
                #expect(loop.isContiguous)
            }
            #expect(loop.line.alignments == alignments)
        }
    }

    @Test func singleWrongDelayIsIgnored() {
        let loop = makeLoop(buffer: 9600)
        for turn in 0..<200 {
            loop.cycle(jitter: turn % 70 == 50 ? 1500 : 0)
            #expect(loop.lead == Self.keep)
        }
    }

    @Test func anUnannouncedJumpIsFollowedAfterHalfASecond() {
        for jump in [4800, 960, -960, -1920] {
            let loop = makeLoop(buffer: 9600)
            loop.cycle()
            loop.start += jump
            var periods = 0
            while loop.lead != Self.keep, periods < 200 {
                loop.cycle(jitter: periods % 3 - 1)
                periods += 1
                if (loop.lead - Self.keep).magnitude < 24 { break }
            }
            #expect((50...60).contains(periods))
            #expect((loop.lead - Self.keep).magnitude < 24)
            #expect(loop.line.alignments == 3)
        }
    }

    @Test func smallShiftIsNotCorrected() {
        let loop = makeLoop(buffer: 9600)
        loop.cycle()
        loop.start += 150
        for _ in 0..<300 {
            loop.cycle()
        }
        #expect(loop.lead == Self.keep + 150)
        #expect(loop.line.alignments == 2)
    }

    @Test func announcedXrunIsFollowedInTheSameCycle() {
        let loop = makeLoop(buffer: 9600)
        loop.cycle()
        loop.start += 4800
        loop.line.discontinuity()
        loop.cycle()
        #expect(loop.lead == Self.keep)
    }

    @Test func slowDriftIsFollowedInSmallSteps() {
        let loop = makeLoop(buffer: 9600)
        for turn in 0..<6000 {
            // 200 ppm: about a frame every ten periods.
            if turn.isMultiple(of: 10) { loop.start += 1 }
            loop.cycle()
            #expect((loop.lead - Self.keep).magnitude < 260)
        }
        #expect((3...5).contains(loop.line.alignments))
    }

    @Test func replacedFramesAreServedAsHeard() {
        let loop = makeLoop(buffer: 9600)
        loop.cycle()
        // 100 ms are taken back and rewritten as zeros.
        loop.line.dropNewest(4800)
        loop.line.append([Float](repeating: 0, count: 4800), count: 4800)
        let replaced = loop.written - 4800
        let alignments = loop.line.alignments
        for _ in 0..<30 {
            let expected = loop.served + 480
            loop.cycle()
            for (offset, value) in loop.reference.enumerated() {
                let frame = expected + offset
                let zeroed = frame >= replaced && frame < replaced + 4800
                #expect(value == (zeroed ? 0 : Float(frame + 1)))
            }
            loop.served = expected
        }
        #expect(loop.line.alignments == alignments)
    }

    @Test func framesFlushedForGoodKeepTheAlignment() {
        let loop = makeLoop(buffer: 9600)
        loop.cycle()
        // From now on the card holds 100 ms less; when audio is heard does not change.
        loop.line.dropNewest(4800)
        loop.written -= 4800
        for _ in 0..<100 {
            loop.cycle()
            #expect(loop.lead == Self.keep)
        }
    }

    @Test func flushBelowTheLeadStaysCausal() {
        let loop = makeLoop(buffer: 4800)
        loop.cycle()
        loop.line.dropNewest(3840)
        loop.written -= 3840
        for _ in 0..<100 {
            loop.cycle()
            #expect(loop.lead >= 0)
            #expect(loop.lead < Self.keep)
            #expect(loop.reported == loop.lead / 48)
            #expect(loop.isContiguous)
        }
    }

    /// The card reports the same delay as at an earlier start, when the echo was 2 ms earlier; a stored bias beyond
    /// what a room and a card can cause is ignored.
    @Test(arguments: [(96.0, 96), (-240, -240), (0, 0), (961, 0), (.nan, 0), (-.infinity, 0)])
    func startsAtTheRememberedDelay(bias: Double, earlier: Int) {
        let loop = makeLoop(buffer: 9600)
        loop.cycle()
        loop.line.expect(bias: bias)
        for _ in 0..<100 {
            loop.cycle()
            #expect(loop.lead == Self.keep - earlier)
        }
        #expect(loop.line.confirmedBias == nil)
    }

    @Test func referenceIsSilentBeforePlayback() {
        var line = ReferenceLine()
        var reference = [Float](repeating: 1, count: 480)
        for _ in 0..<10 {
            #expect(line.next(playbackDelay: 0, captureDelay: 480, into: &reference).leadMilliseconds == 10)
            #expect(reference.allSatisfy { $0 == 0 })
        }
    }

    @Test func absurdDelaysDoNoHarm() {
        var line = ReferenceLine()
        var random = SeededGenerator(seed: 9)
        var reference = [Float](repeating: 0, count: 480)
        let block = [Float](repeating: 0.5, count: 5000)
        for _ in 0..<3000 {
            line.append(block, count: .random(in: 0...5000, using: &random))
            line.dropNewest(.random(in: -100...80_000, using: &random))
            let milliseconds = line.next(
                playbackDelay: .random(in: -200_000...200_000, using: &random),
                captureDelay: .random(in: -1000...200_000, using: &random), into: &reference
            ).leadMilliseconds
            #expect((0...40).contains(milliseconds))
            #expect(reference.allSatisfy { $0 == 0 || $0 == 0.5 })
        }
    }
}
