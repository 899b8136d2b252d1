import Glibc
import Testing
import VoiceAudio
import VoiceSimulator

@testable import VoiceActivation
@testable import VoiceBase
@testable import VoiceConversation

/// Whether "stop" was a remark of its own: what counts as one, and how the filter judges it.
struct StopWordFilterTests {
    private func isAlone(_ word: String, length: Int, quiet: Int, after milliseconds: Int = 0, finds: Int = 1) -> Bool?
    {
        var stop = StopWordFilter(word, at: .seconds(10))
        for _ in 1..<finds { stop.foundAgain(at: .seconds(10)) }
        let remark = Remark(length: length, quiet: quiet, level: -30, overBefore: 0)
        return stop.isAlone(remark, at: .seconds(10) + .milliseconds(milliseconds))
    }

    @Test func quietAfterAShortRemarkMakesAStop() {
        #expect(isAlone("stop", length: 400, quiet: 120) == nil)
        #expect(isAlone("stop", length: 400, quiet: 200) == true)
        #expect(isAlone("never mind", length: 1200, quiet: 200) == true)
    }

    @Test func stopInsideASentenceIsRefused() {
        #expect(isAlone("stop", length: 900, quiet: 0) == false)
        #expect(isAlone("stop", length: 900, quiet: 300) == false)
        // A click.
        #expect(isAlone("stop", length: 100, quiet: 200) == false)
        // The user speaks on after it.
        #expect(isAlone("stop", length: 700, quiet: 0, after: 370) == false)
    }

    @Test func stopSaidTwiceCountsInALongRemark() {
        #expect(isAlone("stop", length: 1100, quiet: 200) == false)
        #expect(isAlone("stop", length: 1100, quiet: 200, finds: 2) == true)
    }

    /// A word that was found with certainty needs no further find.
    @Test func weakFindStaysWeakUntilACertainOne() {
        var stop = StopWordFilter("stop", at: .seconds(10), isWeak: true)
        stop.foundAgain(at: .seconds(10), isWeak: true)
        #expect(stop.isWeak)
        stop.foundAgain(at: .seconds(10), isWeak: false)
        stop.foundAgain(at: .seconds(10), isWeak: true)
        #expect(!stop.isWeak)
    }

    // MARK: The audio

    private static func room(_ milliseconds: Int, _ random: inout SplitMix64, peak: Int16 = 60) -> [Int16] {
        (0..<16 * milliseconds).map { _ in Int16.random(in: -peak...peak, using: &random) }
    }

    private static func voice(_ milliseconds: Int, peak: Double = 3000) -> [Int16] {
        (0..<milliseconds * 16).map { Int16(peak * sin(2 * Double.pi * 150 * Double($0) / 16_000)) }
    }

    private static func remark(_ sound: [Int16]) -> Remark? {
        var recent = RecentSound()
        sound.withUnsafeBufferPointer { recent.append($0) }
        return recent.remark()
    }

    @Test func remarkSpansFromPauseToPause() throws {
        var random = SplitMix64(seed: 1)
        let before = Self.room(3000, &random)
        let alone = try #require(Self.remark(before + Self.voice(400) + Self.room(200, &random)))
        #expect(390...420 ~= alone.length && 190...210 ~= alone.quiet)
        // A short pause does not separate it from what was said before, a long one does.
        let after = Self.room(200, &random)
        let sentence = Self.voice(900) + Self.room(150, &random) + Self.voice(400) + after
        #expect(try #require(Self.remark(before + sentence)).length > 1400)
        let apart = Self.voice(900) + Self.room(450, &random) + Self.voice(400) + after
        #expect(390...420 ~= (try #require(Self.remark(before + apart)).length))
        #expect(Self.remark([]) == nil)
    }

    /// How loud it is, and how much louder than what was heard before it.
    @Test func aRemarkHasALevel() throws {
        var random = SplitMix64(seed: 9)
        let before = Self.room(3000, &random, peak: 20)
        let after = Self.room(200, &random, peak: 20)
        // A sine of 3000: -23.8 dBFS; noise of 20 at most: -69 dBFS.
        let word = try #require(Self.remark(before + Self.voice(400) + after))
        #expect(-25 ... -23 ~= word.level && 44...47 ~= word.overBefore)
        // After talk that was as loud, it does not stand out.
        let talk = Self.voice(2000) + Self.room(400, &random, peak: 20)
        let next = try #require(Self.remark(Self.room(500, &random, peak: 20) + talk + Self.voice(400) + after))
        #expect(-1...1 ~= next.overBefore)
        let first = try #require(Self.remark(Self.voice(400)))
        #expect(first.overBefore == 0)
    }

