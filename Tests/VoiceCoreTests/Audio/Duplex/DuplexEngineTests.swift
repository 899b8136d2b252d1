import Glibc
import Testing
import VoiceSimulator

@testable import TestSupport
@testable import VoiceAudio
@testable import VoiceBase
@testable import VoiceConversation
@testable import VoiceCore

/// The whole audio thread on a simulated card whose microphone hears its loudspeaker.
struct DuplexEngineTests {
    private func level(_ samples: ArraySlice<Int16>) -> Double {
        let power = samples.reduce(0.0) { $0 + Double($1) * Double($1) } / Double(max(1, samples.count))
        return 10 * log10(power / (32_768 * 32_768) + 1e-12)
    }

    private func isSilent(_ samples: ArraySlice<Int16>) -> Bool { samples.allSatisfy { $0 == 0 } }

    /// The end of the last voice found by the microphone's detector, in seconds of the uplink; 0 for none.
    private func voiceUntil(_ rig: borrowing EchoRig) -> Double {
        Double(rig.ports.microphone.notes.voiceUntil) / 24_000
    }

    /// A turn is a person's if a voice was heard in it: syllables count, even short ones, distant ones and a whisper.
    /// The voice ends when they do.
    @Test(arguments: ["loud", "far", "short", "whisper"]) func voiceIsReportedAtItsPosition(kind: String) throws {
        let length = kind == "short" ? 0.4 : 2
        let voice = EchoRig.talker(from: 3 * 48_000, level: kind == "far" ? 0.02 : 0.12)
        var seed: UInt64 = 11
        var smooth: Float = 0
        let talker: (Int) -> Float = { frame in
            let time = Double(frame) / 48_000 - 3
            guard (0..<length).contains(time) else { return 0 }
            guard kind == "whisper" else { return voice(frame) }
            seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let noise = Float(Int32(truncatingIfNeeded: seed >> 32)) / 2_147_483_648
            smooth += 0.3 * (noise - smooth)
            return 0.1 * smooth * (0.5 - 0.5 * cosf(2 * .pi * 4 * Float(time)))
        }
        var rig = try EchoRig(talker: talker, echo: EchoRig.room(-10))
        rig.run(290)
        let before = voiceUntil(rig)
        #expect(before == 0, "a quiet room has no voice")
        rig.run(Int(length * 100) + 110)
        let heard = voiceUntil(rig)
        #expect(heard > 3 && heard < 3 + length + 1, "\(heard) s")
        rig.run(800)
        let after = voiceUntil(rig)
        #expect(after == heard, "and nobody has spoken since")
    }

    /// The question is read out to an empty room: the box's own speech is not an answer.
    @Test(arguments: [-10, 0] as [Float]) func ownVoiceIsNotHeardAsATalker(echoDecibels: Float) throws {
        var rig = try EchoRig(echo: EchoRig.room(echoDecibels))
        rig.run(100)
        rig.speak(12)
        rig.run(200)
        let heard = voiceUntil(rig)
        #expect(heard == 0)
    }

    @Test func movedBoxIsNoticed() throws {
        var rig = try EchoRig(echo: EchoRig.room(-10, movedAt: 15 * 48_000))
        rig.run(100)
        rig.speak(13)
        #expect(rig.status.state == .good)
        #expect(rig.status.moves == 0)
        rig.speak(4)
        #expect(rig.status.moves == 1)
        #expect(rig.status.reason == "moved")
        #expect(rig.status.isLearningMove)
        rig.speak(8)
        #expect(rig.status.moves == 1)
        #expect(rig.status.reason == "good")
        #expect(rig.status.note == nil)
    }

    @Test func firstAnswerIsMutedUntilTheEchoIsKnown() throws {
        var rig = try EchoRig(echo: EchoRig.room(-10))
        rig.run(100)
        rig.speak(1)
        #expect(rig.status.state == .learning)
        rig.run(200)
        // Every period of the uplink is present, and none is audible while the box spoke.
        #expect(rig.heard.count == 400 * 240)
        #expect(isSilent(rig.heard[(104 * 240)..<(200 * 240)]))
        #expect(!isSilent(rig.heard[(360 * 240)...]))
    }

