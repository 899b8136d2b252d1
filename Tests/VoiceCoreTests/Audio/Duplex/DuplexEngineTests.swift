import Glibc
import Synchronization
import Testing

@testable import VoiceCore

/// The whole audio thread on a simulated card whose loudspeaker is heard by its microphone.
struct DuplexEngineTests {
    /// A room: every frame played comes back through the air, and a talker may speak.
    private struct Rig: ~Copyable {
        let card = SimulatedCard()
        let pipes = AudioPipes()
        var engine: AudioEngine<SimulatedDevice>
        /// What the daemon does beside the audio thread.
        var stage = AlignmentStage()
        /// All of the uplink.
        var heard: [Int16] = []
        private var said = 0

        init(
            echoDecibels: Float,
            setting: DuplexSetting = .auto,
            cancels: Bool = true,
            talker: @escaping (Int) -> Float = { _ in 0 }
        ) throws {
            let gain = powf(10, echoDecibels / 20)
            let card = card
            var seed: UInt64 = 7
            card.microphone = { [unowned card] frame in
                seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                let noise = Float(Int32(truncatingIfNeeded: seed >> 32)) / 2_147_483_648 * 0.0008
                // 25 ms and two reflections.
                var echo: Float = 0
                for (delay, part) in [(1200, Float(1)), (1507, -0.4), (2011, 0.25)] where frame >= delay {
                    echo += card.played[frame - delay] * part * gain
                }
                return max(-1, min(1, echo + noise + talker(frame)))
            }
            var settings = AudioEngineSettings()
            settings.duplex = setting
            settings.echoCanceller.echoCancellation = cancels
            engine = try AudioEngine(device: SimulatedDevice(card: card), pipes: pipes, settings: settings)
            let outcome = engine.start()
            #expect(outcome == .running)
        }

        mutating func run(_ periods: Int) {
            for _ in 0..<periods {
                _ = engine.cycle()
                stage.step(pipes)
                var block = [Int16](repeating: 0, count: 4800)
                let count = pipes.microphone.read(into: &block, count: 4800)
                heard += block.prefix(count)
            }
        }

        /// Says so many seconds of the test signal's noise.
        mutating func speak(_ seconds: Int) {
            let voice = Array(EchoTestSignal.samples().dropFirst(Int(2.6 * 24_000)))
            for _ in 0..<seconds * 10 {
                for index in 0..<10 {
                    let start = (said + index * 240) % (voice.count - 240)
                    pipes.voice.write(Array(voice[start..<start + 240]), count: 240)
                    run(1)
                }
                said += 2400
            }
        }

        /// Plays so many seconds of a chord that comes and goes, with nothing to say.
        mutating func play(_ seconds: Int) {
            pipes.volumes.set(Volumes(media: 100))
            for _ in 0..<seconds * 10 {
                let chord = (0..<4800).map { index in
                    let time = Float(tone + index) / 48_000
                    let swell = 0.8 - 0.2 * cosf(2 * .pi * 0.7 * time)
                    let sum = [Float(220), 277, 330, 440].reduce(0) { $0 + 0.06 * swell * sinf(2 * .pi * $1 * time) }
                    return StereoFrame(sum)
                }
                tone += 4800
                pipes.media.ring.write(chord, count: 4800)
                run(10)
            }
        }

        private var tone = 0

        var status: EchoStatus { EchoStatus(pipes) }
    }

    /// Somebody who says "aa": a pulse at 120 Hz with three formants, in syllables, from `start` on.
    private static func talker(from start: Int, level: Float = 0.12) -> (Int) -> Float {
        { frame in
            guard frame >= start else { return 0 }
            let time = Float(frame - start) / 48_000
            var value: Float = 0
            for harmonic in 1...30 {
                let hertz = 120 * Float(harmonic)
                var weight: Float = 0.05
                for formant: Float in [700, 1200, 2600] {
                    let distance = (hertz - formant) / 150
                    weight += 1 / (1 + distance * distance)
                }
                value += weight * sinf(2 * .pi * hertz * time)
            }
            return value * level * 0.25 * (0.6 - 0.4 * cosf(2 * .pi * 4 * time))
        }
    }

