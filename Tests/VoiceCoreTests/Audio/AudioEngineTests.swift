import CLinux
import Glibc
import Testing

@testable import TestSupport
@testable import VoiceAudio
@testable import VoiceBase
@testable import VoiceConversation

struct AudioEngineTests {
    /// An engine on a simulated card, driven period by period.
    private struct Rig: ~Copyable {
        let card: SimulatedCard
        let ports: AudioPorts
        var engine: AudioEngine<SimulatedDevice>

        // Swift 6.2 miscompiles a noncopyable type's initializer that throws when half is initialized.
        init(automaticGain: Bool = false, cancels: Bool = true, prepare: (SimulatedCard) -> Void = { _ in }) throws {
            let card = SimulatedCard()
            let ports = AudioPorts()
            prepare(card)
            var configuration = AudioConfiguration()
            // All audio passes immediately.
            configuration.duplex = .full
            configuration.automaticGain = automaticGain
            configuration.echoCanceller.echoCancellation = cancels
            if !cancels { configuration.echoCanceller.noiseSuppression = .off }
            engine = try AudioEngine(device: SimulatedDevice(card: card), ports: ports, configuration: configuration)
            self.card = card
            self.ports = ports
            engine.start()
        }

        /// Returns whether the engine still runs.
        @discardableResult
        mutating func run(_ periods: Int) -> Bool {
            for _ in 0..<periods where !engine.cycle() { return false }
            return true
        }

        func speak(_ samples: [Int16]) {
            let written = ports.voice.ring.write(samples, count: samples.count)
            #expect(written == samples.count)
        }

        /// The upsampler's output for the voice, followed by silence.
        static func upsampled(_ samples: [Int16], periods: Int) -> [Float] {
            var upsampler = VoiceUpsampler()
            let padded = samples + [Int16](repeating: 0, count: periods * 240 - samples.count)
            var out: [Float] = []
            var block = [Float](repeating: 0, count: 480)
            for period in 0..<periods {
                let input = Array(padded[period * 240..<(period + 1) * 240])
                upsampler.process(input, count: 240, into: &block)
                out += block
            }
            return out
        }
    }

    /// A tone that begins and ends at zero.
    private static func tone(_ samples: Int, step: Int = 0) -> [Int16] {
        (0..<samples).map { index in
            let triangle = (index * 40) % 4000
            let value = triangle < 1000 ? triangle : triangle < 3000 ? 2000 - triangle : triangle - 4000
            return Int16(value * 10 * min(index, samples - 1 - index, 100) / 100)
        }
    }

    @Test func playsVoiceUnchangedAndWithoutAGap() throws {
        var rig = try Rig()
        let voice = Self.tone(2400)
        rig.run(10)
        rig.speak(voice)
        rig.run(20)
        let expected = Rig.upsampled(voice, periods: 12)
        let start = try #require(rig.card.played.firstIndex { $0 != 0 })
        let first = try #require(expected.firstIndex { $0 != 0 })
        let heard = Array(rig.card.played[(start - first)...].prefix(expected.count))
        #expect(heard == expected)
        #expect(rig.ports.gauges.counters.playbackXruns == 0)
        #expect(rig.ports.gauges.counters.voiceUnderruns == 1)
    }

    /// The tasks around the audio thread sleep until it rings: at the onset of sound, and never for silence.
    @Test func bellRingsOnceForAnUtteranceAndNeverInSilence() throws {
        var rig = try Rig()
        rig.run(100)
        let before = rig.ports.bell.rings
        rig.run(6000)
        #expect(rig.ports.bell.rings == before)
        rig.speak(Self.tone(12_000))
        rig.run(300)
        #expect(rig.ports.bell.rings == before + 1)
    }

    @Test func echoOfPlayedSoundIsFound() throws {
        var rig = try Rig { card in
            // 3.5 ms of air and converters that the card does not report.
            card.microphone = { [unowned card] frame in frame >= 168 ? card.played[frame - 168] * 0.3 : 0 }
        }
        var stage = AlignmentStage()
        var random = SeededGenerator(seed: 1)
        for _ in 0..<20 {
            rig.speak((0..<2400).map { _ in .random(in: -3000...3000, using: &random) })
            rig.run(10)
            stage.step(rig.ports.alignment)
        }
        #expect(rig.ports.gauges.echo.isAligned == true)
        #expect(rig.ports.gauges.echo.jumps == 0)
        // Four periods, less the one being written, plus the air.
        let delay = Int(((rig.ports.gauges.echo.delay ?? 0) * 10).rounded())
        let said = rig.ports.gauges.playbackDelayFrames * 10 / 48
        #expect((delay - said - 35).magnitude <= 2)
        // A playback xrun: the alignment is invalid until the echo is found again.
        rig.card.faults[rig.card.reads + 1] = .playbackXrun
        rig.run(2)
        #expect(rig.ports.gauges.echo.isAligned == false)
    }