    /// A filter that has learned one tone knows nothing of the next. After a question of the user, an echo at full level, later
    /// than the card reports, is not a talker, whenever the delay is found.
    @Test(arguments: Array(stride(from: 0, to: 480, by: 60)))
    func tonesOfAFirstAnswerAreNotATalker(offset: Int) throws {
        let texts = [
            "One two three four five six seven eight nine ten eleven twelve thirteen fourteen.",
            "You have two meetings: stand-up at nine thirty, and lunch with Ada at twelve.",
            "Alpha bravo charlie delta echo foxtrot golf hotel india juliett kilo lima mike november.",
        ]
        let question = SpokenVoice.tones.samples("Tell")
        for text in texts {
            let talker: (Int) -> Float = { frame in
                let index = (frame - 24_000) / 2
                return question.indices.contains(index) ? Float(question[index]) / 32_768 : 0
            }
            var rig = try EchoRig(noise: 0, talker: talker) { frame, played in
                frame >= 10_560 + offset ? played[frame - 10_560 - offset] : 0
            }
            rig.run(87)
            rig.say(SpokenVoice.tones.samples(text))
            rig.run(150)
            #expect(rig.status.openings == 0, "\(text)")
        }
    }

    @Test func withoutACancellerTheBoxNeverHearsItself() throws {
        var rig = try EchoRig(cancels: false, echo: EchoRig.room(0))
        rig.run(50)
        rig.speak(6)
        rig.run(200)
        #expect(rig.status.state == .cancellerOff)
        #expect(rig.status.openings == 0)
        #expect(isSilent(rig.heard[(54 * 240)..<(690 * 240)]))
    }