    private func level(_ samples: ArraySlice<Int16>) -> Double {
        let power = samples.reduce(0.0) { $0 + Double($1) * Double($1) } / Double(max(1, samples.count))
        return 10 * log10(power / (32_768 * 32_768) + 1e-12)
    }

    private func isSilent(_ samples: ArraySlice<Int16>) -> Bool { samples.allSatisfy { $0 == 0 } }

    @Test func theFirstAnswerIsNotHeardUntilTheEchoIsKnown() throws {
        var rig = try Rig(echoDecibels: -10)
        rig.run(100)
        rig.speak(1)
        #expect(rig.status.state == .learning)
        rig.run(200)
        // Every period of the uplink is there, and none of those while it spoke holds a sound.
        #expect(rig.heard.count == 400 * 240)
        #expect(isSilent(rig.heard[(104 * 240)..<(200 * 240)]))
        #expect(level(rig.heard[(360 * 240)...]) > -90)
    }

    @Test func withoutACancellerItNeverHearsItself() throws {
        var rig = try Rig(echoDecibels: 0, cancels: false)
        rig.run(50)
        rig.speak(6)
        rig.run(200)
        #expect(rig.status.state == .cancellerOff)
        #expect(rig.status.openings == 0)
        #expect(isSilent(rig.heard[(54 * 240)..<(690 * 240)]))
    }