    /// Wake words are looked for in what the canceller leaves, noise and all; only the service gets it without.
    @Test func wordsAreHeardBeforeNoiseIsSuppressed() throws {
        var random = SeededGenerator(seed: 5)
        var rig = try Rig { card in
            card.microphone = { _ in .random(in: -0.02...0.02, using: &random) }
        }
        rig.ports.words.isWanted = true
        func level(of ring: borrowing SampleRing<Int16>) -> Double {
            var block = [Int16](repeating: 0, count: 24_000)
            let count = ring.read(into: &block, count: 24_000)
            #expect(count == 24_000)
            return decibels(rms(block.map { Float($0) / 32_768 }))
        }
        for _ in 0..<4 {
            rig.run(100)
            rig.ports.words.ring.skip(to: rig.ports.words.ring.writePosition)
            rig.ports.microphone.ring.skip(to: rig.ports.microphone.ring.writePosition)
        }
        rig.run(100)
        let (words, sent) = (level(of: rig.ports.words.ring), level(of: rig.ports.microphone.ring))
        #expect(words > sent + 10, "\(words) and \(sent) dBFS")
        // A muted microphone is muted for them as well.
        rig.ports.requests.isMicrophoneMuted = true
        rig.run(100)
        #expect(level(of: rig.ports.words.ring) < -110)
    }

    /// A far voice is made louder for the voice service; the words' engines were measured without that.
    @Test func wordsAreHeardBeforeAutomaticGain() throws {
        func levels(automaticGain: Bool) throws -> (words: Double, sent: Double) {
            var rig = try Rig(automaticGain: automaticGain) { card in
                // Syllables of a voice at 150 Hz, about -50 dBFS.
                card.microphone = { frame in
                    let harmonics = (1...12).reduce(Float(0)) { sum, harmonic in
                        let phase: Float = Float(harmonic * 150 * (frame % 48_000)) / 48_000 * 2 * .pi
                        return sum + sin(phase) / Float(harmonic)
                    }
                    return frame / 9600 % 2 == 0 ? harmonics * 0.005 : 0
                }
            }
            rig.ports.words.isWanted = true
            for _ in 0..<10 {
                rig.run(100)
                rig.ports.words.ring.skip(to: rig.ports.words.ring.writePosition)
                rig.ports.microphone.ring.skip(to: rig.ports.microphone.ring.writePosition)
            }
            rig.run(100)
            func level(of ring: borrowing SampleRing<Int16>) -> Double {
                var block = [Int16](repeating: 0, count: 24_000)
                _ = ring.read(into: &block, count: 24_000)
                return decibels(rms(block.map { Float($0) / 32_768 }))
            }
            return (level(of: rig.ports.words.ring), level(of: rig.ports.microphone.ring))
        }
        let (plain, raised) = (try levels(automaticGain: false), try levels(automaticGain: true))
        #expect(raised.sent > plain.sent + 3, "\(raised) and \(plain) dBFS")
        #expect(abs(raised.words - plain.words) < 0.5, "\(raised) and \(plain) dBFS")
    }

    @Test func heardPositionIsExact() throws {
        var rig = try Rig()
        rig.run(5)
        rig.speak(Self.tone(1000))
        var last: UInt64 = 0
        var positions: [UInt64] = []
        for _ in 0..<30 {
            rig.run(1)
            let heard = rig.ports.voice.progress.heard
            #expect(heard >= last && heard <= rig.ports.voice.progress.consumed)
            last = heard
            positions.append(heard)
        }
        #expect(last == 1000)
        // A second stretch after silence that is not a multiple of a period.
        rig.speak(Self.tone(333))
        rig.run(20)
        #expect(rig.ports.voice.progress.heard == 1333)
        // Two periods, less the frames that the upsampler and the limiter hold back.
        #expect(positions.contains(UInt64(960 - 69 - Limiter.delay) / 2))
    }

