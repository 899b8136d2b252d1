import Glibc
import Synchronization
import Testing
import VoiceSimulator

@testable import VoiceActivation
@testable import VoiceBase
@testable import VoiceConversation

/// Whether somebody called: level and voice of the audio, and the decision based on them.
struct SecondLookTests {
    private static let second = 16_000

    /// Steady room noise, about -60 dBFS.
    private static func room(_ seconds: Double, _ random: inout SplitMix64) -> [Int16] {
        (0..<Int(seconds * Double(second))).map { _ in Int16.random(in: -60...60, using: &random) }
    }

    /// A voice at 120 Hz with harmonics.
    private static func voice(_ milliseconds: Int, peak: Double) -> [Int16] {
        (0..<milliseconds * 16).map { index in
            let phase = 2 * Double.pi * 120 * Double(index) / 16_000
            let sum = (1...8).reduce(0.0) { $0 + sin(Double($1) * phase) / Double($1) }
            return Int16(clamping: Int(sum / 2 * peak))
        }
    }

    private static func evidence(_ sound: [Int16]) -> WordEvidence? {
        var recent = RecentSound()
        for start in stride(from: 0, to: sound.count, by: 640) {
            sound[start..<min(start + 640, sound.count)].withUnsafeBufferPointer { recent.take($0) }
        }
        return recent.evidence
    }

    @Test func aVoiceInARoomIsACall() throws {
        var random = SplitMix64(seed: 1)
        let sound = Self.room(4, &random) + Self.voice(500, peak: 3000) + Self.room(0.2, &random)
        let evidence = try #require(Self.evidence(sound))
        #expect(400...600 ~= evidence.voiceMilliseconds)
        #expect(evidence.overNoise > 20)
        #expect(-40 ... -15 ~= evidence.level)
        #expect(SecondLook().refusal(evidence) == nil)
    }

    @Test func aBriefVoiceIsNone() throws {
        var random = SplitMix64(seed: 2)
        let sound = Self.room(4, &random) + Self.voice(150, peak: 3000) + Self.room(0.2, &random)
        let evidence = try #require(Self.evidence(sound))
        guard case .littleVoice(let milliseconds)? = SecondLook().refusal(evidence) else {
            Issue.record("\(evidence)")
            return
        }
        #expect(100..<300 ~= milliseconds)
    }

    /// Running water, however loud, has no pitch.
    @Test func aHissIsNoVoice() throws {
        var random = SplitMix64(seed: 3)
        let hiss = (0..<16_000).map { _ in Int16.random(in: -9000...9000, using: &random) }
        let evidence = try #require(Self.evidence(Self.room(4, &random) + hiss))
        #expect(evidence.overNoise > 20)
        #expect(evidence.voiceMilliseconds < 100)
    }

    @Test func whatDoesNotStandOutOfTheRoomIsNone() throws {
        var random = SplitMix64(seed: 4)
        let evidence = try #require(Self.evidence(Self.room(6, &random)))
        guard case .notAboveNoise(let decibels)? = SecondLook().refusal(evidence) else {
            Issue.record("\(evidence)")
            return
        }
        #expect(decibels < 6)
    }

    /// Without a past second there is no evidence, and the engine's decision stands.
    @Test func withoutAPastNothingIsRefused() {
        #expect(Self.evidence([Int16](repeating: 0, count: 16_000)) == nil)
        #expect(SecondLook().refusal(nil) == nil)
    }

    /// The evidence does not depend on how the audio is cut into blocks, and only some seconds are kept.
    @Test func theCutOfTheBlocksDoesNotMatter() {
        var random = SplitMix64(seed: 5)
        let sound = Self.room(20, &random) + Self.voice(400, peak: 2000) + Self.room(0.3, &random)
        var other = RecentSound()
        var rest = sound[...]
        while !rest.isEmpty {
            let piece = rest.prefix(Int.random(in: 1...1500, using: &random))
            piece.withUnsafeBufferPointer { other.take($0) }
            rest = rest.dropFirst(piece.count)
        }
        #expect(Self.evidence(sound) == other.evidence)
        #expect(other.newest(100) == sound.suffix(100))
    }