    /// Steady noise 15 dB below the word is the room's, no speech.
    @Test func loudRoomIsNotPartOfTheRemark() throws {
        var random = SplitMix64(seed: 2)
        let sound = Self.room(6000, &random, peak: 650) + Self.voice(400) + Self.room(200, &random, peak: 650)
        let remark = try #require(Self.remark(sound.indices.map { sound[$0] }))
        #expect(390...420 ~= remark.length && 190...210 ~= remark.quiet)
    }

    // MARK: The recogniser

    /// What the recogniser reports, with the time after the sound's start, if the engine finds "stop" at this time.
    private func reports(
        _ sound: [Int16],
        findingAt times: [Int],
        _ finding: WakeCandidate.Finding = .score(-9),
        callAt: Int? = nil,
        isPlaying: Bool = true,
        playing: Range<Int> = 0..<(.max),
        alone: Range<Int> = 0..<0,
        without talker: EchoTalker = .absent
    ) throws -> [(at: Int, verdict: WakeRule.Verdict)] {
        let words = try WakeWords(wake: "hey jarvis", stop: "stop", threshold: -20)
        let detector = ScriptedDetector()
        let rule = WakeRule(words: words)
        let recogniser = WakeWordRecogniser(detector, rule: rule)
        var reports: [(at: Int, verdict: WakeRule.Verdict)] = []
        for (block, start) in stride(from: 0, through: sound.count - 640, by: 640).enumerated() {
            let now = 40 * (block + 1)
            if times.contains(now) { detector.next = [WakeCandidate("stop", finding)] }
            if callAt == now { detector.next.append(WakeCandidate("hey jarvis", .certain)) }
            let heard = try sound[start..<start + 640].withUnsafeBufferPointer {
                try recogniser.process(
                    $0, listening: .stop, isPlaying: isPlaying && playing.contains(now),
                    talker: alone.contains(now) ? talker : .heard, at: .milliseconds(60_000 + now)
                )
            }
            reports += heard.map { (now, $0.verdict) }
        }
        return reports
    }

    @Test func stopAloneActsAfterTwoTenthsOfASecond() throws {
        var random = SplitMix64(seed: 3)
        let sound = Self.room(3000, &random) + Self.voice(400) + Self.room(1000, &random)
        let found = try reports(sound, findingAt: [3480])
        #expect(found.map(\.verdict) == [.stop("stop")])
        #expect(3600...3640 ~= (found.first?.at ?? 0))
    }

    /// What the canceller leaves of "Stop." over the box's own voice scores less: it counts if it stands out.
    @Test func weakStopOverTheVoiceActsIfItIsLoud() throws {
        var random = SplitMix64(seed: 10)
        let quiet = Self.room(3000, &random, peak: 20)
        let word = Self.voice(400) + Self.room(1000, &random, peak: 20)
        #expect(try reports(quiet + word, findingAt: [3480], .score(-29)).map(\.verdict) == [.stop("stop")])
        #expect(try reports(quiet + word, findingAt: [3480], .score(-31)).isEmpty)
        // The word itself has ended the answer before it was recognised.
        let cut = try reports(quiet + word, findingAt: [3480], .score(-29), playing: 0..<3240)
        #expect(cut.map(\.verdict) == [.stop("stop")])
        #expect(try reports(quiet + word, findingAt: [3480], .score(-29), playing: 0..<1400).isEmpty)
        // The question that is answered is not talk beside the answer.
        let question = Self.room(500, &random, peak: 20) + Self.voice(2500) + Self.room(1500, &random, peak: 20)
        for (start, count) in [(3200, 1), (400, 0)] {
            let reports = try reports(question + word, findingAt: [4960], .score(-29), playing: start..<9000)
            #expect(reports.filter { $0.verdict == .stop("stop") }.count == count, "from \(start) ms")
        }
        // Nothing plays: as sure as ever.
        let alone = try reports(quiet + word, findingAt: [3480], .score(-21), isPlaying: false)
        #expect(alone.map(\.verdict) == [.nearMiss("stop", score: -21)])
        // After talk that has such words: that needs a sure find.
        let talk = Self.voice(2600) + Self.room(400, &random, peak: 20)
        let weak = try reports(talk + word, findingAt: [3480], .score(-21))
        #expect(weak.map(\.verdict) == [.nearMiss("stop", score: -21)])
        // Far from what is asked for: not worth a line in the journal.
        #expect(try reports(talk + word, findingAt: [3480], .score(-29)).isEmpty)
        #expect(try reports(talk + word, findingAt: [3480], .score(-20)).map(\.verdict) == [.stop("stop")])
    }