    @Test(arguments: [0, 480])
    func aFlushLeavesAtMostOnePeriodOfOldVoice(margin: Int) throws {
        var rig = try Rig { $0.rewindMargin = margin }
        let old = Self.tone(9600)
        rig.speak(old)
        rig.run(12)
        let playedBefore = rig.card.played.count
        let position = rig.ports.voice.requestFlush()
        let new = Self.tone(480)
        rig.speak(new)
        rig.run(1)
        #expect(rig.ports.voice.progress.flushDone == position)
        let heard = rig.ports.voice.progress.flushHeard
        #expect(heard < rig.ports.voice.ring.writePosition && heard > 0)
        rig.run(20)

        // Old voice in the period of the flush and in the one kept, a short fade; then silence until the new voice.
        let after = Array(rig.card.played[playedBefore...])
        let fadeEnd = 480 + margin + 240
        #expect(after[fadeEnd..<fadeEnd + 200].allSatisfy { $0 == 0 })
        let expected = Rig.upsampled(new, periods: 4)
        let first = try #require(expected.firstIndex { $0 != 0 })
        let start = try #require(after[fadeEnd...].firstIndex { $0 != 0 })
        #expect(Array(after[(start - first)...].prefix(expected.count)) == expected)
        // No frame is missing: the stream continued, and the position heard is exact to the frame.
        #expect(rig.ports.gauges.counters.playbackXruns == 0)
        let framesOfOld = playedBefore - 1440 + 480 + margin - 69 - Limiter.delay
        #expect(heard == UInt64(framesOfOld / 2))
        #expect(rig.ports.voice.progress.heard == rig.ports.voice.ring.writePosition)
    }

    /// A sound server holds another 30 ms, which it reports only some time after an interruption, and needs 20 ms to
    /// restart. Speech after the interruption is as prompt as before, and no period must be skipped for it.
    @Test(arguments: [0, 2]) func aFlushDoesNotLengthenTheDelayOfASoundServer(periods: Int) throws {
        var rig = try Rig {
            $0.behindBuffer = 1440
            $0.settling = 20
            $0.flushPeriods = periods
        }
        rig.run(300)
        let before = rig.ports.gauges.playbackDelayFrames
        for _ in 0..<3 {
            rig.speak(Self.tone(9600))
            rig.run(12)
            _ = rig.ports.voice.requestFlush()
            rig.run(200)
        }
        #expect(rig.card.framesRemoved > 0)
        #expect(rig.ports.gauges.playbackDelayFrames == before)
        #expect(rig.ports.gauges.counters.slips == 0)
        #expect(rig.ports.gauges.counters.lostPeriods == 0)
        #expect(rig.ports.gauges.counters.playbackXruns == 0)
    }

    /// Audio that a sound server has taken out of the buffer is played even after an interruption.
    @Test func soundInsideAServerCountsAsHeard() throws {
        var rig = try Rig { $0.behindBuffer = 4800 }
        rig.speak(Self.tone(9600))
        rig.run(12)
        let taken = rig.card.played.count + 480
        rig.ports.voice.requestFlush()
        rig.run(1)
        let framesOfOld = taken - 1440 - 69 - Limiter.delay
        #expect(rig.ports.voice.progress.flushHeard == UInt64(framesOfOld / 2))
    }

    @Test func theCutHasNoClick() throws {
        var rig = try Rig()
        rig.speak([Int16](repeating: 12_000, count: 4800))
        rig.run(10)
        rig.ports.voice.requestFlush()
        rig.run(10)
        let played = rig.card.played
        let steps = zip(played, played.dropFirst()).map { abs($0 - $1) }
        #expect((played.max() ?? 0) > 0.36)
        #expect((steps.max() ?? 1) < 0.01)
    }

    @Test func truncatedSpeechFadesOut() throws {
        var rig = try Rig()
        rig.speak([Int16](repeating: -9000, count: 500))
        rig.run(20)
        let played = rig.card.played
        let steps = zip(played, played.dropFirst()).map { abs($0 - $1) }
        #expect((steps.max() ?? 1) < 0.01)
        #expect(played.last == 0)
    }

    @Test func flushWithoutSoundDoesNotTouchTheCard() throws {
        var rig = try Rig()
        rig.speak(Self.tone(240))
        rig.run(20)
        let position = rig.ports.voice.requestFlush()
        rig.run(1)
        #expect(rig.ports.voice.progress.flushDone == position)
        #expect(rig.ports.voice.progress.flushHeard == 240)
        #expect(rig.card.framesRemoved == 0)
    }