    @Test func aTalkerIsHeardOverTheVoiceFromTheFirstWord() throws {
        let start = 48_000 * 9
        var rig = try Rig(echoDecibels: -12, talker: Self.talker(from: start))
        rig.run(100)
        rig.speak(8)
        #expect(
            rig.status.state == .good,
            "\(rig.status) ERLE \(rig.status.linearERLE ?? -1) whole \(rig.status.wholeERLE ?? -1) echo \(rig.status.echoLevel ?? -1) residual \(rig.status.residualLevel ?? -1) delay \(rig.status.delay ?? -1) drift \(rig.status.drift ?? -1) al \(rig.status.isAligned)"
        )
        #expect(rig.status.openings == 0)
        rig.speak(2)
        #expect(rig.status.openings == 1)
        rig.run(100)
        let origin = start / 2
        #expect(isSilent(rig.heard[(2 * 24_000)..<(origin - 4800)]))
        // The talker from the beginning, in place to 30 ms: what the canceller adds by way of delay.
        #expect(level(rig.heard[origin + 720..<origin + 2400]) > -40)
        #expect(level(rig.heard[origin + 2400..<origin + 24_000]) > -35)
        #expect(rig.heard.count == 1200 * 240)
    }

    @Test func headphonesNeedNoGate() throws {
        let start = 48_000 * 6
        // Too soft for the gate.
        var rig = try Rig(echoDecibels: -100, talker: Self.talker(from: start, level: 0.004))
        rig.run(100)
        rig.speak(4)
        #expect(rig.status.state == .clear)
        rig.speak(2)
        #expect(level(rig.heard[(start / 2 + 720)..<(start / 2 + 4800)]) > -75)
    }

    @Test func anXrunShutsTheGateUntilTheEchoIsKnownAgain() throws {
        var rig = try Rig(echoDecibels: -12)
        rig.run(100)
        rig.speak(8)
        #expect(rig.status.state == .good)
        let changes = rig.status.changes
        rig.card.faults[rig.card.reads + 2] = .captureXrun
        rig.speak(1)
        #expect(rig.status.changes > changes)
        rig.speak(6)
        #expect(rig.status.state == .good)
        #expect(rig.status.openings == 0)
    }

    /// A microphone that is away says nothing about echo, and one that comes back may be another one.
    @Test func aMicrophoneThatIsAwayIsNoProofThatThereIsNoEcho() throws {
        var rig = try Rig(echoDecibels: -12)
        rig.run(100)
        rig.card.faults[rig.card.reads + 2] = .microphoneGone
        rig.speak(5)
        #expect(rig.status.state == .learning)
        rig.run(100)
        rig.card.faults[rig.card.reads + 2] = .microphoneBack
        rig.run(20)
        let begin = rig.heard.count
        rig.speak(1)
        #expect(rig.status.state == .learning)
        let isSilentThen = isSilent(rig.heard[(begin + 10 * 240)...])
        #expect(isSilentThen, "it hears itself")
        rig.run(100)
        rig.speak(8)
        #expect(rig.status.state == .good)
        #expect(rig.status.openings == 0)
    }

    /// The same for one that is muted by a switch of its own, and delivers zeros.
    @Test func aMutedMicrophoneIsNoProofThatThereIsNoEcho() throws {
        var rig = try Rig(echoDecibels: -12)
        rig.run(100)
        rig.speak(8)
        #expect(rig.status.state == .good)
        rig.run(100)
        let live = rig.card.microphone
        rig.card.microphone = { _ in 0 }
        rig.speak(5)
        rig.run(200)
        #expect(rig.status.state == .good)
        rig.card.microphone = live
        rig.run(20)
        // What the canceller has learned of zeros is void.
        #expect(rig.status.state == .learning)
        #expect(rig.status.linearERLE == nil)
        let begin = rig.heard.count
        rig.speak(1)
        let isSilentThen = isSilent(rig.heard[(begin + 10 * 240)...])
        #expect(isSilentThen, "it hears itself")
        rig.run(100)
        rig.speak(8)
        #expect(rig.status.state == .good)
        #expect(rig.status.openings == 0)
    }

    @Test(arguments: [SimulatedFault.microphoneGone, .loudspeakerGone])
    func anotherDeviceIsLearnedAnew(fault: SimulatedFault) throws {
        // Headphones: there is nothing to be heard.
        var rig = try Rig(echoDecibels: -100)
        rig.run(100)
        rig.speak(4)
        #expect(rig.status.state == .clear)
        rig.card.faults[rig.card.reads + 2] = fault
        rig.run(10)
        #expect(rig.status.state == .learning)
    }

    /// Where talkers cannot be told from the voice, they still can from music, which has no end to wait for.
    @Test(arguments: [(DuplexSetting.auto, false), (.half, true), (.half, false)])
    func inHalfDuplexATalkerIsHeardOverMusic(setting: DuplexSetting, cancels: Bool) throws {
        let start = 48_000 * 8
        var rig = try Rig(
            echoDecibels: -26,
            setting: setting,
            cancels: cancels,
            talker: Self.talker(from: start, level: 0.5)
        )
        rig.run(100)
        rig.play(6)
        #expect(rig.status.state == (setting == .half ? .forcedHalf : .cancellerOff))
        #expect(rig.status.isPlaying)
        #expect(rig.status.openings == 0)
        rig.play(4)
        rig.run(60)
        #expect(rig.status.openings >= 1)
        let origin = start / 2
        let isSilentBefore = isSilent(rig.heard[(3 * 24_000)..<(origin - 4800)])
        #expect(isSilentBefore, "music alone is not sent")
        let talker = level(rig.heard[origin + 2400..<origin + 24_000])
        #expect(talker > -35, "\(talker) dBFS")
    }

    /// The voice over the same music shuts the microphone as ever.
    @Test func inHalfDuplexNobodyIsHeardOverTheVoiceWithMusicUnderIt() throws {
        let start = 48_000 * 8
        var rig = try Rig(echoDecibels: -26, setting: .half, talker: Self.talker(from: start, level: 0.5))
        rig.run(100)
        rig.play(6)
        rig.speak(3)
        #expect(rig.status.openings == 0)
        let isSilentThen = isSilent(rig.heard[(start / 2)..<(start / 2 + 24_000)])
        #expect(isSilentThen)
    }

    @Test func positionsStandForTheSameInstantWhateverTheGateDoes() throws {
        // A clock that follows the periods cannot be had here; the origin must follow the periods sent and held.
        var rig = try Rig(echoDecibels: -12, setting: .half)
        rig.run(50)
        #expect(rig.pipes.microphone.writePosition == 50 * 240)
        rig.speak(1)
        #expect(rig.pipes.microphone.writePosition == (150 - 48) * 240)
        rig.run(100)
        #expect(rig.pipes.microphone.writePosition == 250 * 240)
        #expect(rig.status.state == .forcedHalf)
        #expect(rig.status.periodsShut > 100)
    }
}
