package import VoiceAudio
internal import VoiceBase

/// The verdict about what was heard, with the values behind it.
package struct WakeReport: Equatable, Sendable {
    package var verdict: WakeRule.Verdict
    /// Confidence in the engine's own unit; nil if it reports none.
    package var score: Double?
    /// The score that is required; nil if only the engine knows it.
    package var threshold: Double?
    /// The lowest sensitivity at which the score counts as a call; nil if none does, or for an engine without them.
    package var sensitivity: WakeSensitivity?
    /// Level and voice of a wake word; nil for other verdicts.
    package var evidence: WordEvidence?
}

/// An engine and the rule for its finds: audio in, verdicts out. Belongs to one thread.
package final class WakeWordRecogniser {
    package let detector: any WakeWordDetector
    private var rule: WakeRule
    private var sound = RecentSound()
    /// Looks for speech after a call; nil if there was none lately.
    private var after: SpeechAfterCall?
    private var ownVoice = OwnVoice()
    /// When the box last played sound, and when that sound began, shorter pauses included.
    private var played: Duration?
    private var playedSince = Duration.zero
    /// A stop word that may turn out to be part of a sentence.
    private var stop: WaitingStop?
    /// When the latest call was found.
    private var called: Duration?
    /// The latest stop word that was refused, and when.
    private var refusedStop: (word: String, at: Duration)?

    /// How long after the box's sound a stop word still counts as said over it: the word itself often ends the sound.
    static let hold = Duration.seconds(2)

    private struct WaitingStop {
        var report: WakeReport
        let word: String
        var judge: StopWordFilter
    }

    package init(_ detector: any WakeWordDetector, rule: WakeRule) {
        self.detector = detector
        self.rule = rule
    }

    /// Forgets the audio processed so far.
    package func reset() {
        detector.reset()
        sound.forget()
        after = nil
        stop = nil
        refusedStop = nil
        called = nil
        ownVoice = OwnVoice()
        played = nil
    }

    /// Processes cleaned audio, mono, 16 kHz; returns what was said in it.
    ///
    /// - Parameter talker: whether a talker is heard beside the box's sound.
    /// - Throws: if the engine fails; it must then be recreated.
    package func process(
        _ samples: UnsafeBufferPointer<Int16>,
        listening: LocalListening,
        isPlaying: Bool,
        talker: EchoTalker = .heard,
        at now: Duration
    ) throws(WakeWordError) -> [WakeReport] {
        let hasPlayed = isPlaying || (played.map { now - $0 <= Self.hold } ?? false)
        detector.note(hasPlayed: hasPlayed, isTalkerHeard: talker == .heard)
        ownVoice.note(talker, at: now)
        if isPlaying {
            if played.map({ now - $0 > Self.hold }) ?? true { playedSince = now }
            played = now
        }
        sound.append(samples)
        var reports: [WakeReport] = []
        if let speaksOn = after?.consume(samples) {
            after = nil
            if speaksOn { reports.append(WakeReport(verdict: .speaksOn)) }
        }
        for candidate in try detector.process(samples) {
            // A refused call must not start the refractory time.
            var judged = rule
            let isScoredStop = candidate.score != nil && rule.words[candidate.word]?.isStop == true
            let verdict = judged.judge(
                candidate, listening: listening, isPlaying: isScoredStop ? hasPlayed : isPlaying, at: now
            )
            var report = WakeReport(verdict: verdict, score: candidate.score)
            report.threshold = candidate.threshold
            report.sensitivity = candidate.sensitivity
            if case .score = candidate.finding {
                report.threshold = rule.words[candidate.word].map { rule.threshold(of: $0, isPlaying: isPlaying) }
            }
            switch verdict {
            case .call(let word):
                report.evidence = sound.evidence
                if candidate.wantsPause, let reason = CallRule.refusal(sound.pauseBeforeWord) {
                    report.verdict = .refused(word, reason)
                } else {
                    after = SpeechAfterCall(report.evidence)
                    called = now
                }
            case .stop(let word):
                // An engine that scores any word mistakes part of a sentence for it; a model of the word hardly ever does.
                if case .score(let score) = candidate.finding {
                    wait(report, word, isWeak: score < rule.words[word]?.threshold ?? score, at: now)
                    continue
                }
                if ownVoice.said(sound.remark(), isOfModel: true, at: now) {
                    report.verdict = .refused(word, .ownVoice)
                }
            case .nearMiss, .refused, .speaksOn, .nothing: break
            }
            if case .refused = report.verdict {} else { rule = judged }
            if report.verdict != .nothing { reports.append(report) }
        }
        if let decided = decideStop(listening: listening, isPlaying: isPlaying, hasPlayed, at: now) {
            reports.append(decided)
        }
        return reports
    }

    /// Keeps a stop word until it is known whether it was said alone.
    private func wait(_ report: WakeReport, _ word: String, isWeak: Bool, at now: Duration) {
        if stop?.word == word {
            stop?.judge.foundAgain(at: now, isWeak: isWeak)
        } else {
            let judge = StopWordFilter(word, at: now, isRepeated: isRepeated(word, at: now), isWeak: isWeak)
            stop = WaitingStop(report: report, word: word, judge: judge)
        }
    }

    private func isRepeated(_ word: String, at now: Duration) -> Bool {
        refusedStop.map { $0.word == word && now - $0.at <= StopWordFilter.again } ?? false
    }

    /// Whether the waiting stop word was said alone; nil while undecided.
    private func decideStop(
        listening: LocalListening,
        isPlaying: Bool,
        _ hasPlayed: Bool,
        at now: Duration
    ) -> WakeReport? {
        guard var waiting = stop else { return nil }
        let remark = sound.remark(within: hasPlayed ? (now - playedSince).wholeMilliseconds : .max)
        guard let isAlone = waiting.judge.isAlone(remark, at: now) else { return nil }
        stop = nil
        // A call, "Hey Jarvis.", also has quiet around it: a stop word found in the same remark is part of the call.
        let since = Duration.milliseconds((remark?.length ?? 0) + (remark?.quiet ?? 0))
        let isCall = called.map { now - $0 <= since } ?? false
        guard isAlone, !isCall else {
            refusedStop = isCall ? nil : (waiting.word, now)
            waiting.report.verdict = .refused(waiting.word, .inSentence)
            return waiting.report
        }
        guard !ownVoice.said(remark, isOfModel: false, at: now) else {
            waiting.report.verdict = .refused(waiting.word, .ownVoice)
            return waiting.report
        }
        if let remark, waiting.judge.isWeak, !StopWordFilter.standsOut(remark) {
            waiting.report.verdict = rule.miss(waiting.word, waiting.report.score ?? 0)
            return waiting.report.verdict == .nothing ? nil : waiting.report
        }
        return confirmed(waiting.report, waiting.word, listening: listening, isPlaying: isPlaying, at: now)
    }

    /// Only now does the rule count the word; nil if it no longer means anything.
    private func confirmed(
        _ report: WakeReport,
        _ word: String,
        listening: LocalListening,
        isPlaying: Bool,
        at now: Duration
    ) -> WakeReport? {
        var report = report
        let certain = WakeCandidate(word, .certain)
        report.verdict = rule.judge(certain, listening: listening, isPlaying: isPlaying, at: now)
        return report.verdict == .nothing ? nil : report
    }
}