    @Test func playbackXrunLosesNoVoice() throws {
        var rig = try Rig { $0.faults[20] = .playbackXrun }
        rig.run(18)
        rig.speak(Self.tone(4800))
        rig.run(60)
        #expect(rig.ports.gauges.counters.playbackXruns == 1)
        #expect(rig.ports.voice.progress.heard == 4800)
        #expect(rig.ports.gauges.playbackDelayFrames == 960)
    }

    /// The delay of a sound server is not a reason to leave out periods when the microphone comes.
    @Test func newMicrophoneKeepsTheBufferOfASoundServer() throws {
        var rig = try Rig {
            $0.behindBuffer = 4800
            $0.faults = [20: .microphoneGone, 60: .microphoneBack]
        }
        rig.run(50)
        rig.card.microphoneFill = 480
        rig.run(100)
        #expect(rig.ports.gauges.counters.playbackXruns == 0)
        #expect(rig.ports.gauges.playbackDelayFrames >= 4800)
    }

    /// Recorded from PulseAudio's plugin over PipeWire 0.3.65: between updates the reported delay rises by a quantum within
    /// two seconds and falls back in one step, while the same frames lie in the buffer. Leaving out a period for that would
    /// bring the loudspeaker 10 ms closer to running dry, and a step other than 1 would change its pitch.
    @Test func wrongDelayOfASoundServerCausesNoSlip() throws {
        var rig = try Rig { card in
            card.behindBuffer = 1440
            card.reportedError = { read in read < 120 ? 0 : (read - 120) % 400 * 2 - ((read - 120) / 400 % 3) * 240 }
        }
        rig.run(3000)
        #expect(rig.ports.gauges.counters.slips == 0)
        #expect(rig.ports.gauges.counters.lostPeriods == 0)
        rig.card.reportedError = { _ in 0 }
        rig.run(1)
        #expect(rig.ports.gauges.playbackDelayFrames == 960 + 1440)
        rig.speak(Self.tone(4800))
        let from = rig.card.played.count
        rig.run(40)
        let expected = Rig.upsampled(Self.tone(4800), periods: 24)
        let first = try #require(expected.firstIndex { $0 != 0 })
        let start = try #require(rig.card.played[from...].firstIndex { $0 != 0 })
        #expect(Array(rig.card.played[(start - first)...].prefix(expected.count)) == expected)
    }

    /// A sound server that moves the stream reports another delay, and the echo has to be found again.
    @Test func movedStreamOfASoundServerIsNoticed() {
        var jump = DelayJump()
        var noticed = 0
        for period in 0..<2000 {
            let wander = period % 400
            if jump.note(3000 + wander + (period < 1000 ? 0 : 1440)) { noticed += 1 }
        }
        #expect(noticed == 1)
    }

    /// A sound server takes nothing until it has linked the stream: silence that finds no room is not a disturbance, a voice is.
    @Test func onlyOverflowingSoundIsLost() throws {
        var rig = try Rig { $0.stands = 0..<40 }
        rig.run(60)
        #expect(rig.ports.gauges.counters.lostPeriods == 0)
        rig.card.stands = 80..<90
        rig.run(15)
        rig.speak(Self.tone(4800))
        rig.run(40)
        #expect(rig.ports.gauges.counters.lostPeriods > 0)
    }

    /// The engine catches up with what was captured meanwhile: there must be room for the voice of those periods.
    @Test(arguments: [2, 3, 4, 6]) func lateWakeUpLosesNoVoice(periods: Int) throws {
        var rig = try Rig { $0.faults[20] = .late(periods) }
        rig.run(18)
        rig.speak(Self.tone(4800))
        rig.run(80)
        #expect(rig.ports.gauges.counters.playbackXruns == 1)
        #expect(rig.ports.gauges.counters.slips == 0)
        #expect(rig.ports.gauges.counters.lostPeriods == 0)
        #expect(rig.ports.voice.progress.heard == 4800)
        #expect(rig.ports.gauges.playbackDelayFrames == 960)
    }