    /// "I would never stop asking": part of it sounds like the word.
    @Test func aStopInASentenceIsRefused() throws {
        var random = SplitMix64(seed: 4)
        let sound = Self.room(3000, &random) + Self.voice(2000) + Self.room(1000, &random)
        #expect(try reports(sound, findingAt: [3480]).map(\.verdict) == [.refused("stop", .inSentence)])
        #expect(try reports(sound, findingAt: [4960]).map(\.verdict) == [.refused("stop", .inSentence)])
        #expect(
            WakeTestLine.text(WakeReport(verdict: .refused("stop", .inSentence)), at: .zero)
                == "0.0 s  refused, stop, part of a sentence"
        )
    }

    /// What the canceller leaves of the box's voice sounds like "stop", is as loud as a person, and has quiet around it.
    @Test(arguments: [WakeCandidate.Finding.score(-9), .certain])
    func refusesAStopInTheBoxsOwnVoice(finding: WakeCandidate.Finding) throws {
        var random = SplitMix64(seed: 9)
        let sound = Self.room(3000, &random) + Self.voice(400) + Self.room(1000, &random)
        func verdicts(alone: Range<Int>, without talker: EchoTalker = .absent) throws -> [WakeRule.Verdict] {
            try reports(sound, findingAt: [3480], finding, alone: alone, without: talker).map(\.verdict)
        }
        #expect(try verdicts(alone: 2960..<9000) == [.refused("stop", .ownVoice)])
        #expect(try verdicts(alone: 0..<9000) == [.refused("stop", .ownVoice)])
        // A talker was heard over it, at the latest when the word was over.
        #expect(try verdicts(alone: 2960..<3400) == [.stop("stop")])
        #expect(try verdicts(alone: 2960..<3200) == [.stop("stop")])
        // The answer begins right after the word.
        #expect(try verdicts(alone: 3400..<9000) == [.stop("stop")])
        // If talkers cannot be told from the box, only a model of the word is trusted.
        let verdict: WakeRule.Verdict = finding == .certain ? .stop("stop") : .refused("stop", .ownVoice)
        #expect(try verdicts(alone: 0..<9000, without: .unknown) == [verdict])
    }

    /// "Stop, stop!" in one breath: the second begins before the first had quiet behind it.
    @Test func stopRepeatedInOneBreathActs() throws {
        var random = SplitMix64(seed: 8)
        let word = Self.voice(400)
        let sound = Self.room(3000, &random) + word + Self.room(120, &random) + word + Self.room(1000, &random)
        let found = try reports(sound, findingAt: [3480, 4000])
        #expect(found.map(\.verdict) == [.refused("stop", .inSentence), .stop("stop")])
        // However often it seems to be there, a sentence is none.
        let talk = Self.room(3000, &random) + Self.voice(1800) + Self.room(1000, &random)
        let refused = try reports(talk, findingAt: [3480, 4000, 4520, 4880])
        #expect(!refused.isEmpty && refused.allSatisfy { $0.verdict == .refused("stop", .inSentence) })
        // Nor two remarks, of which the first was long ago.
        let apart = Self.room(3000, &random) + Self.voice(1400) + Self.room(2000, &random) + Self.voice(1100)
        let late = try reports(apart + Self.room(1000, &random), findingAt: [4480, 7560])
        #expect(late.map(\.verdict) == [.refused("stop", .inSentence), .refused("stop", .inSentence)])
    }

    /// "Hey Jarvis." in an open conversation: PocketSphinx may take it for "stop".
    @Test(arguments: [3480, 3560])
    func wakeWordIsNotAStop(callAt: Int) throws {
        var random = SplitMix64(seed: 7)
        let sound = Self.room(3000, &random) + Self.voice(500) + Self.room(600, &random)
        let stop = Self.voice(400) + Self.room(600, &random)
        // A stop after the call is one.
        let found = try reports(sound + stop, findingAt: [3520, 4600], callAt: callAt)
        #expect(found.map(\.verdict) == [.call("hey jarvis"), .refused("stop", .inSentence), .stop("stop")])
    }

    /// A model of the word is seldom mistaken, and acts immediately.
    @Test func aModelOfTheWordIsNotAskedForQuiet() throws {
        var random = SplitMix64(seed: 6)
        let sound = Self.room(3000, &random) + Self.voice(2000)
        let found = try reports(sound, findingAt: [3480], .certain)
        #expect(found.map(\.verdict) == [.stop("stop")] && found.first?.at == 3480)
    }
}
