import Testing

@testable import VoiceActivation

struct WakeRuleTests {
    private func rule() throws -> WakeRule {
        WakeRule(words: try WakeWords(wake: "Jarvis, hello  computer:-35", stop: "stop", threshold: -20))
    }

    @Test func wordsMayHaveThresholdsOfTheirOwn() throws {
        let words = try rule().words
        #expect(words["jarvis"]?.threshold == -20)
        #expect(words["hello computer"]?.threshold == -35)
        #expect(words["stop"]?.isStop == true)
    }

    @Test func readsTheSensitivityAfterAWord() throws {
        let words = try WakeWords(wake: "Hey Jarvis: High, alexa:low, okay nabu", stop: "", threshold: -20)
        #expect(words.words.map(\.sensitivity) == [.high, .low, nil])
        #expect(words.words.allSatisfy { $0.ownThreshold == nil })
    }

    @Test func stopWordWithASensitivityIsRefused() {
        #expect {
            try WakeWords(wake: "alexa", stop: "stop:high", threshold: -20)
        } throws: {
            "\($0)" == "wants a number after the colon: \"stop:high\""
        }
    }

    @Test(arguments: ["", ",", "jarvis:loud", "a:b:c", ":-20", "jar/vis", "jarvis:inf"])
    func malformedWordListIsRefused(list: String) {
        #expect(throws: WakeWordError.self) { try WakeWords(wake: list, stop: "", threshold: -20) }
    }

    @Test func wordBelowItsThresholdIsANearMiss() throws {
        var rule = try rule()
        func judge(_ word: String, _ score: Double, _ isPlaying: Bool, _ second: Int) -> WakeRule.Verdict {
            rule.judge(.init(word, .score(score)), listening: .stop, isPlaying: isPlaying, at: .seconds(second))
        }
        #expect(judge("jarvis", -21, false, 10) == .nearMiss("jarvis", score: -21))
        #expect(judge("jarvis", -19, true, 10) == .nearMiss("jarvis", score: -19))
        #expect(judge("jarvis", -19, false, 10) == .call("jarvis"))
        // Detected again immediately: it is the same call.
        #expect(judge("jarvis", -1, false, 11) == .nothing)
        #expect(judge("jarvis", -14, true, 12) == .call("jarvis"))
        #expect(judge("stop", -3, true, 20) == .stop("stop"))
    }

    /// The canceller takes some of the word away; whether it was one is then for `StopWordFilter`.
    @Test func stopNeedsALowerScoreWhileTheBoxSounds() throws {
        func judge(_ score: Double, _ isPlaying: Bool) throws -> WakeRule.Verdict {
            var rule = try rule()
            return rule.judge(.init("stop", .score(score)), listening: .stop, isPlaying: isPlaying, at: .seconds(10))
        }
        #expect(try judge(-19.5, true) == .stop("stop"))
        #expect(try judge(-30, true) == .stop("stop"))
        #expect(try judge(-30.5, true) == .nothing)
        #expect(try judge(-20.5, false) == .nearMiss("stop", score: -20.5))
        #expect(try judge(-26.5, false) == .nothing)
    }

    /// Clear voices score above 0, so a threshold may be there, and the margin is added to it as to any other.
    @Test(arguments: [-20.0, -1, 0, 12])
    func wakeWordNeedsAHigherScoreWhileTheBoxSounds(threshold: Double) throws {
        let words = try WakeWords(wake: "jarvis:\(threshold)", stop: "", threshold: -20)
        var rule = WakeRule(words: words)
        func judge(_ score: Double) -> WakeRule.Verdict {
            rule.judge(.init("jarvis", .score(score)), listening: .wake, isPlaying: true, at: .seconds(10))
        }
        #expect(judge(threshold + 2.9) == .nearMiss("jarvis", score: threshold + 2.9))
        #expect(judge(threshold + 3) == .call("jarvis"))
    }

    @Test func stopWithNothingToStopIsIgnored() throws {
        var rule = try rule()
        let stop = WakeCandidate("stop", .score(0))
        #expect(rule.judge(stop, listening: .wake, isPlaying: false, at: .seconds(10)) == .nothing)
        #expect(rule.judge(stop, listening: .nothing, isPlaying: false, at: .seconds(10)) == .nothing)
        #expect(rule.judge(stop, listening: .stop, isPlaying: false, at: .seconds(10)) == .stop("stop"))
    }

    @Test func wordWithoutAScoreNeedsTwoFindsWhileTheBoxSounds() throws {
        var rule = try rule()
        func judge(_ isPlaying: Bool, _ milliseconds: Int) -> WakeRule.Verdict {
            rule.judge(.init("x", .repeated), listening: .wake, isPlaying: isPlaying, at: .milliseconds(milliseconds))
        }
        #expect(judge(false, 10_000) == .call("x"))
        #expect(judge(true, 20_000) == .nothing)
        #expect(judge(true, 22_000) == .nothing)
        #expect(judge(true, 22_500) == .call("x"))
    }
}