    @Test func captureXrunLosesNoVoice() throws {
        var rig = try Rig { $0.faults[20] = .captureXrun }
        rig.speak(Self.tone(12_000))
        rig.run(80)
        #expect(rig.ports.gauges.counters.captureXruns == 1)
        #expect(rig.ports.gauges.counters.playbackXruns == 0)
        #expect(rig.ports.voice.progress.heard == 12_000)
        #expect(rig.ports.gauges.playbackDelayFrames == 960)
    }

    @Test func speechContinuesWithoutAMicrophone() throws {
        var rig = try Rig { card in
            card.microphone = { _ in 0.25 }
            card.faults = [20: .microphoneGone, 60: .microphoneBack]
        }
        rig.run(15)
        rig.speak(Self.tone(12_000))
        rig.run(80)
        #expect(rig.ports.voice.progress.heard == 12_000)
        #expect(rig.ports.gauges.counters.captureXruns == 0)
        #expect(rig.ports.gauges.counters.playbackXruns == 0)
        // The uplink keeps time: one period for every cycle except the two in which the microphone changed.
        #expect(rig.ports.microphone.ring.writePosition == 93 * 240)
        #expect(rig.ports.gauges.levels.peak > LevelMeter.floor)
    }

    @Test func voiceIsConsumedWithoutALoudspeaker() throws {
        var rig = try Rig { $0.faults = [20: .loudspeakerGone, 200: .loudspeakerBack] }
        rig.run(30)
        rig.speak(Self.tone(9600))
        rig.run(60)
        #expect(rig.ports.voice.progress.heard == 9600)
        rig.speak(Self.tone(9600))
        rig.run(10)
        let position = rig.ports.voice.requestFlush()
        rig.run(5)
        #expect(rig.ports.voice.progress.flushDone == position)
        let heard = rig.ports.voice.progress.flushHeard
        #expect(heard > 9600 && heard < 9600 + 4800)
        #expect(rig.card.played.allSatisfy { $0 == 0 })
        rig.run(120)
        rig.speak(Self.tone(4800))
        rig.run(40)
        #expect(rig.card.played.contains { $0 != 0 })
        #expect(rig.ports.voice.progress.heard == rig.ports.voice.ring.writePosition)
        #expect(rig.ports.gauges.counters.playbackXruns == 0)
        #expect(rig.ports.gauges.playbackDelayFrames == 960)
    }

    @Test(arguments: [1000.0, -1000.0])
    func driftingCardsLoseNoVoice(ppm: Double) throws {
        var rig = try Rig { $0.playbackPpm = ppm }
        let total = 24_000 * 20
        var said = 0
        while said < total {
            let block = Self.tone(240)
            rig.speak(block)
            said += 240
            rig.run(1)
        }
        rig.run(40)
        #expect(rig.ports.gauges.counters.playbackXruns == 0)
        #expect(rig.ports.gauges.counters.slips >= 1)
        #expect(rig.ports.gauges.counters.lostPeriods == 0)
        #expect(rig.ports.voice.progress.heard == UInt64(total))
    }

    /// A minute of a tone over two clocks: no slip, and nothing but the tone.
    @Test(arguments: [200.0, -200.0])
    func clockDriftIsInaudible(ppm: Double) throws {
        var rig = try Rig { $0.playbackPpm = ppm }
        var at = 0
        for _ in 0..<6000 {
            rig.speak((at..<at + 240).map { Int16((12_000 * sin(Double.pi / 24 * Double($0))).rounded()) })
            at += 240
            rig.run(1)
        }
        #expect(rig.ports.gauges.counters.slips == 0)
        #expect(rig.ports.gauges.counters.lostPeriods == 0)
        #expect(rig.ports.gauges.counters.playbackXruns == 0)
        // The curvature of a tone is proportional to the tone: any residual is an artefact.
        let played = rig.card.played.dropFirst(9600).map(Double.init)
        let ratio = 2 * cos(Double.pi / 48)
        var worst = 0.0
        for index in 1..<played.count - 1 {
            worst = max(worst, (played[index - 1] + played[index + 1] - ratio * played[index]).magnitude)
        }
        #expect(worst < 2e-4)
    }

    @Test func aFullMicrophoneRingDropsTheNewestAndCounts() throws {
        var rig = try Rig { card in card.microphone = { _ in 0.1 } }
        let periods = rig.ports.microphone.ring.capacity / 240
        rig.run(periods + 20)
        let stored = rig.ports.microphone.ring.availableToRead
        #expect(stored == periods * 240)
        #expect(rig.ports.gauges.counters.microphoneOverruns == 20)
        #expect(rig.ports.gauges.levels.peak == -200)
    }