    // MARK: The ear

    private func ear(_ detector: ScriptedDetector, looks: Bool = true) throws -> WakeWordRecogniser {
        let words = try WakeWords(wake: "hey jarvis", stop: "stop", threshold: -20)
        let rule = WakeRule(words: words, playingMargin: 3, refractory: .seconds(2))
        return WakeWordRecogniser(detector, rule: rule, look: looks ? SecondLook() : nil)
    }

    private func take(
        _ ear: WakeWordRecogniser,
        _ samples: [Int16],
        isPlaying: Bool = false,
        at milliseconds: Int
    ) throws -> [WakeReport] {
        try samples.withUnsafeBufferPointer {
            try ear.take($0, listening: .stop, isPlaying: isPlaying, at: .milliseconds(milliseconds))
        }
    }

    @Test func aRefusedWordIsToldAndMakesNobodyDeafToTheNext() throws {
        var random = SplitMix64(seed: 6)
        let detector = ScriptedDetector()
        let ear = try ear(detector)
        detector.next = [WakeCandidate("hey jarvis", .certain, score: 0.98)]
        let first = try take(ear, Self.room(4, &random), at: 10_000)
        guard case .refused("hey jarvis", .notAboveNoise)? = first.first?.verdict, first.count == 1 else {
            Issue.record("\(first)")
            return
        }
        #expect(first[0].score == 0.98)
        detector.next = [WakeCandidate("hey jarvis", .certain)]
        let second = try take(ear, Self.voice(500, peak: 3000), at: 10_500)
        #expect(second.map(\.verdict) == [.call("hey jarvis")])
        #expect((second[0].evidence?.overNoise ?? 0) > 6)
    }

    /// A stop word is never subject to the second look.
    @Test func aStopIsNotLookedAt() throws {
        var random = SplitMix64(seed: 7)
        let detector = ScriptedDetector()
        let ear = try ear(detector)
        detector.next = [WakeCandidate("stop", .certain)]
        #expect(try take(ear, Self.room(4, &random), at: 10_000).map(\.verdict) == [.stop("stop")])
    }