    @Test func talkerOverTheVoiceIsHeardFromTheFirstWord() throws {
        let start = 48_000 * 9
        var rig = try EchoRig(talker: EchoRig.talker(from: start), echo: EchoRig.room(-12))
        rig.run(100)
        rig.speak(8)
        #expect(
            rig.status.state == .good,
            "\(rig.status) ERLE \(rig.status.figures.linearERLE ?? -1) whole \(rig.status.figures.wholeERLE ?? -1) echo \(rig.status.figures.echoLevel ?? -1) residual \(rig.status.figures.residualLevel ?? -1) delay \(rig.status.delay ?? -1) drift \(rig.status.drift ?? -1) al \(rig.status.isAligned)"
        )
        #expect(rig.status.openings == 0)
        rig.speak(2)
        #expect(rig.status.openings == 1)
        rig.run(100)
        let origin = start / 2
        #expect(isSilent(rig.heard[(2 * 24_000)..<(origin - 4800)]))
        // The talker from the beginning, aligned to 30 ms: the delay of the canceller.
        #expect(level(rig.heard[origin + 720..<origin + 2400]) > -40)
        #expect(level(rig.heard[origin + 2400..<origin + 24_000]) > -35)
        #expect(rig.heard.count == 1200 * 240)
    }

    /// A service with a continuous track sends faint noise for silence, which has no end to wait for.
    @Test func faintFarEndKeepsTheGateOpen() throws {
        var random = SeededGenerator(seed: 5)
        let noise = (0..<10 * 24_000).map { _ in Int16.random(in: -80...80, using: &random) }
        var rig = try EchoRig(talker: EchoRig.talker(from: 7 * 48_000), echo: EchoRig.room(-100))
        rig.run(100)
        rig.say(noise)
        #expect(rig.status.isPlaying)
        #expect(level(rig.heard[(8 * 24_000)..<(10 * 24_000)]) > -35)
    }

    @Test func talkerDiffersFromTheVoiceOfTheBox() throws {
        var rig = try EchoRig(talker: EchoRig.talker(from: 48_000 * 9), echo: EchoRig.room(-12))
        rig.run(100)
        #expect(rig.ports.gauges.echo.talker == .heard, "the box is silent")
        for second in 1...8 {
            rig.speak(1)
            let talker = rig.ports.gauges.echo.talker
            #expect(talker == .absent, "after \(second) s of the box's voice")
        }
        rig.speak(1)
        #expect(rig.ports.gauges.echo.talker == .heard)
        var other = try EchoRig(cancels: false, echo: EchoRig.room(0))
        other.run(50)
        other.speak(2)
        #expect(other.ports.gauges.echo.talker == .unknown)
    }

    @Test func silentEchoOpensTheGate() throws {
        let start = 48_000 * 6
        // Too quiet for the gate, and the noise suppressor would take so faint and steady a vowel for noise.
        var rig = try EchoRig(
            suppressesNoise: false, talker: EchoRig.talker(from: start, level: 0.004), echo: EchoRig.room(-100)
        )
        rig.run(100)
        rig.speak(4)
        #expect(rig.status.state == .clear)
        rig.speak(2)
        #expect(level(rig.heard[(start / 2 + 720)..<(start / 2 + 4800)]) > -75)
    }

    @Test func xrunShutsTheGateUntilTheEchoIsKnown() throws {
        var rig = try EchoRig(echo: EchoRig.room(-12))
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

    /// A missing microphone proves nothing about echo, and the one that comes back may be another.
    @Test func missingMicrophoneDoesNotMeanNoEcho() throws {
        var rig = try EchoRig(echo: EchoRig.room(-12))
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

    /// The same for a microphone that is muted by its own switch and delivers zeros.
    @Test func mutedMicrophoneDoesNotMeanNoEcho() throws {
        var rig = try EchoRig(echo: EchoRig.room(-12))
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
        // What the canceller learned from zeros is void.
        #expect(rig.status.state == .learning)
        #expect(rig.status.figures.linearERLE == nil)
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
    func replacedDeviceIsLearnedAgain(fault: SimulatedFault) throws {
        // Headphones: there is no echo.
        var rig = try EchoRig(echo: EchoRig.room(-100))
        rig.run(100)
        rig.speak(4)
        #expect(rig.status.state == .clear)
        rig.card.faults[rig.card.reads + 2] = fault
        rig.run(10)
        #expect(rig.status.state == .learning)
    }

    /// Where talkers cannot be distinguished from the voice, they still can from music, which has no end to wait for.
    @Test(arguments: [(DuplexSetting.auto, false), (.half, true), (.half, false)])
    func halfDuplexHearsATalkerOverMusic(setting: DuplexSetting, cancels: Bool) throws {
        let start = 48_000 * 8
        var rig = try EchoRig(
            setting: setting, cancels: cancels, talker: EchoRig.talker(from: start, level: 0.5), echo: EchoRig.room(-26)
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

    /// The voice over the same music closes the microphone as usual.
    @Test func halfDuplexIsShutForVoiceOverMusic() throws {
        let start = 48_000 * 8
        var rig = try EchoRig(setting: .half, talker: EchoRig.talker(from: start, level: 0.5), echo: EchoRig.room(-26))
        rig.run(100)
        rig.play(6)
        rig.speak(3)
        #expect(rig.status.openings == 0)
        let isSilentThen = isSilent(rig.heard[(start / 2)..<(start / 2 + 24_000)])
        #expect(isSilentThen)
    }

    @Test func heldAndSentPeriodsKeepTheirPositions() throws {
        // A clock that follows the periods is not available here; the origin must follow the periods sent and held.
        var rig = try EchoRig(setting: .half, echo: EchoRig.room(-12))
        rig.run(50)
        #expect(rig.ports.microphone.ring.writePosition == 50 * 240)
        rig.speak(1)
        #expect(rig.ports.microphone.ring.writePosition == (150 - 48) * 240)
        rig.run(100)
        #expect(rig.ports.microphone.ring.writePosition == 250 * 240)
        #expect(rig.status.state == .forcedHalf)
        #expect(rig.status.periodsShut > 100)
    }
}