    @Test func aMutedMicrophoneKeepsTheTiming() throws {
        var rig = try Rig { card in card.microphone = { Float($0 % 100) / 200 } }
        rig.ports.requests.isMicrophoneMuted = true
        rig.run(10)
        var heard = [Int16](repeating: 1, count: 4000)
        let count = rig.ports.microphone.ring.read(into: &heard, count: 4000)
        #expect(count == 2400)
        #expect(heard[..<2400].allSatisfy { $0 == 0 })
    }

    @Test(arguments: Earcon.allCases)
    func earconsAreSoft(earcon: Earcon) throws {
        var rig = try Rig()
        rig.ports.earcons.play(earcon)
        rig.run(150)
        let peak = rig.card.played.map { abs($0) }.max() ?? 0
        #expect(peak > 0.01 && peak <= 0.1)
        #expect(rig.card.played.last == 0)
        let steps = zip(rig.card.played, rig.card.played.dropFirst()).map { abs($0 - $1) }
        #expect((steps.max() ?? 1) < 0.01)
    }

    @Test func anEarconCanBeCancelled() throws {
        var rig = try Rig()
        rig.ports.earcons.play(.thinking)
        rig.run(10)
        rig.ports.earcons.cancel()
        rig.run(2)
        let before = rig.card.played.count
        rig.run(20)
        #expect(rig.card.played[(before + 1440)...].allSatisfy { $0 == 0 })
    }

    /// A loudspeaker that was given back: whatever sounds next waits until it is open, and is heard from its first sample.
    @Test(arguments: ["voice", "earcon", "alarm", "media"])
    func soundWaitsForARestingLoudspeaker(kind: String) throws {
        func sound(_ rig: borrowing Rig) {
            switch kind {
            case "voice": rig.speak(Self.tone(2400))
            case "earcon": rig.ports.earcons.play(.notice)
            case "alarm": rig.ports.earcons.rings = true
            default:
                let frames = (0..<4800).map { StereoFrame(left: Float($0 % 100) / 200, right: 0.25) }
                _ = rig.ports.media.ring.write(frames, count: frames.count)
            }
        }
        func heard(_ rig: borrowing Rig) -> [Float] { Array(rig.card.played.drop { $0 == 0 }.prefix(4000)) }
        var plain = try Rig()
        plain.run(100)
        sound(plain)
        plain.run(120)

        var rig = try Rig { card in
            card.restAfter = 50
            card.opening = 12
        }
        rig.run(100)
        #expect(rig.card.frames.allSatisfy { $0 == .silence })
        sound(rig)
        let before = rig.card.played.count
        rig.run(140)
        let expected = heard(plain)
        let played = heard(rig)
        #expect(played == expected)
        let first = try #require(rig.card.played.firstIndex { $0 != 0 })
        // The opening, and the buffer of four periods.
        #expect((first - before) / 480 <= 12 + 7)
        #expect(rig.ports.gauges.counters.playbackXruns == 0)
        #expect(rig.ports.gauges.counters.lostPeriods == 0)
        // Once more.
        rig.ports.earcons.rings = false
        rig.run(1100)
        sound(rig)
        let again = rig.card.played.count
        rig.run(140)
        #expect(Array(rig.card.played[again...].drop { $0 == 0 }.prefix(4000)) == expected)
    }

    /// Busy: the voice is consumed as without a loudspeaker. A stop while it waits drops it.
    @Test func soundDoesNotWaitForAMissingLoudspeaker() throws {
        var rig = try Rig { card in
            card.restAfter = 50
            card.opening = nil
        }
        rig.run(100)
        rig.speak(Self.tone(2400))
        rig.run(40)
        var left = rig.ports.voice.ring.availableToRead
        #expect(left == 0)
        #expect(rig.card.frames.allSatisfy { $0 == .silence })

        var other = try Rig { card in
            card.restAfter = 50
            card.opening = 30
        }
        other.run(100)
        other.speak(Self.tone(2400))
        other.ports.earcons.play(.thinking)
        other.run(5)
        left = other.ports.voice.ring.availableToRead
        #expect(left == 2400)
        _ = other.ports.voice.requestFlush()
        other.ports.earcons.cancel()
        other.run(60)
        left = other.ports.voice.ring.availableToRead
        #expect(left == 0)
        #expect(other.card.frames.allSatisfy { $0 == .silence })
    }