    @Test func withoutTheLookTheEngineDecides() throws {
        var random = SplitMix64(seed: 8)
        let detector = ScriptedDetector()
        let ear = try ear(detector, looks: false)
        detector.next = [WakeCandidate("hey jarvis", .certain)]
        #expect(
            try take(ear, Self.room(4, &random), isPlaying: true, at: 10_000).map(\.verdict) == [.call("hey jarvis")]
        )
        #expect(detector.isPlaying)
    }

    // MARK: The pause before a call

    /// What becomes of a word that wants a pause, found at the end of this sound.
    private func afterSound(
        _ sound: [Int16],
        wantsPause: Bool = true,
        word: String = "hey jarvis"
    ) throws -> [WakeReport] {
        let detector = ScriptedDetector()
        let ear = try ear(detector, looks: false)
        for start in stride(from: 0, to: sound.count - 640, by: 640) {
            _ = try take(ear, Array(sound[start..<start + 640]), at: 10_000 + start / 16)
        }
        detector.next = [WakeCandidate(word, .certain, score: 0.98)]
        detector.next[0].wantsPause = wantsPause
        return try take(ear, Array(sound.suffix(640)), at: 20_000)
    }

    @Test func aWordInTheMiddleOfATalkIsNoCall() throws {
        var random = SplitMix64(seed: 20)
        let talk = Self.room(2, &random) + Self.voice(3000, peak: 3000)
        let report = try #require(try afterSound(talk).first)
        guard case .refused("hey jarvis", .noPause(let decibels)) = report.verdict else {
            Issue.record("\(report)")
            return
        }
        #expect(abs(decibels) < 1)
        #expect(
            WakeTestLine.text(report, at: .zero)?.hasPrefix(
                "0.0 s  refused, hey jarvis, no pause before it, the quietest"
            ) == true
        )
        #expect(try afterSound(talk, wantsPause: false).map(\.verdict) == [.call("hey jarvis")])
        #expect(try afterSound(talk, word: "stop").map(\.verdict) == [.stop("stop")])
    }

    /// In silence, 0.4 s after other words, and over music 8 dB below.
    @Test func aWordAfterAPauseIsACall() throws {
        var random = SplitMix64(seed: 21)
        let word = Self.voice(700, peak: 3000) + Self.room(0.06, &random)
        #expect(try afterSound(Self.room(2, &random) + word).map(\.verdict) == [.call("hey jarvis")])
        let talk = Self.room(2, &random) + Self.voice(2000, peak: 3000)
        #expect(try afterSound(talk + Self.room(0.4, &random) + word).map(\.verdict) == [.call("hey jarvis")])
        let music = zip(Self.voice(3760, peak: 1200), Self.room(3, &random) + word).map { $0 &+ $1 }
        #expect(try afterSound(music).map(\.verdict) == [.call("hey jarvis")])
    }

    /// Right after the start nothing is known of what was before, and the engine decides.
    @Test func withoutAPastNoPauseIsWanted() throws {
        #expect(try afterSound(Self.voice(1300, peak: 3000)).map(\.verdict) == [.call("hey jarvis")])
    }

    // MARK: The second model

    /// An ear with openWakeWord models of our own, which score high where the sound is loud, and a word found in it.
    private func verdicts(_ sound: [Int16], _ found: [String]) async throws -> [WakeRule.Verdict] {
        let box = try await WakeModelBox([:], open: ["hey_jarvis", "alexa"]).compiled(StandInLibrary.open)
        let words = try WakeWords(wake: "hey jarvis, alexa", stop: "", threshold: -20)
        let folder = box.folder
        let models = try SecondModels(words, in: folder.openWakeWord, library: folder.library, trial: .none)
        let rule = WakeRule(words: words, playingMargin: 3, refractory: .seconds(2))
        let detector = ScriptedDetector()
        let ear = WakeWordRecogniser(detector, rule: rule, look: SecondLook(), models: models)
        _ = try take(ear, sound, at: 10_000)
        detector.next = found.map { WakeCandidate($0, .certain, score: 0.9) }
        return try (1...8).flatMap { block in
            try take(ear, Array(sound.suffix(640)), at: 10_000 + 40 * block).map(\.verdict)
        }
    }

    /// Over music no voice stands out; the second model decides alone.
    @Test func aSecondModelThatAgreesNeedsNoVoice() async throws {
        let loud = [Int16](repeating: 9000, count: 64_000)
        #expect(try await verdicts(loud, ["hey jarvis"]) == [.call("hey jarvis")])
    }

    /// One word waits for the second model while another is found; both are told.
    @Test func twoWordsThatWaitAreBothTold() async throws {
        var random = SplitMix64(seed: 12)
        let found = try await verdicts(Self.room(4, &random), ["hey jarvis", "alexa"])
        #expect(found == [.refused("hey jarvis", .otherModel(0)), .refused("alexa", .otherModel(0))])
    }

    /// Does the work at once.
    private static let atOnce: TwoEars.Starter = { work in
        work()
        return true
    }

    /// At a cold boot the trial of its model takes too long: the second look does without, and has the model 15 s later.
    @Test func aSecondModelThatCouldNotBeTriedIsAskedLater() async throws {
        let box = try await WakeModelBox([:], open: ["hey_jarvis"]).compiled(StandInLibrary.open)
        let words = try WakeWords(wake: "hey jarvis", stop: "", threshold: -20)
        let folder = box.folder
        let problem = Mutex(ModelTrial.judge(.tookTooLong))
        let trial = ModelTrial { (_, _, _) throws(WakeWordError) in
            if let problem = problem.withLock({ $0 }) { throw problem }
        }
        var now = Duration.zero
        let loader = SecondModelsLoader(
            now: { now },
            start: Self.atOnce,
            { () throws(WakeWordError) in
                try SecondModels(words, in: folder.openWakeWord, library: folder.library, trial: trial)
            }
        )
        #expect(loader.load() == nil)
        #expect(loader.problem?.description.contains("holds up") == true)
        func later() -> SecondModels? { loader.loadedLater() ?? loader.loadedLater() }
        now = .seconds(14)
        #expect(later() == nil)
        now = .seconds(15)
        #expect(later() == nil, "it hangs again")
        problem.withLock { $0 = nil }
        now = .seconds(44)
        #expect(later() == nil)
        now = .seconds(45)
        let models = try #require(later())
        #expect(loader.problem == nil && models.words == ["hey jarvis"])
        now = .seconds(9000)
        #expect(later() == nil, "once")

        let rule = WakeRule(words: words, playingMargin: 3, refractory: .seconds(2))
        let detector = ScriptedDetector()
        let ear = WakeWordRecogniser(detector, rule: rule, look: SecondLook(), models: nil)
        let music = [Int16](repeating: 9000, count: 64_000)
        func verdicts(at milliseconds: Int) throws -> [WakeRule.Verdict] {
            detector.next = [WakeCandidate("hey jarvis", .certain, score: 0.9)]
            return try take(ear, music, at: milliseconds).map(\.verdict)
        }
        #expect(try verdicts(at: 10_000) != [.call("hey jarvis")])
        ear.use(models)
        #expect(try verdicts(at: 20_000) == [.call("hey jarvis")])
    }

    /// A file that is broken is not read again and again.
    @Test func aBrokenSecondModelIsNotTriedAgain() {
        let attempts = Mutex(0)
        var now = Duration.zero
        let loader = SecondModelsLoader(
            now: { now },
            start: Self.atOnce,
            { () throws(WakeWordError) in
                attempts.withLock { $0 += 1 }
                throw WakeWordError("broken", cause: .openWakeWord)
            }
        )
        #expect(loader.load() == nil)
        now = .seconds(9000)
        #expect(loader.loadedLater() == nil && loader.loadedLater() == nil)
        #expect(attempts.withLock { $0 } == 1 && loader.problem?.description == "broken")
    }

    // MARK: Behind the word

    /// What the ear says within half a second of a call, with this behind the word.
    private func behindTheWord(_ sound: [Int16]) throws -> [WakeRule.Verdict] {
        var random = SplitMix64(seed: 9)
        let detector = ScriptedDetector()
        let ear = try ear(detector, looks: false)
        let word = Self.room(4, &random) + Self.voice(500, peak: 3000)
        _ = try take(ear, word, at: 10_000)
        detector.next = [WakeCandidate("hey jarvis", .certain)]
        #expect(try take(ear, Self.voice(40, peak: 3000), at: 10_040).map(\.verdict) == [.call("hey jarvis")])
        let rest = sound + Self.room(1, &random)
        var verdicts: [WakeRule.Verdict] = []
        for block in 0..<14 {
            let samples = Array(rest[640 * block..<640 * (block + 1)])
            verdicts += try take(ear, samples, at: 10_080 + 40 * block).map(\.verdict)
        }
        return verdicts
    }

    @Test func whoSpeaksOnBehindTheWordIsHeardToDoSo() throws {
        var random = SplitMix64(seed: 10)
        #expect(try behindTheWord(Self.room(0.2, &random) + Self.voice(400, peak: 2000)) == [.speaksOn])
    }

    /// The end of the word, silence, and a question after a pause: a sound may ask for it.
    @Test func whoSaysTheWordAloneDoesNotSpeakOn() throws {
        var random = SplitMix64(seed: 11)
        #expect(try behindTheWord(Self.voice(80, peak: 3000)) == [])
        #expect(try behindTheWord(Self.room(0.4, &random) + Self.voice(300, peak: 2000)) == [])
        // A television that goes on 20 dB below.
        #expect(try behindTheWord(Self.voice(560, peak: 250)) == [])
    }

    // MARK: Reports

    @Test func nearMissesAreToldEveryTenSecondsAWord() {
        var pace = NearMissPace()
        func reported(_ word: String, _ second: Int) -> Int? { pace.take(word, at: .seconds(second)) }
        #expect(reported("a", 100) == 1)
        #expect(reported("a", 103) == nil)
        #expect(reported("b", 103) == 1)
        #expect(reported("a", 109) == nil)
        #expect(reported("a", 110) == 3)
        for number in 0..<1000 { _ = reported("\(number)", 200) }
        #expect(reported("a", 300) == 1)
    }

    @Test func theTestSaysWhatWasHeardAndWhy() {
        let evidence = WordEvidence(level: -31.4, overNoise: 18.2, voiceMilliseconds: 520)
        let call = WakeReport(verdict: .call("hey jarvis"), score: 0.984, evidence: evidence)
        #expect(
            WakeTestLine.text(call, at: .milliseconds(12_340))
                == "12.3 s  heard, hey jarvis, score 0.98, -31 dBFS, 18 dB over the noise, 520 ms of voice"
        )
        let near = WakeReport(verdict: .nearMiss("hey jarvis", score: 0.62), score: 0.62)
        #expect(WakeTestLine.text(near, at: .seconds(1)) == "1.0 s  near miss, hey jarvis, score 0.62")
        let refused = WakeReport(verdict: .refused("hey jarvis", .littleVoice(90)), score: 0.93)
        #expect(
            WakeTestLine.text(refused, at: .zero)
                == "0.0 s  refused, hey jarvis, only 90 ms of voice in it, score 0.93"
        )
        #expect(WakeTestLine.text(WakeReport(verdict: .nothing), at: .zero) == nil)
    }

    // MARK: Files

    @Test func aRecordingOf16And48KilohertzIsRead() throws {
        let tone = (0..<4800).map { Int16(10_000 * sin(2 * Double.pi * 500 * Double($0) / 48_000)) }
        let wide = try WakeRecording.parse(MonoWave.bytes(samples: tone, rate: 48_000), path: "x.wav")
        #expect(wide.count == 1600)
        #expect(9500...10_500 ~= wide.dropFirst(200).max() ?? 0)
        let narrow = try WakeRecording.parse(MonoWave.bytes(samples: tone, rate: 16_000), path: "x.wav")
        #expect(narrow == tone)
    }

    @Test func whatIsNoRecordingIsNamedWithTheWayOut() {
        #expect { _ = try WakeRecording.parse(Array("text".utf8), path: "x.wav") } throws: {
            "\($0)" == "x.wav is no WAV file"
        }
        #expect { _ = try WakeRecording.parse(MonoWave.bytes(samples: [1], rate: 44_100), path: "x.wav") } throws: {
            "\($0)".contains("16 or 48 kHz: sox x.wav -r 16000")
        }
        let whole = MonoWave.bytes(samples: [1, 2, 3], rate: 16_000)
        for count in 0..<whole.count { _ = try? WakeRecording.parse(Array(whole.prefix(count)), path: "x.wav") }
        #expect(throws: WakeWordError.self) { _ = try WakeRecording.read("/nowhere.wav") }
    }

    @Test func openWakeWordsFilesAreKnownByTheirNames() {
        #expect(OpenWakeWordModels.word(of: "hey_jarvis_v0.1.tflite") == "hey jarvis")
        #expect(OpenWakeWordModels.word(of: "hey_jarvis.tflite") == "hey jarvis")
        #expect(OpenWakeWordModels.word(of: "hey_victor.tflite") == "hey victor")
        #expect(OpenWakeWordModels.word(of: "hey_jarvis.onnx") == nil)
    }
}