    /// A microphone that is never silent, and the samples that go upstream.
    private static func noisy(_ card: SimulatedCard) {
        card.restAfter = 50
        card.opening = 12
        card.microphone = { frame in Float((frame &* 7919) % 1000 - 500) / 50_000 }
    }

    private func upstream(_ ports: AudioPorts) -> [Int16] {
        var samples = [Int16](repeating: 0, count: ports.microphone.ring.availableToRead)
        _ = ports.microphone.ring.read(into: &samples, count: samples.count)
        return samples
    }

    /// Without the library, whose cancellers share tables that a test beside this one may be filling: a sample moves by one.
    @Test func restingEngineTakesEightPeriodsTogetherAndLosesNone() throws {
        var rig = try Rig(cancels: false, prepare: Self.noisy)
        var other = try Rig(cancels: false, prepare: Self.noisy)
        rig.ports.playback.mayRest = true
        rig.run(200)
        other.run(200)
        let waits = rig.card.waits
        rig.run(800)
        other.run(800)
        #expect(rig.card.waits - waits == 100)
        // In a conversation the loudspeaker may not rest: what is said is needed now.
        #expect(other.card.waits == 1000)
        #expect(rig.ports.gauges.counters.cycles == 1000)
        let samples = upstream(rig.ports)
        #expect(samples.count == 1000 * AudioFormat.wirePeriodSamples)
        // Every sample, which a failure does not print: they are 240,000.
        let isSame = samples == upstream(other.ports)
        #expect(isSame)
    }

    @Test(arguments: ["earcon", "alarm", "conversation"]) func aNeedEndsTheWaitForSeveralPeriods(need: String) throws {
        var rig = try Rig(prepare: Self.noisy)
        let waker = rig.ports.waker.descriptor
        rig.card.interrupts = { clinux_eventfd_take(waker) }
        rig.ports.playback.mayRest = true
        rig.run(404)
        let (reads, waits) = (rig.card.reads, rig.card.waits)
        #expect(reads > 2 * waits)
        switch need {
        case "earcon": rig.ports.earcons.play(.thinking)
        case "alarm": rig.ports.earcons.rings = true
        default: rig.ports.playback.mayRest = false
        }
        // What was there, the interrupted wait, and one for each period from then on.
        rig.run(8)
        let before = rig.card.waits
        rig.run(80)
        #expect(rig.card.waits - before == 80)
        let samples = upstream(rig.ports).count
        #expect(samples == rig.card.reads * AudioFormat.wirePeriodSamples)
        #expect(rig.ports.gauges.counters.lostPeriods == 0)
        #expect(rig.card.frames.contains { $0 != .silence } == (need != "conversation"))
    }

    /// Neither the echo path nor its delay is learned anew: the talker is heard over the first words after a rest.
    @Test func echoIsKnownAfterARest() throws {
        var rig = try Rig { card in
            card.restAfter = 50
            card.opening = 10
            card.microphone = { [unowned card] frame in frame >= 168 ? card.played[frame - 168] * 0.3 : 0 }
        }
        let beginnings = rig.ports.gauges.echo.beginnings
        var random = SeededGenerator(seed: 1)
        func talk(_ rig: inout Rig, _ random: inout SeededGenerator) -> Double {
            var level = 0.0
            for _ in 0..<30 {
                rig.speak((0..<2400).map { _ in .random(in: -3000...3000, using: &random) })
                rig.run(10)
            }
            level = Double(rig.ports.gauges.echo.figures.linearERLE ?? 0)
            return level
        }
        let learned = talk(&rig, &random)
        rig.run(200)
        let again = talk(&rig, &random)
        #expect(rig.ports.gauges.echo.beginnings == beginnings)
        #expect(again > learned - 3, "\(learned) dB, then \(again)")
    }

    @Test func alarmRisesDucksAndFadesOut() throws {
        var rig = try Rig()
        func loudest(_ periods: Int) -> Float {
            let before = rig.card.played.count
            rig.run(periods)
            return rig.card.played[before...].map { abs($0) }.max() ?? 0
        }
        rig.ports.earcons.rings = true
        let soft = loudest(100)
        #expect((0.01...0.06).contains(soft))
        rig.run(3_000)
        let full = loudest(100)
        #expect(full > 5 * soft)
        rig.ports.earcons.isRingLow = true
        rig.run(10)
        #expect(loudest(100) < full / 5)
        rig.ports.earcons.rings = false
        rig.run(10)
        #expect(loudest(100) == 0)
        let steps = zip(rig.card.played, rig.card.played.dropFirst()).map { abs($0 - $1) }
        #expect((steps.max() ?? 1) < 0.1)
    }

    @Test func drainingEngineStopsAfterTheLastSample() throws {
        var rig = try Rig()
        rig.speak(Self.tone(2400))
        rig.run(2)
        rig.ports.requests.stop = .afterVoice
        let isRunning = rig.run(100)
        #expect(!isRunning)
        #expect(rig.ports.voice.progress.heard == 2400)
    }

    @Test func secondEngineContinuesThePositions() throws {
        let ports = AudioPorts()
        for round in 1...2 {
            let card = SimulatedCard()
            var engine = try AudioEngine(
                device: SimulatedDevice(card: card), ports: ports, configuration: AudioConfiguration()
            )
            engine.start()
            ports.voice.ring.write(Self.tone(480), count: 480)
            for _ in 0..<20 { _ = engine.cycle() }
            #expect(ports.voice.progress.heard == UInt64(480 * round))
            ports.voice.requestFlush()
            for _ in 0..<3 { _ = engine.cycle() }
            #expect(ports.voice.progress.flushDone == UInt64(480 * round))
        }
    }

    /// The network thread has not looked at anything: its ring is full, and the card's buffer too.
    @Test func anOrderOfSilenceIsObeyedInTheNextCycle() throws {
        var rig = try Rig()
        rig.run(10)
        rig.speak(Self.tone(16_000))
        rig.run(20)
        let order = rig.ports.silence.give(.voice)
        #expect(!rig.ports.silence.isObeyed(order))
        let played = rig.card.played.count
        rig.run(50)
        #expect(rig.ports.silence.isObeyed(order))
        // The period being played, the one that a card may not take back, and a fade of 5 ms.
        let after = rig.card.played.dropFirst(played + 2 * 480 + 240)
        #expect(!after.isEmpty && after.allSatisfy { $0 == 0 })
        #expect(rig.ports.voice.ring.availableToRead > 0)
        // The account stands still until the voice is dropped, and then says what was really heard.
        let heard = rig.ports.voice.progress.heard
        rig.run(20)
        #expect(rig.ports.voice.progress.heard == heard)
        let position = rig.ports.voice.requestFlush()
        rig.run(2)
        #expect(rig.ports.voice.progress.flushDone == position)
        #expect(rig.ports.voice.progress.flushHeard == heard)
        order.lift(.voice)
        let spoken = rig.card.played.count
        rig.speak(Self.tone(2400))
        rig.run(20)
        #expect(rig.card.played.dropFirst(spoken).contains { $0 != 0 })
        #expect(rig.ports.voice.progress.heard == position + 2400)
    }

    /// A stop word that stops nothing: what was taken back counts as heard, and the rest is played.
    @Test func liftedOrderEndsWithoutACut() throws {
        var rig = try Rig()
        rig.run(10)
        rig.speak(Self.tone(7200))
        rig.run(10)
        let order = rig.ports.silence.give([.voice, .media, .ring])
        order.lift([.voice, .media, .ring])
        rig.run(60)
        #expect(rig.ports.silence.isObeyed(order))
        #expect(rig.ports.voice.progress.heard == rig.ports.voice.ring.writePosition)
    }

    @Test func ringingAndMediaAreSilencedUntilTheyAreStopped() throws {
        var rig = try Rig()
        let frames = [StereoFrame](repeating: StereoFrame(left: 0.2, right: 0.2), count: 96_000)
        rig.ports.media.ring.write(frames, count: frames.count)
        rig.ports.earcons.rings = true
        rig.run(20)
        let order = rig.ports.silence.give([.voice, .media, .ring])
        rig.run(12)
        #expect(rig.ports.silence.isObeyed(order))
        let silent = rig.card.played.count
        rig.run(20)
        #expect(rig.card.played.dropFirst(silent).allSatisfy { $0 == 0 })
        // "Stop" meant the ringing alone.
        rig.ports.earcons.rings = false
        order.lift([.voice, .media, .ring])
        rig.run(20)
        #expect(rig.card.played.suffix(480).contains { $0 != 0 })
    }
}
